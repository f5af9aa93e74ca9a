import { canonicalJson } from '../kernel/canonical-json.ts';

interface Written {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
  readonly spec: object;
}

const annotation = 'gitfleet.dev/record-lost';

/**
 * Whether an object on main is held because the record of it was lost: it may have run before, so it does nothing until its
 * file changes (docs/compatibility.md). `lost` is true in the pass that found the record gone; later passes know the file
 * as it was then by the annotation on its record.
 */
export function isHeldSinceLoss<T extends Written>(request: {
  readonly file: T;
  readonly recorded: T | undefined;
  readonly lost: boolean;
  readonly digest: (text: string) => string;
}): boolean {
  const { file, recorded, lost, digest } = request;
  if (recorded === undefined) return lost;
  return recorded.metadata.annotations?.[annotation] === contentOf(file, digest);
}

/** The object as the record keeps it while it is held. */
export const heldSinceLoss = <T extends Written>(file: T, digest: (text: string) => string): T => ({
  ...file,
  metadata: {
    ...file.metadata,
    annotations: { ...file.metadata.annotations, [annotation]: contentOf(file, digest) },
  },
});

/** True for a record that says no more than that its object was held: not the object's own history. */
export const isMereHold = (recorded: Written | undefined): boolean =>
  recorded?.metadata.annotations?.[annotation] !== undefined;

const contentOf = ({ metadata, spec }: Written, digest: (text: string) => string): string => {
  const { [annotation]: _, ...annotations } = metadata.annotations ?? {};
  return `sha256:${digest(canonicalJson({ ...metadata, annotations, spec }))}`;
};

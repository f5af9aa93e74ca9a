import { canonicalJson } from '../kernel/canonical-json.ts';

interface Written {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
  readonly spec: object;
}

const annotation = 'gitfleet.dev/record-lost';

/**
 * Whether an object on main is held because its record was lost. It may have been carried out before, so it does nothing until
 * its file changes (docs/compatibility.md). `lost` is true in the reconciliation that finds the record gone; later ones know
 * the file as it was then by the annotation on its record.
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

/** Whether a record only holds its object, without a history of its own. */
export const isMereHold = (recorded: Written | undefined): boolean =>
  recorded?.metadata.annotations?.[annotation] !== undefined;

const contentOf = ({ metadata, spec }: Written, digest: (text: string) => string): string => {
  const { [annotation]: _, ...annotations } = metadata.annotations ?? {};
  return `sha256:${digest(canonicalJson({ ...metadata, annotations, spec }))}`;
};

import type { Held } from '../../repo/record/summary.ts';
import type { Row } from '../status/listing.ts';

type Ref = { readonly kind?: string; readonly name?: string; readonly namespace?: string | undefined };

/**
 * Why an object, or something that a placement selects, is not what the commit says: a file that is not valid. Its
 * conditions are those of before. Undefined where nothing is wrong.
 */
export function staysAsItWas(holds: readonly Held[], { value, name, namespace }: Row): string | undefined {
  const { kind, status } = value as {
    readonly kind?: string;
    readonly status?: { readonly selectedResources?: readonly Ref[] };
  };
  const about: readonly Ref[] = [{ ...(kind && { kind }), name, namespace }, ...(status?.selectedResources ?? [])];
  const hold = holds.find(
    ({ reason, subject }) =>
      reason === 'LastGoodVersion' &&
      about.some(
        (ref) => ref.kind === subject.kind && ref.name === subject.name && ref.namespace === subject.namespace,
      ),
  );
  return hold && `${hold.subject.kind} ${hold.subject.name}: ${hold.message}`;
}

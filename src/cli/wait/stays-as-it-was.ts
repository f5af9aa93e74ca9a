import { type HeldObject, holdsOf } from '../../repo/record/holds-of.ts';
import type { Held } from '../../repo/record/summary.ts';
import type { Row } from '../status/listing.ts';

/**
 * Why an object, or something that a placement selects, is not what the commit says: a file that is not valid. Its
 * conditions are those of before. Undefined where nothing is wrong.
 */
export function staysAsItWas(holds: readonly Held[], { value, name, namespace }: Row): string | undefined {
  const { kind, status } = value as {
    readonly kind?: string;
    readonly status?: { readonly selectedResources?: readonly HeldObject[] };
  };
  const kept = holds.filter(({ reason }) => reason === 'LastGoodVersion');
  const about = [...(kind === undefined ? [] : [{ kind, name, namespace }]), ...(status?.selectedResources ?? [])];
  const [hold] = about.flatMap((object) => holdsOf(object, kept));
  return hold && `${hold.subject.kind} ${hold.subject.name}: ${hold.message}`;
}

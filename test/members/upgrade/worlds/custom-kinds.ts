import type { ManualClock } from '../../../../src/simulator/clock.ts';
import type { SimulatedMember } from '../../../../src/simulator/member.ts';
import { customDefinition } from '../../../support/custom-definition.ts';

/** A kind that a CustomResourceDefinition adds. */
export interface CustomKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

const pluralOf = ({ kind }: CustomKind): string => `${kind.toLowerCase()}s`;

/** A definition of a namespaced kind without a schema, with a status of its own. */
export const definitionOf = ({ kind, ...of }: CustomKind): object =>
  customDefinition(kind, { ...of, subresources: { status: {} } });

/** The server rejects lists of a new kind until its cache is filled. */
export async function fillCaches(
  member: SimulatedMember,
  clock: ManualClock,
  kinds: readonly CustomKind[],
): Promise<void> {
  for (const kind of kinds)
    await member.request({
      method: 'GET',
      path: `/apis/${kind.group}/${kind.version}/${pluralOf(kind)}`,
      query: new URLSearchParams({ labelSelector: 'a=b' }),
      headers: {},
    });
  clock.advance(5_000);
}

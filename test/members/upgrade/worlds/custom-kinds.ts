import type { ManualClock } from '../../../../src/simulator/clock.ts';
import type { SimulatedMember } from '../../../../src/simulator/member.ts';

/** A kind that a CustomResourceDefinition adds. */
export interface CustomKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

const pluralOf = ({ kind }: CustomKind): string => `${kind.toLowerCase()}s`;

/** A definition of a namespaced kind without a schema. */
export function definitionOf(of: CustomKind): object {
  const { kind, group, version } = of;
  const plural = pluralOf(of);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}

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

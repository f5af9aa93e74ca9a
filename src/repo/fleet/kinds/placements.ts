import type { Placement } from '../../../api/placement.ts';
import { suspendedAnnotation } from '../../../engine/pause/placement-pause.ts';
import type { Names, Reference } from '../names.ts';
import type { FleetRows } from './row.ts';

const placement = {
  in: 'placements',
  annotations: { [suspendedAnnotation]: undefined },
  references: ({ metadata: { namespace }, spec }: Placement, names: Names): Reference[] => [
    ...clusters(spec.policy.clusterNames ?? [], names),
    ...spec.resourceSelectors.flatMap(({ group, kind, name }, at) =>
      name === undefined
        ? []
        : [{ ...names.resource({ group, kind, name }, namespace), path: `spec.resourceSelectors.${at}.name` }],
    ),
  ],
} as const;

export const placementRows: FleetRows<Placement> = {
  ClusterResourcePlacement: placement,
  ResourcePlacement: placement,
};

/** The clusters of PickFixed. Without any of them the placement is removed wherever it was. */
function clusters(listed: readonly string[], names: Names): Reference[] {
  const named = listed.map((name) => names.cluster(name));
  const isEmpty = named.every(({ name, among }) => !among.has(name));
  const without = isEmpty
    ? 'nor any other that the placement names: it runs on no cluster, and is removed from those it was on'
    : 'so the placement does not run there';
  return named.map((cluster, at) => ({ ...cluster, path: `spec.policy.clusterNames.${at}`, without }));
}

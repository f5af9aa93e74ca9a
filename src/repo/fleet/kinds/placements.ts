import type { Placement } from '../../../api/placement.ts';
import { suspendedAnnotation } from '../../../engine/pause/placement-pause.ts';
import type { Names, Reference } from '../names.ts';
import type { FleetRows } from './row.ts';

const placement = {
  in: 'placements',
  annotations: { [suspendedAnnotation]: undefined },
  references: ({ metadata: { namespace }, spec }: Placement, names: Names): Reference[] => [
    ...(spec.policy.clusterNames ?? []).map((name, at) => ({
      ...names.cluster(name),
      path: `spec.policy.clusterNames.${at}`,
    })),
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

import { z } from 'zod';
import { disruptionVersions } from './disruption-budget.ts';
import { clusterName, condition, objectMeta, placementName } from './meta.ts';

export const eviction = z.strictObject({
  apiVersion: disruptionVersions,
  kind: z.literal('ClusterResourcePlacementEviction'),
  metadata: objectMeta,
  spec: z.strictObject({
    placementName: placementName(z.string().max(255)),
    clusterName: clusterName(z.string().max(255)),
  }),
  status: z.looseObject({ conditions: z.array(condition).optional() }).optional(),
});
export type Eviction = z.output<typeof eviction>;

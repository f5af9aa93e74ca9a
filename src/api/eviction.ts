import { z } from 'zod';
import { clusterName, condition, objectMeta, placementName } from './meta.ts';

/** Of the kinds that came with evictions. */
export const evictionVersions = z.enum([
  'placement.kubernetes-fleet.io/v1',
  'placement.kubernetes-fleet.io/v1beta1',
  'placement.kubernetes-fleet.io/v1alpha1',
]);

export const eviction = z.strictObject({
  apiVersion: evictionVersions,
  kind: z.literal('ClusterResourcePlacementEviction'),
  metadata: objectMeta,
  spec: z.strictObject({
    placementName: placementName(z.string().max(255)),
    clusterName: clusterName(z.string().max(255)),
  }),
  status: z.looseObject({ conditions: z.array(condition).optional() }).optional(),
});
export type Eviction = z.output<typeof eviction>;

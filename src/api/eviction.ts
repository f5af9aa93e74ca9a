import { z } from 'zod';
import { clusterName, condition, intOrPercent, objectMeta, placementName } from './meta.ts';

const versions = z.enum([
  'placement.kubernetes-fleet.io/v1',
  'placement.kubernetes-fleet.io/v1beta1',
  'placement.kubernetes-fleet.io/v1alpha1',
]);

export const eviction = z.strictObject({
  apiVersion: versions,
  kind: z.literal('ClusterResourcePlacementEviction'),
  metadata: objectMeta,
  spec: z.strictObject({
    placementName: placementName(z.string().max(255)),
    clusterName: clusterName(z.string().max(255)),
  }),
  status: z.looseObject({ conditions: z.array(condition).optional() }).optional(),
});
export type Eviction = z.output<typeof eviction>;

export const disruptionBudget = z.strictObject({
  apiVersion: versions,
  kind: z.literal('ClusterResourcePlacementDisruptionBudget'),
  metadata: objectMeta,
  spec: z.strictObject({ maxUnavailable: intOrPercent.optional(), minAvailable: intOrPercent.optional() }),
});
export type DisruptionBudget = z.output<typeof disruptionBudget>;

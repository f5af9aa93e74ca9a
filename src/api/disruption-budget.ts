import { z } from 'zod';
import { intOrPercent, objectMeta } from './meta.ts';

/** Common to the kinds for requested disruptions. */
export const disruptionVersions = z.enum([
  'placement.kubernetes-fleet.io/v1',
  'placement.kubernetes-fleet.io/v1beta1',
  'placement.kubernetes-fleet.io/v1alpha1',
]);

export const disruptionBudget = z.strictObject({
  apiVersion: disruptionVersions,
  kind: z.literal('ClusterResourcePlacementDisruptionBudget'),
  metadata: objectMeta,
  spec: z.strictObject({ maxUnavailable: intOrPercent.optional(), minAvailable: intOrPercent.optional() }),
});
export type DisruptionBudget = z.output<typeof disruptionBudget>;

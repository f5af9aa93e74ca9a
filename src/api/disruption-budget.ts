import { z } from 'zod';
import { evictionVersions } from './eviction.ts';
import { intOrPercent, objectMeta } from './meta.ts';

export const disruptionBudget = z.strictObject({
  apiVersion: evictionVersions,
  kind: z.literal('ClusterResourcePlacementDisruptionBudget'),
  metadata: objectMeta,
  spec: z.strictObject({ maxUnavailable: intOrPercent.optional(), minAvailable: intOrPercent.optional() }),
});
export type DisruptionBudget = z.output<typeof disruptionBudget>;

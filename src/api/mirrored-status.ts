import { z } from 'zod';
import { clusterName } from './meta.ts';

const mirroredObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  status: z.unknown(),
});

/**
 * `placements/<[ns.]name>/mirrored/<cluster>.yaml` on the status branch: what one member says of a placement's objects, for
 * `reportBackStrategy: Mirror`. KubeFleet keeps the same in Work.status.manifestConditions, or on the hub's own object.
 */
export const mirroredStatus = z.looseObject({
  apiVersion: z.literal('gitfleet.dev/v1alpha1'),
  kind: z.literal('MirroredStatus'),
  /** Of the placement. */
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
  clusterName: clusterName(),
  /** In the order in which they are applied; objects without a status are left out. */
  objects: z.array(mirroredObject),
});
export type MirroredStatus = z.output<typeof mirroredStatus>;

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
 * `placements/<[ns.]name>/mirrored/<cluster>.yaml` on the status branch: statuses of a placement's objects on one member, for
 * `reportBackStrategy: Mirror`. KubeFleet keeps them in Work.status.manifestConditions, or on the hub's own object.
 */
export const mirroredStatus = z.looseObject({
  apiVersion: z.literal('gitfleet.dev/v1alpha1'),
  kind: z.literal('MirroredStatus'),
  /** Of the placement. */
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
  clusterName: clusterName(),
  /** In the order of apply; objects without a status are omitted. */
  objects: z.array(mirroredObject),
});
export type MirroredStatus = z.output<typeof mirroredStatus>;

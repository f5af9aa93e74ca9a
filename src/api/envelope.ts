import { z } from 'zod';
import { objectMeta } from './meta.ts';
import { wrongAndFix } from './schema-message.ts';

const enveloped = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
const data = z
  .record(z.string(), enveloped)
  .refine(
    (entries) => Object.keys(entries).length >= 1,
    wrongAndFix('an envelope holds at least one manifest', 'add one'),
  )
  .refine(
    (entries) => Object.keys(entries).length <= 50,
    wrongAndFix('an envelope holds at most 50 manifests', 'split them between two'),
  );

const version = z.literal('placement.kubernetes-fleet.io/v1beta1');

/** Carries cluster-scoped manifests that take effect on members only. */
export const clusterResourceEnvelope = z.strictObject({
  apiVersion: version,
  kind: z.literal('ClusterResourceEnvelope'),
  metadata: objectMeta,
  data,
});
export type ClusterResourceEnvelope = z.output<typeof clusterResourceEnvelope>;

/** Carries manifests of its own namespace. */
export const resourceEnvelope = z.strictObject({
  apiVersion: version,
  kind: z.literal('ResourceEnvelope'),
  metadata: objectMeta,
  data,
});
export type ResourceEnvelope = z.output<typeof resourceEnvelope>;

import { z } from 'zod';
import { labelOperatorNames } from './label-operators.ts';
import { wrongAndFix } from './schema-message.ts';

/**
 * Name of a member cluster, at most 63 characters (KubeFleet, MemberCluster CEL rule). A plain string is assignable to it; another
 * branded name is not.
 */
export type ClusterName = string & { readonly __name?: 'ClusterName' };

/** Name of a placement without its namespace, as objects of its scope use it. */
export type PlacementName = string & { readonly __name?: 'PlacementName' };

/** `name` for a ClusterResourcePlacement, `namespace.name` for a ResourcePlacement: the folder name on the status branch. */
export type PlacementKey = string & { readonly __name: 'PlacementKey' };

/** A text that is the name of a cluster. */
export const clusterName = (text: z.ZodString = z.string()): z.ZodType<ClusterName, string> => text;

/** A text that is the name of a placement. */
export const placementName = (text: z.ZodString = z.string()): z.ZodType<PlacementName, string> => text;

/** RFC 3339 text such as `2026-11-20T10:00:00Z`. */
export type Timestamp = string;

/** A {@link Timestamp} as Kubernetes reads it (metav1.Time, Go's time.RFC3339): a date of the calendar, with seconds and a zone. */
export const timestamp = z.iso.datetime({ offset: true });

/**
 * `metadata` of a Kubernetes object, with every field of metav1.ObjectMeta, since users may copy fields that a server filled in.
 * Strict, so that a misspelt `labels` or `annotations` is an error.
 */
export const objectMeta = z.strictObject({
  name: z.string().min(1),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  generation: z.number().int().optional(),
  creationTimestamp: z.string().nullish(),
  deletionTimestamp: timestamp.nullish(),
  finalizers: z.array(z.string()).optional(),
  generateName: z.unknown().optional(),
  uid: z.unknown().optional(),
  resourceVersion: z.unknown().optional(),
  selfLink: z.unknown().optional(),
  deletionGracePeriodSeconds: z.unknown().optional(),
  ownerReferences: z.unknown().optional(),
  managedFields: z.unknown().optional(),
});
export type ObjectMeta = z.output<typeof objectMeta>;

export const conditionStatus = z.enum(['True', 'False', 'Unknown']);
export type ConditionStatus = z.output<typeof conditionStatus>;

/** A metav1.Condition. `lastTransitionTime` changes only when `status` changes. */
export const condition = z.looseObject({
  type: z.string(),
  status: conditionStatus,
  reason: z.string().default(''),
  message: z.string().optional(),
  lastTransitionTime: timestamp.optional(),
  observedGeneration: z.number().int().optional(),
});
export type Condition = z.output<typeof condition>;

export const labelSelectorRequirement = z
  .strictObject({
    key: z.string(),
    operator: z.enum(labelOperatorNames),
    values: z.array(z.string()).optional(),
  })
  .overwrite(({ values, ...rest }) => (values?.length ? { ...rest, values } : rest));

/**
 * A metav1.LabelSelector. Empty selects everything; each use defines what an absent one selects. Empty lists and maps are dropped, as in
 * Go's JSON: they are equivalent to absent fields, and must not affect comparisons or hashes.
 */
export const labelSelector = z
  .strictObject({
    matchLabels: z.record(z.string(), z.string()).optional(),
    matchExpressions: z.array(labelSelectorRequirement).optional(),
  })
  .overwrite(({ matchLabels, matchExpressions }) => ({
    ...(matchLabels && Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions?.length && { matchExpressions }),
  }));
export type LabelSelector = z.output<typeof labelSelector>;

/** An int32 of Kubernetes, with the largest number that KubeFleet's fields accept. */
export const int32 = z.number().int().max(2_147_483_647);

/** An integer or a percentage such as `25%`. */
export const intOrPercent = z.union([int32, z.string()], {
  error: wrongAndFix('must be a whole number or a percentage', 'write for example 1 or 25%'),
});
export type IntOrPercent = z.output<typeof intOrPercent>;

/** Identifies one object of any kind. `namespace` is absent for cluster-scoped ones. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Any Kubernetes object exactly as in its file. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

import { z } from 'zod';
import { labelSelector, objectMeta, placementName } from './meta.ts';

export const jsonPatchOverride = z.strictObject({
  op: z.enum(['add', 'remove', 'replace']),
  path: z.string(),
  value: z.unknown().optional(),
});

export const overrideRule = z.strictObject({
  /** Absent selects no cluster; empty terms select all. */
  clusterSelector: z
    .strictObject({
      clusterSelectorTerms: z.array(z.strictObject({ labelSelector: labelSelector.optional() })).default([]),
    })
    .optional(),
  overrideType: z.enum(['JSONPatch', 'Delete']).default('JSONPatch'),
  jsonPatchOverrides: z.array(jsonPatchOverride).max(20).optional(),
});
export type OverrideRule = z.output<typeof overrideRule>;

const overridePlacementRef = z.strictObject({
  name: placementName(),
  scope: z.enum(['Cluster', 'Namespaced']).default('Cluster'),
});
const overridePolicy = z.strictObject({ overrideRules: z.array(overrideRule).min(1).max(20) });
const byName = z.strictObject({ group: z.string(), version: z.string(), kind: z.string(), name: z.string().min(1) });
/** KubeFleet uses the type of a placement's selector, so API servers write the default scope into it. It has no effect. */
const clusterScopedByName = byName.extend({ selectionScope: z.literal('NamespaceWithResources').optional() });
const versions = z.enum([
  'placement.kubernetes-fleet.io/v1',
  'placement.kubernetes-fleet.io/v1beta1',
  'placement.kubernetes-fleet.io/v1alpha1',
]);

export const clusterResourceOverride = z.strictObject({
  apiVersion: versions,
  kind: z.literal('ClusterResourceOverride'),
  metadata: objectMeta,
  spec: z.strictObject({
    placement: overridePlacementRef.optional(),
    clusterResourceSelectors: z.array(clusterScopedByName).min(1).max(20),
    policy: overridePolicy,
  }),
});
export type ClusterResourceOverride = z.output<typeof clusterResourceOverride>;

export const resourceOverride = z.strictObject({
  apiVersion: versions,
  kind: z.literal('ResourceOverride'),
  metadata: objectMeta,
  spec: z.strictObject({
    placement: overridePlacementRef.optional(),
    resourceSelectors: z.array(byName).min(1).max(20),
    policy: overridePolicy,
  }),
});
export type ResourceOverride = z.output<typeof resourceOverride>;
export type Override = ClusterResourceOverride | ResourceOverride;

/** `overrides/<[ns.]name>/<index>.yaml`: one immutable version of an override. */
export const overrideSnapshot = z.strictObject({
  apiVersion: z.literal('gitfleet.dev/v1alpha1'),
  kind: z.enum(['ClusterResourceOverrideSnapshot', 'ResourceOverrideSnapshot']),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
  index: z.number().int().min(0),
  latest: z.boolean().optional(),
  /** Hex sha-256 of the override's spec. */
  hash: z.string().optional(),
  /** Commit of the fleet repo that it was taken from. */
  commit: z.string().optional(),
  overrideSpec: z.union([clusterResourceOverride.shape.spec, resourceOverride.shape.spec]),
});
export type OverrideSnapshot = z.output<typeof overrideSnapshot>;

import { z } from 'zod';
import { clusterName, condition, timestamp } from './meta.ts';
import { applyStrategy, diffedPlacement, driftedPlacement, failedPlacement, placementPolicy } from './placement.ts';

const score = z.number().int();

/** KubeFleet's ClusterScore. Its JSON name of the spread score is `priorityScore`; ours is read too. */
const clusterScore = z
  .strictObject({
    affinityScore: score.default(0),
    topologySpreadScore: score.optional(),
    priorityScore: score.optional(),
  })
  .transform(({ affinityScore, topologySpreadScore, priorityScore }) => ({
    affinityScore,
    topologySpreadScore: topologySpreadScore ?? priorityScore ?? 0,
  }));

/** The scheduler's decision on one cluster (KubeFleet's ClusterDecision). */
export const clusterDecision = z.looseObject({
  clusterName: clusterName(),
  selected: z.boolean(),
  clusterScore: clusterScore.optional(),
  reason: z.string().default(''),
});
export type ClusterDecision = z.output<typeof clusterDecision>;

export const policySnapshotEntry = z.object({
  index: z.number().int().min(0),
  latest: z.boolean().optional(),
  /** Hex sha-256 of the defaulted policy without numberOfClusters; absent = recomputed from `policy`. */
  policyHash: z.string().optional(),
  numberOfClusters: z.number().int().min(0).optional(),
  policy: placementPolicy.prefault({}),
  observedGeneration: z.number().int().optional(),
  conditions: z.array(condition).optional(),
  /** Decisions of the last cycle that ran, selected best first, then unselected best first, then filtered by name. */
  targetClusters: z.array(clusterDecision).optional(),
  /** Digest of the inputs of the explanations of unselected clusters; absent = compute them again. */
  explained: z.string().optional(),
});
export type PolicySnapshotEntry = z.output<typeof policySnapshotEntry>;

export const resourceSnapshotEntry = z.object({
  index: z.number().int().min(0),
  latest: z.boolean().optional(),
  /** Hex sha-256 of the selected resources in order; absent = recomputed from the snapshot file. */
  hash: z.string().optional(),
  /** Number of snapshots of at most 800 KiB into which a hub would split this one; absent = 1. */
  numberOfResourceSnapshots: z.number().int().min(1).optional(),
  /** Envelopes among the selected resources; absent = none. */
  numberOfEnvelopedObjects: z.number().int().min(0).optional(),
  commit: z.string().optional(),
  createdAt: z.string().optional(),
  /** Names of the override snapshots last used with this index (docs/compatibility.md). */
  overrides: z.array(z.string()).optional(),
});
export type ResourceSnapshotEntry = z.output<typeof resourceSnapshotEntry>;

export const bindingState = z.enum(['Scheduled', 'Bound', 'Unscheduled']);
export type BindingState = z.output<typeof bindingState>;

/** KubeFleet's ClusterResourceBinding, names shortened (docs/status-branch.md). */
export const bindingEntry = z.object({
  targetCluster: clusterName(),
  state: bindingState,
  /** State of an Unscheduled binding before; absent if it was never Bound. */
  previousState: z.enum(['Scheduled', 'Bound']).optional(),
  /** Replaces a deletionTimestamp: its objects are being removed. */
  deleting: z.boolean().optional(),
  /** When the removal was decided. Only set if the cluster showed no objects then, so that a later observation must confirm it. */
  deletionTimestamp: timestamp.optional(),
  policySnapshotIndex: z.number().int().min(0).optional(),
  /** Index that the cluster should run; absent until a rollout or an update run sets it. */
  resourceSnapshotIndex: z.number().int().min(0).optional(),
  /** Index that was last applied completely. Only set while the assigned one is not; for reports, nothing is decided by it. */
  appliedResourceSnapshotIndex: z.number().int().min(0).optional(),
  /**
   * When other overrides were assigned for the same index. Only set if the last observation, which has no digest, is older: later ones
   * are about the new overrides.
   */
  assignedAt: timestamp.optional(),
  /** Labels that its overrides are rendered with. Only set while its cluster has other labels and the rollout of those is pending. */
  clusterLabels: z.record(z.string(), z.string()).optional(),
  clusterDecision: clusterDecision.partial({ clusterName: true }).optional(),
  clusterResourceOverrideSnapshots: z.array(z.string()).optional(),
  resourceOverrideSnapshots: z.array(z.strictObject({ name: z.string(), namespace: z.string() })).optional(),
  /** Apply strategy last assigned; absent = the placement's. */
  applyStrategy: applyStrategy.optional(),
  reason: z.string().optional(),
  observedGeneration: z.number().int().optional(),
  conditions: z.array(condition).optional(),
  failedPlacements: z.array(failedPlacement).optional(),
  driftedPlacements: z.array(driftedPlacement).optional(),
  diffedPlacements: z.array(diffedPlacement).optional(),
});
export type Binding = z.output<typeof bindingEntry>;

/**
 * `placements/<[ns.]name>/state.yaml`: the recorded state of one placement. Unknown fields are ignored: a state migrated from a hub has
 * more of them, and to refuse it would lose the state.
 */
export const placementState = z.object({
  apiVersion: z.literal('gitfleet.dev/v1alpha1'),
  kind: z.literal('PlacementState'),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
  policySnapshots: z.array(policySnapshotEntry).default([]),
  resourceSnapshots: z.array(resourceSnapshotEntry).default([]),
  bindings: z.array(bindingEntry).default([]),
});
export type PlacementState = z.output<typeof placementState>;

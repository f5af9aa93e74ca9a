import { z } from 'zod';
import { approver } from './approver.ts';
import { clusterName, condition, intOrPercent, labelSelector, objectMeta, placementName } from './meta.ts';
import { applyStrategy } from './placement.ts';

const versions = z.enum(['placement.kubernetes-fleet.io/v1', 'placement.kubernetes-fleet.io/v1beta1']);

export const stageTask = z.strictObject({ type: z.enum(['TimedWait', 'Approval']), waitTime: z.string().optional() });
export type StageTask = z.output<typeof stageTask>;

export const stageConfig = z.strictObject({
  name: z.string(),
  /** Absent selects nothing; empty selects every cluster. */
  labelSelector: labelSelector.optional(),
  sortingLabelKey: z.string().optional(),
  maxConcurrency: intOrPercent.default(1),
  beforeStageTasks: z.array(stageTask).max(1).optional(),
  afterStageTasks: z.array(stageTask).max(2).optional(),
});
export type StageConfig = z.output<typeof stageConfig>;

const strategySpec = z.strictObject({ stages: z.array(stageConfig).max(31) });
export const stagedUpdateStrategy = z.strictObject({
  apiVersion: versions,
  kind: z.enum(['ClusterStagedUpdateStrategy', 'StagedUpdateStrategy']),
  metadata: objectMeta,
  spec: strategySpec,
});
export type StagedUpdateStrategy = z.output<typeof stagedUpdateStrategy>;

export const taskStatus = z.looseObject({
  type: z.enum(['TimedWait', 'Approval']),
  approvalRequestName: z.string().optional(),
  conditions: z.array(condition).optional(),
  /** Ours: who approved. Absent = not approved yet, or not known. */
  approvedBy: approver.optional(),
});
export type TaskStatus = z.output<typeof taskStatus>;

const overrideSnapshotRefs = z.array(z.strictObject({ name: z.string(), namespace: z.string() }));

export const clusterUpdatingStatus = z.looseObject({
  clusterName: clusterName(),
  resourceOverrideSnapshots: overrideSnapshotRefs.optional(),
  clusterResourceOverrideSnapshots: z.array(z.string()).optional(),
  /** Ours: what the cluster had before the run, for a rollback. Absent = nothing, or the run does not roll back. */
  previous: z
    .strictObject({
      resourceSnapshotIndex: z.number().int().min(0),
      resourceOverrideSnapshots: overrideSnapshotRefs.optional(),
      clusterResourceOverrideSnapshots: z.array(z.string()).optional(),
      applyStrategy: applyStrategy.optional(),
    })
    .optional(),
  conditions: z.array(condition).optional(),
});
export type ClusterUpdatingStatus = z.output<typeof clusterUpdatingStatus>;

export const stageStatus = z.looseObject({
  stageName: z.string(),
  clusters: z.array(clusterUpdatingStatus).default([]),
  /** Ours: clusters without the sorting label, which come last, by name. Absent = none. */
  withoutSortingLabel: z.array(z.string()).optional(),
  beforeStageTaskStatus: z.array(taskStatus).optional(),
  afterStageTaskStatus: z.array(taskStatus).optional(),
  startTime: z.string().optional(),
  endTime: z.string().optional(),
  conditions: z.array(condition).optional(),
});
export type StageStatus = z.output<typeof stageStatus>;

export const rollbackStatus = z.strictObject({
  /** Of the condition that the run ends with, and why it failed. */
  reason: z.enum(['UpdateRunFailed', 'ApprovalRejected']),
  message: z.string(),
  /** The stages that return clusters, the last one of the run first; clusters in reverse order too. */
  stagesStatus: z.array(stageStatus).default([]),
});
export type RollbackStatus = z.output<typeof rollbackStatus>;

export const updateRunStatus = z.looseObject({
  policySnapshotIndexUsed: z.string().optional(),
  policyObservedClusterCount: z.number().int().optional(),
  resourceSnapshotIndexUsed: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the index of a snapshot')
    .optional(),
  appliedStrategy: applyStrategy.optional(),
  stagedUpdateStrategySnapshot: strategySpec.optional(),
  stagesStatus: z.array(stageStatus).optional(),
  deletionStageStatus: stageStatus.optional(),
  /** Ours: its objects, overrides and placement whose files were not valid when it was initialized, with these files. Absent = none. */
  lastGoodVersions: z
    .array(
      z.strictObject({
        kind: z.string(),
        name: z.string(),
        namespace: z.string().optional(),
        file: z.string().optional(),
        /** There is no last good version: the run does not have it. */
        isLacking: z.literal(true).optional(),
      }),
    )
    .optional(),
  /**
   * Ours: of a run that brings an earlier snapshot than the latest, digest of the resources and overrides that the repo held then. Absent =
   * it is no such run, or the repo has held something else since.
   */
  returnedFrom: z.string().optional(),
  /** Ours: approvals of the run that were on main before it requested any. Absent = none. */
  earlyApprovals: z.array(z.strictObject({ name: z.string(), review: z.string() })).optional(),
  /** Ours: the return of the clusters that a failed run has reached. Absent = it has not failed, or does not roll back. */
  rollbackStatus: rollbackStatus.optional(),
  conditions: z.array(condition).optional(),
});
export type UpdateRunStatus = z.output<typeof updateRunStatus>;

export const stagedUpdateRun = z.strictObject({
  apiVersion: versions,
  kind: z.enum(['ClusterStagedUpdateRun', 'StagedUpdateRun']),
  metadata: objectMeta,
  spec: z.strictObject({
    placementName: placementName(z.string().max(255)),
    resourceSnapshotIndex: z.string().optional(),
    stagedRolloutStrategyName: z.string(),
    /** Absent = Run: committing the file is the intent (docs/compatibility.md). */
    state: z.enum(['Initialize', 'Run', 'Stop']).optional(),
  }),
  status: updateRunStatus.optional(),
});
export type StagedUpdateRun = z.output<typeof stagedUpdateRun>;

export const approvalRequest = z.strictObject({
  apiVersion: versions,
  kind: z.enum(['ClusterApprovalRequest', 'ApprovalRequest']),
  metadata: objectMeta,
  spec: z.strictObject({ parentStageRollout: z.string(), targetStage: z.string() }),
  status: z.looseObject({ conditions: z.array(condition).optional() }).optional(),
});
export type ApprovalRequest = z.output<typeof approvalRequest>;

import { z } from 'zod';
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
});
export type TaskStatus = z.output<typeof taskStatus>;

export const clusterUpdatingStatus = z.looseObject({
  clusterName: clusterName(),
  resourceOverrideSnapshots: z.array(z.strictObject({ name: z.string(), namespace: z.string() })).optional(),
  clusterResourceOverrideSnapshots: z.array(z.string()).optional(),
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
  /** Ours: approvals of the run that were on main before it requested any. Absent = none. */
  earlyApprovals: z.array(z.strictObject({ name: z.string(), review: z.string() })).optional(),
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

import type { Condition, ConditionStatus, Timestamp } from '../../api/meta.ts';
import { withCondition, withTransitionTime } from '../kernel/condition.ts';

/**
 * Every reason of a condition of a run, stage, cluster or task, with the conditions that it sets (KubeFleet
 * apis/placement/v1beta1/stageupdate_types.go). `ApprovalRejected`, `ApprovalWithdrawn`, `UpdateRunRollingBack` and the
 * reasons of `Skipped` are ours (docs/compatibility.md).
 */
const conditionsOf = {
  UpdateRunInitializedSuccessfully: [['Initialized', 'True']],
  UpdateRunInitializedFailed: [['Initialized', 'False']],
  UpdateRunProgressing: [['Progressing', 'True']],
  UpdateRunWaiting: [['Progressing', 'False']],
  UpdateRunStuck: [['Progressing', 'False']],
  UpdateRunStopping: [['Progressing', 'Unknown']],
  UpdateRunStopped: [['Progressing', 'False']],
  UpdateRunRollingBack: [['Progressing', 'True']],
  UpdateRunFailed: [
    ['Progressing', 'False'],
    ['Succeeded', 'False'],
  ],
  UpdateRunSucceeded: [
    ['Progressing', 'False'],
    ['Succeeded', 'True'],
  ],
  ApprovalRejected: [
    ['Progressing', 'False'],
    ['Succeeded', 'False'],
  ],
  StageUpdatingStarted: [['Progressing', 'True']],
  StageUpdatingWaiting: [['Progressing', 'False']],
  StageUpdatingStopping: [['Progressing', 'Unknown']],
  StageUpdatingStopped: [['Progressing', 'False']],
  StageUpdatingFailed: [
    ['Progressing', 'False'],
    ['Succeeded', 'False'],
  ],
  StageUpdatingSucceeded: [
    ['Progressing', 'False'],
    ['Succeeded', 'True'],
  ],
  StageUpdatingSkippedNoClusters: [
    ['Progressing', 'False'],
    ['Succeeded', 'True'],
  ],
  ClusterUpdatingStarted: [['Started', 'True']],
  ClusterUpdatingSucceeded: [['Succeeded', 'True']],
  ClusterUpdatingFailed: [['Succeeded', 'False']],
  ClusterLeft: [['Skipped', 'True']],
  ClusterNotSelected: [['Skipped', 'True']],
  ClusterChangedSince: [['Skipped', 'True']],
  NoEarlierSnapshot: [['Skipped', 'True']],
  StageTaskApprovalRequestCreated: [['ApprovalRequestCreated', 'True']],
  StageTaskApprovalRequestApproved: [['ApprovalRequestApproved', 'True']],
  ApprovalWithdrawn: [['ApprovalRequestApproved', 'False']],
  AfterStageTaskWaitTimeElapsed: [['WaitTimeElapsed', 'True']],
} as const satisfies Readonly<Record<string, readonly (readonly [string, ConditionStatus])[]>>;

export type StagedReason = keyof typeof conditionsOf;

/** `subject` with the conditions that `reason` sets; a condition whose status does not change keeps its transition time. */
export function withReason<T extends { readonly conditions?: Condition[] | undefined }>(
  subject: T,
  reason: StagedReason,
  message: string,
  now: Timestamp,
): T {
  let conditions = subject.conditions;
  for (const [type, status] of conditionsOf[reason]) {
    conditions = withCondition(
      conditions,
      withTransitionTime(subject.conditions, { type, status, reason, message }, now),
    );
  }
  return { ...subject, conditions };
}

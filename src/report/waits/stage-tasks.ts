import type { Timestamp } from '../../api/meta.ts';
import type { StagedUpdateRun, StageStatus, TaskStatus } from '../../api/staged.ts';
import { approvedForLater, approvedText, rejectionIn } from '../../engine/gate/approver.ts';
import { findCondition } from '../../engine/kernel/condition.ts';
import { formatDuration } from '../../engine/kernel/duration.ts';
import { formatInstant } from '../../engine/kernel/instant.ts';
import { finishedAt, soakOf } from '../../engine/staged/execute/after-stage.ts';
import { hasFinished } from '../../engine/staged/step.ts';
import { isOver } from '../../engine/update-run.ts';

/** An approval or a soak before or after a stage of a run, and its progress. */
export interface StageTaskState {
  readonly stage: string;
  readonly timing: 'before' | 'after';
  readonly type: TaskStatus['type'];
  /** A soak needs no request. */
  readonly isRequested: boolean;
  /** The run waits for it now. */
  readonly isOpen: boolean;
  /** Its progress in a few words. */
  readonly progress: string;
  /** Since when it is requested, answered or over. */
  readonly since?: string | undefined;
  /** When an approval was requested. */
  readonly asked?: string | undefined;
  /** End of a soak that has started. */
  readonly until?: Timestamp | undefined;
  /** Name of the approval request. */
  readonly approval?: string | undefined;
}

/** All tasks of a run, in order. */
export const stageTasks = ({ status }: Pick<StagedUpdateRun, 'status'>): StageTaskState[] =>
  (status?.stagesStatus ?? []).flatMap((stage, at) => {
    const config = status?.stagedUpdateStrategySnapshot?.stages[at];
    const isEnded = status !== undefined && isOver(status);
    const ended = isEnded ? findCondition(status.conditions, 'Succeeded')?.lastTransitionTime : undefined;
    return [
      ...(stage.beforeStageTaskStatus ?? []).map((task) =>
        ofApproval(task, { stage, timing: 'before', isEnded, ended }),
      ),
      ...(stage.afterStageTaskStatus ?? []).map((task, index) =>
        task.type === 'Approval'
          ? ofApproval(task, { stage, timing: 'after', isEnded, ended })
          : ofSoak(task, { stage, waitMs: soakOf(config?.afterStageTasks?.[index]), isEnded, ended }),
      ),
    ];
  });

interface TaskContext {
  readonly stage: StageStatus;
  /** What is open when its run is over stays undone. */
  readonly isEnded: boolean;
  /** When its run ended. */
  readonly ended: string | undefined;
}

function ofApproval(
  task: TaskStatus,
  { stage, timing, isEnded, ended }: TaskContext & Pick<StageTaskState, 'timing'>,
): StageTaskState {
  const asked = findCondition(task.conditions, 'ApprovalRequestCreated');
  const answer = findCondition(task.conditions, 'ApprovalRequestApproved');
  const approved = answer?.status === 'True';
  const rejection = rejectionOf(task, stage);
  const later = approved || rejection || isEnded ? undefined : approvedForLater(task.approvedBy);
  return {
    stage: stage.stageName,
    timing,
    type: 'Approval',
    isRequested: asked !== undefined || answer !== undefined,
    isOpen: asked !== undefined && !approved && !rejection && !isEnded && later === undefined,
    progress: approved
      ? (approvedText(task.approvedBy) ?? 'approved')
      : rejection
        ? rejection.text
        : (later ??
          (answer
            ? 'withdrawn'
            : isEnded
              ? 'not approved: the run is over'
              : asked
                ? 'waits for approval'
                : 'not requested yet')),
    since:
      later !== undefined
        ? undefined
        : (rejection?.at ?? answer?.lastTransitionTime ?? ended ?? asked?.lastTransitionTime),
    asked: asked?.lastTransitionTime,
    approval: task.approvalRequestName,
  };
}

/** `rejected on main by Ann in commit 41ab9c0: too many errors`: the stage has failed with it, also of a run that rolls back. */
function rejectionOf(
  { approvalRequestName: name }: TaskStatus,
  { conditions }: StageStatus,
): { readonly text: string; readonly at: string } | undefined {
  const failure = findCondition(conditions, 'Succeeded');
  const text = rejectionIn(failure, name);
  const at = failure?.lastTransitionTime;
  return text === undefined || at === undefined ? undefined : { text, at };
}

function ofSoak(
  task: TaskStatus,
  { stage, waitMs, isEnded, ended }: TaskContext & { readonly waitMs: number },
): StageTaskState {
  const over = findCondition(task.conditions, 'WaitTimeElapsed');
  const finished = stage.clusters.length > 0 && stage.clusters.every(hasFinished) ? finishedAt(stage) : undefined;
  const isOpen = over === undefined && finished !== undefined && !isEnded;
  return {
    stage: stage.stageName,
    timing: 'after',
    type: 'TimedWait',
    isRequested: true,
    isOpen,
    progress: `${formatDuration(waitMs)}${over ? ', over' : isEnded ? ', not done: the run is over' : isOpen ? ', under way' : ', not started'}`,
    since: over?.lastTransitionTime ?? ended ?? (finished === undefined ? undefined : formatInstant(finished)),
    until: isOpen ? formatInstant(finished + waitMs) : undefined,
  };
}

import type { StagedUpdateRun, StageStatus, TaskStatus, UpdateRunStatus } from '../../../api/staged.ts';
import { conditionIs } from '../../kernel/condition.ts';

export type GateTiming = 'before' | 'after';

/** An approval that a stage of a run requires. */
export interface StageGate {
  readonly stageIndex: number;
  readonly stageName: string;
  readonly timing: GateTiming;
  /** Place in `beforeStageTaskStatus` or `afterStageTaskStatus`. */
  readonly taskIndex: number;
}

/** All approvals that a run requires, in the order in which it reaches them. */
export const gatesOf = (stages: readonly StageStatus[]): readonly StageGate[] =>
  stages.flatMap((stage, stageIndex) =>
    (['before', 'after'] as const).flatMap((timing) =>
      (tasksOf(stage, timing) ?? []).flatMap((task, taskIndex) =>
        task.type === 'Approval' ? [{ stageIndex, stageName: stage.stageName, timing, taskIndex }] : [],
      ),
    ),
  );

/** The task of the stage that represents a gate. */
export const taskOf = ({ stagesStatus }: UpdateRunStatus, { stageIndex, timing, taskIndex }: StageGate): TaskStatus =>
  tasksOf(stagesStatus![stageIndex]!, timing)![taskIndex]!;

/** The run has accepted an approval. */
export const isApproved = ({ conditions }: TaskStatus): boolean =>
  conditionIs(conditions, 'ApprovalRequestApproved', 'True');

/** Tasks before or after a stage, as its status lists them. */
const tasksOf = (stage: StageStatus, timing: GateTiming): StageStatus['beforeStageTaskStatus'] =>
  timing === 'before' ? stage.beforeStageTaskStatus : stage.afterStageTaskStatus;

/** The stage with another task for a gate. */
export function stageWithTask(stage: StageStatus, { timing, taskIndex }: StageGate, task: TaskStatus): StageStatus {
  const tasks = (tasksOf(stage, timing) ?? []).map((existing, at) => (at === taskIndex ? task : existing));
  return { ...stage, ...(timing === 'before' ? { beforeStageTaskStatus: tasks } : { afterStageTaskStatus: tasks }) };
}

/** `{run}-before-{stage}`, `{run}-after-{stage}`. */
export const approvalName = (run: StagedUpdateRun, stage: string, timing: GateTiming): string =>
  `${run.metadata.name}-${timing}-${stage}`;

/** The older name of an approval after a stage, still accepted in files. */
export const olderApprovalName = (run: StagedUpdateRun, stage: string): string => `${run.metadata.name}-${stage}`;

import { placementKey } from '../../../api/placement.ts';
import type { StagedUpdateRun, StageStatus } from '../../../api/staged.ts';

export type GateTiming = 'before' | 'after';

/** `{run}-before-{stage}`, `{run}-after-{stage}`. */
export const approvalName = (run: StagedUpdateRun, stage: string, timing: GateTiming): string =>
  `${run.metadata.name}-${timing}-${stage}`;

/** The older name of an after-stage approval, still accepted in files. */
export const olderApprovalName = (run: StagedUpdateRun, stage: string): string => `${run.metadata.name}-${stage}`;

/** The branch that asks for an approval: merging it is the yes. */
export const approvalBranch = (request: { readonly name: string; readonly namespace?: string | undefined }): string =>
  `gitfleet/approve/${placementKey(request)}`;

/** What a person does to say yes. */
export const howToMerge = (request: Parameters<typeof approvalBranch>[0]): string =>
  `merge branch ${approvalBranch(request)}, or its pull request`;

/** The command that merges it: in the repo itself, or in a clone of it, which fetches and pushes. */
export const mergeCommand = (branch: string, inPlace: boolean): string =>
  inPlace ? `git merge ${branch}` : `git pull && git merge origin/${branch} && git push`;

export interface Gate {
  readonly stageIndex: number;
  readonly stageName: string;
  readonly timing: GateTiming;
  /** Place in `beforeStageTaskStatus` or `afterStageTaskStatus`. */
  readonly taskIndex: number;
}

/** All approvals of a run in the order in which it meets them. */
export const gatesOf = (stages: readonly StageStatus[]): readonly Gate[] =>
  stages.flatMap((stage, stageIndex) =>
    (['before', 'after'] as const).flatMap((timing) =>
      (tasksOf(stage, timing) ?? []).flatMap((task, taskIndex) =>
        task.type === 'Approval' ? [{ stageIndex, stageName: stage.stageName, timing, taskIndex }] : [],
      ),
    ),
  );

/** Tasks before or after a stage, as its status lists them. */
export const tasksOf = (stage: StageStatus, timing: GateTiming): StageStatus['beforeStageTaskStatus'] =>
  timing === 'before' ? stage.beforeStageTaskStatus : stage.afterStageTaskStatus;

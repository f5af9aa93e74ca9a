import type { StageStatus, StageTask, TaskStatus } from '../../../api/staged.ts';
import { conditionIs, findCondition } from '../../kernel/condition.ts';
import { formatDuration, parseDuration } from '../../kernel/duration.ts';
import type { Instant } from '../../kernel/instant.ts';
import { formatInstant, parseInstant } from '../../kernel/instant.ts';
import { checkGate } from '../approval/check-gate.ts';
import { withReason } from '../run-conditions.ts';
import { hasFinished, type RunContext, type RunStep, withHold, withStage } from '../step.ts';

export type AfterStage =
  | { readonly kind: 'passed' | 'waiting'; readonly step: RunStep }
  | { readonly kind: 'rejected' | 'mismatch'; readonly step: RunStep; readonly message: string };

/** Runs the tasks after a stage in parallel: soaking does not wait for the approval, nor the approval for soaking. */
export function afterStage(before: RunStep, context: RunContext, at: number): AfterStage {
  let step = before;
  let passed = true;
  const tasks = before.status.stagesStatus![at]!.afterStageTaskStatus ?? [];
  for (const [taskIndex, task] of tasks.entries()) {
    if (task.type === 'TimedWait') {
      const soaked = soak(step, context, at, taskIndex);
      step = soaked.step;
      passed &&= soaked.passed;
      continue;
    }
    const { stageName } = before.status.stagesStatus![at]!;
    const check = checkGate(step, context, { stageIndex: at, stageName, timing: 'after', taskIndex });
    if (check.kind === 'rejected' || check.kind === 'mismatch') return check;
    step = check.step;
    passed &&= check.kind === 'open';
  }
  return { kind: passed ? 'passed' : 'waiting', step };
}

function soak(
  step: RunStep,
  context: RunContext,
  at: number,
  taskIndex: number,
): { readonly step: RunStep; readonly passed: boolean } {
  const { now } = context.input;
  const stage = step.status.stagesStatus![at]!;
  const task = stage.afterStageTaskStatus![taskIndex]!;
  if (conditionIs(task.conditions, 'WaitTimeElapsed', 'True')) return { step, passed: true };
  const config = step.status.stagedUpdateStrategySnapshot?.stages[at]?.afterStageTasks?.[taskIndex];
  const waitMs = soakOf(config);
  const finished = finishedAt(stage) ?? parseInstant(now) ?? 0;
  const until = formatInstant(finished + waitMs);
  if (finished + waitMs <= (parseInstant(now) ?? 0)) {
    const elapsed = withReason(
      task,
      'AfterStageTaskWaitTimeElapsed',
      `waited ${formatDuration(waitMs)} after the stage`,
      now,
    );
    return { step: withTask(step, at, taskIndex, elapsed), passed: true };
  }
  return {
    step: withHold(step, context, {
      reason: 'WaitingForTime',
      message: `run ${context.run.metadata.name}: stage ${stage.stageName} finished at ${formatInstant(finished)} and soaks for ${formatDuration(waitMs)}, until ${until}`,
      stage: stage.stageName,
      until,
    }),
    passed: false,
  };
}

/** Milliseconds for which one task of a stage lets it soak. */
export const soakOf = (task: StageTask | undefined): number => parseDuration(task?.waitTime ?? '') ?? 0;

/**
 * When the last cluster of the stage finished. KubeFleet counts from the stage's Progressing condition, which a stop resets;
 * a soak here counts real time (docs/compatibility.md).
 */
export function finishedAt({ clusters, conditions }: StageStatus): Instant | undefined {
  const times = clusters.filter(hasFinished).map((cluster) => {
    const done = findCondition(cluster.conditions, 'Skipped') ?? findCondition(cluster.conditions, 'Succeeded');
    return parseInstant(done?.lastTransitionTime ?? '');
  });
  const known = times.filter((time) => time !== undefined);
  if (known.length > 0 && known.length === times.length) return Math.max(...known);
  return parseInstant(findCondition(conditions, 'Progressing')?.lastTransitionTime ?? '');
}

function withTask(step: RunStep, at: number, taskIndex: number, task: TaskStatus): RunStep {
  const stage = step.status.stagesStatus![at]!;
  const tasks = (stage.afterStageTaskStatus ?? []).map((existing, index) => (index === taskIndex ? task : existing));
  return withStage(step, at, { ...stage, afterStageTaskStatus: tasks });
}

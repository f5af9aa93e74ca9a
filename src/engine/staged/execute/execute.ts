import type { ClusterName } from '../../../api/meta.ts';
import type { StageStatus } from '../../../api/staged.ts';
import { passGate, withdraw } from '../approval/pass-gate.ts';
import { endInstruction } from '../end-instruction.ts';
import { type StagedReason, withReason } from '../run-conditions.ts';
import {
  deleteStageName,
  hasFinished,
  hasStarted,
  isInFlight,
  type RunContext,
  type RunStep,
  withHold,
  withStage,
  withWake,
} from '../step.ts';
import { afterStage } from './after-stage.ts';
import { concurrencyOf, currentStage } from './current-stage.ts';
import { executeDeleteStage } from './delete-stage.ts';
import type { StageOutcome } from './stage-outcome.ts';
import { walkClusters } from './walk-clusters.ts';

/**
 * Advances a run with state Run as far as it can go now, through as many stages as pass (KubeFleet updaterun/execution.go).
 * Conditions are set once, at the end, so that a run that stays where it is keeps its times.
 */
export function execute(begun: RunStep, context: RunContext): RunStep {
  let step = withdraw(begun, context);
  for (;;) {
    const current = currentStage(step.status);
    const outcome: StageOutcome =
      current.kind === 'broken'
        ? { step, run: { reason: 'UpdateRunFailed', message: current.message } }
        : current.kind === 'delete'
          ? (pausedDeleteStage(step, context) ?? executeDeleteStage(step, context))
          : executeStage(step, context, current.index);
    step = outcome.step;
    if (outcome.run) {
      const { reason, message } = outcome.run;
      return { ...step, status: withReason(step.status, reason, message, context.input.now) };
    }
  }
}

function executeStage(begun: RunStep, context: RunContext, at: number): StageOutcome {
  const stage = stageOf(begun, at);
  const name = stage.stageName;
  if (stage.clusters.length === 0) {
    const message = `stage ${name} has no clusters and was skipped`;
    return { step: marked(begun, context, at, 'StageUpdatingSkippedNoClusters', message) };
  }
  let step = begun;
  if (stage.beforeStageTaskStatus?.length && !stage.clusters.some(hasStarted) && !stage.clusters.every(hasFinished)) {
    const passage = passGate(step, context, { stageIndex: at, stageName: name, timing: 'before', taskIndex: 0 });
    if (passage.kind === 'rejected') return rejected(passage.step, context, at, passage.message);
    if (passage.kind === 'broken') return failed(passage.step, context, at, passage.message);
    step = passage.step;
    if (passage.kind === 'closed') return waiting(step, context, at, `stage ${name} waits for its approval to start`);
  }
  const { pause } = context.input;
  const isPaused = pause.kind === 'paused';
  const walk = walkClusters(step, context, at, isPaused ? 0 : concurrencyOf(step.status, at));
  step = walk.step;
  if (walk.abort !== undefined) return failed(step, context, at, walk.abort);
  if (!stageOf(step, at).clusters.every(hasFinished))
    return isPaused
      ? pausedStage(step, context, at, walk.stuck)
      : updating(pause.pausesAt ? withWake(step, pause.pausesAt) : step, context, at, walk.stuck);

  const after = afterStage(step, context, at);
  switch (after.kind) {
    case 'rejected':
      return rejected(after.step, context, at, after.message);
    case 'broken':
      return failed(after.step, context, at, after.message);
    case 'waiting':
      return waiting(
        withTimes(after.step, context, at),
        context,
        at,
        `all clusters of stage ${name} are done; its after-stage tasks are not`,
      );
    case 'passed': {
      const done = marked(
        withTimes(after.step, context, at),
        context,
        at,
        'StageUpdatingSucceeded',
        `stage ${name} succeeded`,
      );
      return { step: withStage(done, at, { ...stageOf(done, at), endTime: context.input.now }) };
    }
  }
}

/** What is in flight is followed to its end; the others wait for the end of the pause. */
function pausedStage(begun: RunStep, context: RunContext, at: number, stuck: readonly ClusterName[]): StageOutcome {
  const { stageName, clusters } = stageOf(begun, at);
  const step = clusters.some((cluster) => !hasStarted(cluster) && !hasFinished(cluster))
    ? withPause(begun, context, stageName)
    : begun;
  return clusters.some(isInFlight)
    ? updating(step, context, at, stuck)
    : waiting(withTimes(step, context, at), context, at, `stage ${stageName} waits for the end of a freeze`);
}

/** Undefined = not paused, or its removals have begun, or there is nothing to remove. */
function pausedDeleteStage(step: RunStep, context: RunContext): StageOutcome | undefined {
  const clusters = step.status.deletionStageStatus?.clusters ?? [];
  if (context.input.pause.kind !== 'paused' || clusters.length === 0 || clusters.some(hasStarted)) return undefined;
  return {
    step: withPause(step, context, deleteStageName),
    run: { reason: 'UpdateRunWaiting', message: 'the delete stage waits for the end of a freeze' },
  };
}

function withPause(step: RunStep, context: RunContext, stage: string): RunStep {
  const { pause } = context.input;
  if (pause.kind !== 'paused') return step;
  const message = `run ${context.run.metadata.name} goes on with stage ${stage} once ${pause.words}`;
  return withHold(step, context, { reason: pause.cause ?? 'Freeze', message, stage, until: pause.until });
}

function updating(begun: RunStep, context: RunContext, at: number, stuck: readonly ClusterName[]): StageOutcome {
  const { stageName, clusters } = stageOf(begun, at);
  const inFlight = clusters.filter(isInFlight).map(({ clusterName }) => clusterName);
  const kept = clusters.filter((cluster) => !hasStarted(cluster) && !hasFinished(cluster));
  let step = withTimes(begun, context, at);
  step = marked(step, context, at, 'StageUpdatingStarted', `clusters of stage ${stageName} are being updated`);
  if (kept.length > 0 && inFlight.length > 0 && context.input.pause.kind !== 'paused')
    step = withHold(step, context, {
      reason: 'RolloutBudget',
      message: `stage ${stageName} updates ${concurrencyOf(step.status, at)} at a time: ${inFlight.join(', ')} now, ${kept
        .map(({ clusterName }) => clusterName)
        .join(', ')} next`,
      stage: stageName,
    });
  const later = laterStage(step, at);
  if (later !== undefined)
    step = withHold(step, context, {
      reason: 'StageOrder',
      message: `stage ${later} starts once stage ${stageName} has succeeded`,
      stage: later,
    });
  return {
    step,
    run:
      stuck.length > 0
        ? { reason: 'UpdateRunStuck', message: stuckMessage(stageName, stuck, context) }
        : { reason: 'UpdateRunProgressing', message: `the update run is updating stage ${stageName}` },
  };
}

/** The next stage that has something to do. */
const laterStage = ({ status: { stagesStatus = [], deletionStageStatus } }: RunStep, at: number): string | undefined =>
  [...stagesStatus.slice(at + 1), ...(deletionStageStatus ? [deletionStageStatus] : [])].find(
    ({ clusters }) => !clusters.every(hasFinished),
  )?.stageName;

/** Up to three names, as KubeFleet prints them, and the way out that stopping is not: what is in flight must become available then too. */
export const stuckMessage = (stage: string, stuck: readonly ClusterName[], context: RunContext): string =>
  `the update run is stuck waiting for ${stuck.length} cluster(s) in stage ${stage} to become available: ${stuck
    .slice(0, 3)
    .join(', ')}${stuck.length > 3 ? '...' : ''}; if they cannot, ${endInstruction(context)}`;

const waiting = (step: RunStep, context: RunContext, at: number, message: string): StageOutcome => ({
  step: marked(step, context, at, 'StageUpdatingWaiting', message),
  run: { reason: 'UpdateRunWaiting', message },
});

const failed = (step: RunStep, context: RunContext, at: number, message: string): StageOutcome => ({
  step: marked(step, context, at, 'StageUpdatingFailed', message),
  run: { reason: 'UpdateRunFailed', message },
});

const rejected = (step: RunStep, context: RunContext, at: number, message: string): StageOutcome => ({
  step: marked(step, context, at, 'ApprovalRejected', message),
  run: { reason: 'ApprovalRejected', message },
});

const marked = (step: RunStep, { input }: RunContext, at: number, reason: StagedReason, message: string): RunStep =>
  withStage(step, at, withReason(stageOf(step, at), reason, message, input.now));

/** startTime is set once, with the first cluster. */
function withTimes(step: RunStep, { input }: RunContext, at: number): RunStep {
  const stage = stageOf(step, at);
  if (stage.startTime !== undefined || !stage.clusters.some(hasStarted)) return step;
  return withStage(step, at, { ...stage, startTime: input.now });
}

const stageOf = (step: RunStep, at: number): StageStatus => step.status.stagesStatus![at]!;

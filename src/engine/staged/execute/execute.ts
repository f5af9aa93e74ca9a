import type { ClusterName } from '../../../api/meta.ts';
import type { StageStatus } from '../../../api/staged.ts';
import { heldByPause } from '../../pause/pause.ts';
import { checkGate, withdraw } from '../approval/check-gate.ts';
import { endInstruction } from '../end-instruction.ts';
import { type StagedReason, withReason } from '../run-conditions.ts';
import {
  allStages,
  deleteStageName,
  hasFinished,
  hasStarted,
  isInFlight,
  isPending,
  type RunContext,
  type RunStep,
  withHold,
  withStage,
  withWake,
} from '../step.ts';
import { afterStage } from './after-stage.ts';
import { concurrencyOf, currentStage } from './current-stage.ts';
import { executeDeleteStage } from './delete-stage.ts';
import { failRun } from './roll-back.ts';
import type { StageOutcome } from './stage-outcome.ts';
import { updateClusters } from './update-clusters.ts';

/**
 * Advances a run with state Run as far as it can go now, through as many stages as pass (KubeFleet updaterun/execution.go).
 * Conditions are set once, at the end, so that a run without progress keeps its transition times.
 */
export function execute(before: RunStep, context: RunContext): RunStep {
  let step = withdraw(before, context);
  for (;;) {
    const current = currentStage(step.status);
    const outcome: StageOutcome =
      current.kind === 'inconsistent'
        ? { step, run: { reason: 'UpdateRunFailed', message: current.message } }
        : current.kind === 'delete'
          ? (pausedDeleteStage(step, context) ?? executeDeleteStage(step, context))
          : executeStage(step, context, current.index);
    step = outcome.step;
    if (outcome.run) {
      const { reason, message } = outcome.run;
      if ((reason === 'UpdateRunFailed' || reason === 'ApprovalRejected') && current.kind !== 'inconsistent')
        return failRun(step, context, { reason, message });
      return { ...step, status: withReason(step.status, reason, message, context.input.now) };
    }
  }
}

function executeStage(before: RunStep, context: RunContext, at: number): StageOutcome {
  const stage = stageOf(before, at);
  const name = stage.stageName;
  if (stage.clusters.length === 0) {
    const message = `stage ${name} has no clusters and was skipped`;
    return { step: marked(before, context, at, 'StageUpdatingSkippedNoClusters', message) };
  }
  let step = before;
  if (stage.beforeStageTaskStatus?.length && !stage.clusters.some(hasStarted) && !stage.clusters.every(hasFinished)) {
    const gate = checkGate(step, context, { stageIndex: at, stageName: name, timing: 'before', taskIndex: 0 });
    if (gate.kind === 'rejected') return rejected(gate.step, context, at, gate.message);
    if (gate.kind === 'mismatch') return failed(gate.step, context, at, gate.message);
    step = gate.step;
    if (gate.kind === 'closed') return waiting(step, context, at, `stage ${name} is waiting for approval to start`);
  }
  const { pause } = context.input;
  const isPaused = pause.kind === 'paused';
  const update = updateClusters(step, context, at, isPaused ? 0 : concurrencyOf(step.status, at));
  step = update.step;
  if (update.abort !== undefined) return failed(step, context, at, update.abort);
  const { clusters } = stageOf(step, at);
  if (!clusters.every(hasFinished)) {
    if (isPaused) return pausedStage(step, context, at, update.stuck);
    // A pause changes nothing for clusters that are in flight already.
    const pausesAt = clusters.some(isPending) ? pause.pausesAt : undefined;
    return updating(pausesAt ? withWake(step, pausesAt) : step, context, at, update.stuck);
  }

  const after = afterStage(step, context, at);
  switch (after.kind) {
    case 'rejected':
      return rejected(after.step, context, at, after.message);
    case 'mismatch':
      return failed(after.step, context, at, after.message);
    case 'waiting':
      return waiting(
        withTimes(after.step, context, at),
        context,
        at,
        `all clusters of stage ${name} are done; its after-stage tasks are under way`,
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

/** Clusters in flight continue; the others wait for the end of the pause. */
function pausedStage(before: RunStep, context: RunContext, at: number, stuck: readonly ClusterName[]): StageOutcome {
  const { stageName, clusters } = stageOf(before, at);
  const step = clusters.some(isPending) ? withPause(before, context, stageName) : before;
  return clusters.some(isInFlight)
    ? updating(step, context, at, stuck)
    : waiting(withTimes(step, context, at), context, at, `stage ${stageName} is waiting for the pause to end`);
}

/** Undefined = not paused, or its removals have started, or there is nothing to remove. */
function pausedDeleteStage(step: RunStep, context: RunContext): StageOutcome | undefined {
  const clusters = step.status.deletionStageStatus?.clusters ?? [];
  if (context.input.pause.kind !== 'paused' || clusters.length === 0 || clusters.some(hasStarted)) return undefined;
  return {
    step: withPause(step, context, deleteStageName),
    run: { reason: 'UpdateRunWaiting', message: 'the delete stage is waiting for the pause to end' },
  };
}

function withPause(step: RunStep, context: RunContext, stage: string): RunStep {
  const { pause } = context.input;
  if (pause.kind !== 'paused') return step;
  const what = `run ${context.run.metadata.name} continues with stage ${stage}`;
  return withHold(step, context, { ...heldByPause(what, pause), stage });
}

function updating(before: RunStep, context: RunContext, at: number, stuck: readonly ClusterName[]): StageOutcome {
  const { stageName, clusters } = stageOf(before, at);
  const inFlight = clusters.filter(isInFlight).map(({ clusterName }) => clusterName);
  const waiting = clusters.filter(isPending);
  let step = withTimes(before, context, at);
  step = marked(step, context, at, 'StageUpdatingStarted', `clusters of stage ${stageName} are being updated`);
  if (waiting.length > 0 && inFlight.length > 0 && context.input.pause.kind !== 'paused')
    step = withHold(step, context, {
      reason: 'RolloutBudget',
      message: `stage ${stageName} updates ${concurrencyOf(step.status, at)} at a time: ${inFlight.join(', ')} now, ${waiting
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
const laterStage = ({ status }: RunStep, at: number): string | undefined =>
  allStages(status)
    .slice(at + 1)
    .find(({ clusters }) => !clusters.every(hasFinished))?.stageName;

/**
 * Up to three names, as KubeFleet prints them, and how to end the run. Stopping it does not help: clusters in flight must
 * become available then too.
 */
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

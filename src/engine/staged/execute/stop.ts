import { type StagedReason, withReason } from '../run-conditions.ts';
import { hasFinished, hasStarted, isInFlight, type RunContext, type RunStep, withStage } from '../step.ts';
import { currentStage } from './current-stage.ts';
import { executeDeleteStage } from './delete-stage.ts';
import { stuckMessage } from './execute.ts';
import { walkClusters } from './walk-clusters.ts';

/**
 * Follows what is in flight and starts nothing; stopped as soon as nothing is (KubeFleet updaterun/stop.go). The delete
 * stage is never begun; once begun it goes on, since its removals are already issued (docs/compatibility.md).
 */
export function stop(step: RunStep, context: RunContext): RunStep {
  const current = currentStage(step.status);
  switch (current.kind) {
    case 'broken':
      return run(step, context, 'UpdateRunFailed', current.message);
    case 'delete':
      return stopDeleteStage(step, context);
    case 'stage':
      return stopStage(step, context, current.index);
  }
}

function stopStage(begun: RunStep, context: RunContext, at: number): RunStep {
  const { step, stuck, abort } = walkClusters(begun, context, at, 0);
  const stage = step.status.stagesStatus![at]!;
  const name = stage.stageName;
  const marked = (reason: StagedReason, message: string): RunStep =>
    withStage(step, at, withReason(stage, reason, message, context.input.now));
  if (abort !== undefined) return run(marked('StageUpdatingFailed', abort), context, 'UpdateRunFailed', abort);
  const inFlight = stage.clusters.filter(isInFlight).map(({ clusterName }) => clusterName);
  if (inFlight.length === 0)
    return run(
      marked('StageUpdatingStopped', `stage ${name} is stopped`),
      context,
      'UpdateRunStopped',
      `the update run is stopped in stage ${name}`,
    );
  const stopping = marked('StageUpdatingStopping', `stage ${name} stops once ${inFlight.join(', ')} is done`);
  return stuck.length > 0
    ? run(stopping, context, 'UpdateRunStuck', stuckMessage(name, stuck, context))
    : run(stopping, context, 'UpdateRunStopping', `the update run stops once ${inFlight.join(', ')} is done`);
}

function stopDeleteStage(step: RunStep, context: RunContext): RunStep {
  const { now } = context.input;
  const stage = step.status.deletionStageStatus;
  const message = 'the update run is stopped before its delete stage';
  if (!stage?.clusters.some(hasStarted)) return run(step, context, 'UpdateRunStopped', message);
  const outcome = executeDeleteStage(step, context);
  if (outcome.run?.reason === 'UpdateRunFailed')
    return run(outcome.step, context, outcome.run.reason, outcome.run.message);
  const { clusters } = outcome.step.status.deletionStageStatus!;
  const followed = (reason: StagedReason, text: string): RunStep => ({
    ...outcome.step,
    status: { ...outcome.step.status, deletionStageStatus: withReason({ ...stage, clusters }, reason, text, now) },
  });
  if (clusters.every(hasFinished)) {
    const text = 'the delete stage is stopped, its removals are finished';
    return run(followed('StageUpdatingStopped', text), context, 'UpdateRunStopped', text);
  }
  const text = 'removals already issued are being finished';
  return run(followed('StageUpdatingStopping', text), context, 'UpdateRunStopping', text);
}

const run = (step: RunStep, { input }: RunContext, reason: StagedReason, message: string): RunStep => ({
  ...step,
  status: withReason(step.status, reason, message, input.now),
});

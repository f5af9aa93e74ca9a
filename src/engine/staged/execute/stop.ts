import { type StagedReason, withReason } from '../run-conditions.ts';
import { hasFinished, hasStarted, isInFlight, type RunContext, type RunStep, withStage } from '../step.ts';
import { currentStage } from './current-stage.ts';
import { executeDeleteStage } from './delete-stage.ts';
import { stuckMessage } from './execute.ts';
import { failRun } from './roll-back.ts';
import { updateClusters } from './update-clusters.ts';

/**
 * Follows the clusters in flight and starts none; the run is stopped as soon as none is in flight (KubeFleet
 * updaterun/stop.go). A delete stage that has not started is not started; one that has continues, since its removals are
 * already issued (docs/compatibility.md).
 */
export function stop(step: RunStep, context: RunContext): RunStep {
  const current = currentStage(step.status);
  switch (current.kind) {
    case 'inconsistent':
      return withRunReason(step, context, 'UpdateRunFailed', current.message);
    case 'delete':
      return stopDeleteStage(step, context);
    case 'stage':
      return stopStage(step, context, current.index);
  }
}

function stopStage(before: RunStep, context: RunContext, at: number): RunStep {
  const { step, stuck, abort } = updateClusters(before, context, at, 0);
  const stage = step.status.stagesStatus![at]!;
  const name = stage.stageName;
  const marked = (reason: StagedReason, message: string): RunStep =>
    withStage(step, at, withReason(stage, reason, message, context.input.now));
  if (abort !== undefined)
    return failRun(marked('StageUpdatingFailed', abort), context, { reason: 'UpdateRunFailed', message: abort });
  const inFlight = stage.clusters.filter(isInFlight).map(({ clusterName }) => clusterName);
  if (inFlight.length === 0)
    return withRunReason(
      marked('StageUpdatingStopped', `stage ${name} is stopped`),
      context,
      'UpdateRunStopped',
      `the update run is stopped in stage ${name}`,
    );
  const stopping = marked('StageUpdatingStopping', `stage ${name} stops once ${inFlight.join(', ')} is done`);
  return stuck.length > 0
    ? withRunReason(stopping, context, 'UpdateRunStuck', stuckMessage(name, stuck, context))
    : withRunReason(stopping, context, 'UpdateRunStopping', `the update run stops once ${inFlight.join(', ')} is done`);
}

function stopDeleteStage(step: RunStep, context: RunContext): RunStep {
  const { now } = context.input;
  const stage = step.status.deletionStageStatus;
  const message = 'the update run is stopped before its delete stage';
  if (!stage?.clusters.some(hasStarted)) return withRunReason(step, context, 'UpdateRunStopped', message);
  const outcome = executeDeleteStage(step, context);
  if (outcome.run?.reason === 'UpdateRunFailed')
    return withRunReason(outcome.step, context, outcome.run.reason, outcome.run.message);
  const { clusters } = outcome.step.status.deletionStageStatus!;
  const followed = (reason: StagedReason, text: string): RunStep => ({
    ...outcome.step,
    status: { ...outcome.step.status, deletionStageStatus: withReason({ ...stage, clusters }, reason, text, now) },
  });
  if (clusters.every(hasFinished)) {
    const text = 'the delete stage is stopped; its removals are done';
    return withRunReason(followed('StageUpdatingStopped', text), context, 'UpdateRunStopped', text);
  }
  const text = 'removals that have started are finishing';
  return withRunReason(followed('StageUpdatingStopping', text), context, 'UpdateRunStopping', text);
}

const withRunReason = (step: RunStep, { input }: RunContext, reason: StagedReason, message: string): RunStep => ({
  ...step,
  status: withReason(step.status, reason, message, input.now),
});

import type { ClusterUpdatingStatus, RollbackStatus, StageStatus, UpdateRunStatus } from '../../../api/staged.ts';
import { heldByPause } from '../../pause/pause.ts';
import { endInstruction } from '../end-instruction.ts';
import { rollsBack } from '../failure-policy.ts';
import { presentClusters } from '../left-clusters.ts';
import { type StagedReason, withReason } from '../run-conditions.ts';
import {
  hasFailed,
  hasFinished,
  hasStarted,
  isInFlight,
  isPending,
  type RunContext,
  type RunStep,
  rollbackStages,
  withHold,
  withWake,
} from '../step.ts';
import { type StageContext, withClusterSteps } from './cluster-step.ts';
import { concurrencyOf, hasSucceeded } from './current-stage.ts';
import { desiredBy, previousOf } from './desired-binding.ts';
import { checkClusters, startClusters, stuckOf } from './move-clusters.ts';

/** How a run fails: the reason of its last condition, and why. */
export type Failure = Pick<RollbackStatus, 'reason' | 'message'>;

/**
 * Ends a run that failed, or records that it rolls back first: with `gitfleet.dev/on-failure: rollback` the clusters that it has
 * reached return to the snapshot that they had, also after a restart.
 */
export function failRun(step: RunStep, context: RunContext, failure: Failure): RunStep {
  const stagesStatus = rollsBack(context.run) ? stagesToReturn(step.status) : [];
  if (stagesStatus.length === 0) return ended(step, context, failure);
  return { ...step, status: { ...step.status, rollbackStatus: { ...failure, stagesStatus } } };
}

/** Reached clusters of each stage, the last stage and its last cluster first. One that left has nothing to return to. */
export const stagesToReturn = ({ stagesStatus = [] }: UpdateRunStatus): StageStatus[] =>
  stagesStatus.toReversed().flatMap(({ stageName, clusters }) => {
    const reached = clusters.filter((cluster) => hasStarted(cluster) && !isSkipped(cluster)).toReversed();
    return reached.length === 0
      ? []
      : [{ stageName, clusters: reached.map(({ clusterName }) => ({ clusterName })) } satisfies StageStatus];
  });

const isSkipped = ({ conditions = [] }: ClusterUpdatingStatus): boolean =>
  conditions.some(({ type, status }) => type === 'Skipped' && status === 'True');

/**
 * Continues a rollback: stage by stage in its order, with the concurrency that the stage has, without gates and soaks. A pause
 * holds it like any other start. A cluster that does not become available by the deadline stays behind; the others continue.
 */
export function rollBack(before: RunStep, context: RunContext, { mayStart }: { readonly mayStart: boolean }): RunStep {
  let step = before;
  for (const [at, stage] of rollbackStages(before.status).entries()) {
    if (hasSucceeded(stage)) continue;
    const moved = returnClusters(step, context, at, mayStart);
    step = moved.step;
    const { clusters } = rollbackStages(step.status)[at]!;
    if (!clusters.every(hasFinished)) return underWay(step, context, at, { mayStart, stuck: moved.stuck });
    const done = marked(step, context, at, 'StageUpdatingSucceeded', `stage ${stage.stageName} is rolled back`);
    step = withRollbackStage(done, at, { ...rollbackStages(done.status)[at]!, endTime: context.input.now });
  }
  const { reason, message } = step.status.rollbackStatus!;
  return ended(step, context, { reason, message: `${message}; ${resultOf(step.status)}` });
}

function returnClusters(
  before: RunStep,
  context: RunContext,
  at: number,
  mayStart: boolean,
): { readonly step: RunStep; readonly stuck: readonly string[] } {
  const { input } = context;
  const present = presentClusters(input.clusters);
  const stage = rollbackStages(before.status)[at]!;
  const reached = new Map(
    (before.status.stagesStatus ?? []).flatMap(({ clusters }) => clusters.map((it) => [it.clusterName, it])),
  );
  const stageContext: StageContext = {
    before,
    context,
    stage: stage.stageName,
    direction: 'back',
    desired: ({ clusterName }) => previousOf(reached.get(clusterName) ?? { clusterName }),
    given: ({ clusterName }) => desiredBy(before, reached.get(clusterName) ?? { clusterName }),
  };
  const clusters = stage.clusters.map((cluster) =>
    hasFinished(cluster) || present.has(cluster.clusterName)
      ? cluster
      : withReason(cluster, 'ClusterLeft', `cluster ${cluster.clusterName} left the fleet`, input.now),
  );
  const followed = checkClusters(clusters, stageContext);
  const forward = (before.status.stagesStatus ?? []).findIndex(({ stageName }) => stageName === stage.stageName);
  const most = !mayStart || input.pause.kind === 'paused' ? 0 : concurrencyOf(before.status, forward);
  const steps = startClusters(followed, most, stageContext);
  const after = withClusterSteps(before, steps);
  return {
    step: withRollbackStage(after, at, { ...stage, clusters: steps.map(({ cluster }) => cluster) }),
    stuck: stuckOf(followed),
  };
}

function underWay(
  before: RunStep,
  context: RunContext,
  at: number,
  { mayStart, stuck }: { readonly mayStart: boolean; readonly stuck: readonly string[] },
): RunStep {
  const { stageName, clusters } = rollbackStages(before.status)[at]!;
  const { pause } = context.input;
  const inFlight = clusters.filter(isInFlight).map(({ clusterName }) => clusterName);
  const isWaiting = clusters.some(isPending);
  const message = `stage ${stageName} is being rolled back`;
  let step = withStartTime(marked(before, context, at, 'StageUpdatingStarted', message), context, at);
  if (isWaiting && mayStart && pause.kind === 'paused') {
    const what = `run ${context.run.metadata.name} rolls back stage ${stageName}`;
    step = withHold(step, context, { ...heldByPause(what, pause), stage: stageName });
  }
  // A pause changes nothing for clusters that are in flight already.
  if (isWaiting && mayStart && pause.kind === 'none' && pause.pausesAt) step = withWake(step, pause.pausesAt);
  if (mayStart || inFlight.length > 0) {
    const cause = step.status.rollbackStatus!.message;
    const stuckOn = `${stuck.slice(0, 3).join(', ')}${stuck.length > 3 ? '...' : ''}`;
    const stops = mayStart ? '' : ', and stops after that';
    const way = `; if ${stuckOn} cannot become available, ${endInstruction(context)}`;
    const text = `the update run is rolling back stage ${stageName}${stops}${stuck.length === 0 ? '' : `, stuck on ${stuckOn}`}: ${cause}${stuck.length === 0 ? '' : way}`;
    return withRunReason(step, context, 'UpdateRunRollingBack', text);
  }
  return withRunReason(
    step,
    context,
    'UpdateRunStopped',
    `the update run is stopped in the rollback of stage ${stageName}`,
  );
}

/** What became of the clusters, in one clause. */
function resultOf(status: UpdateRunStatus): string {
  const clusters = rollbackStages(status).flatMap((stage) => stage.clusters);
  const back = clusters.filter((cluster) => !hasFailed(cluster) && !isSkipped(cluster)).length;
  const failed = clusters.filter(hasFailed).map(({ clusterName }) => clusterName);
  const kept = clusters.length - back - failed.length;
  return [
    `rolled back ${back} of ${clusters.length} clusters`,
    ...(kept > 0 ? [`${kept} keep what they have`] : []),
    ...(failed.length > 0
      ? [`not available after it: ${failed.slice(0, 3).join(', ')}${failed.length > 3 ? '...' : ''}`]
      : []),
  ].join(', ');
}

const ended = (step: RunStep, context: RunContext, { reason, message }: Failure): RunStep =>
  withRunReason(step, context, reason, message);

const withRunReason = (step: RunStep, { input }: RunContext, reason: StagedReason, message: string): RunStep => ({
  ...step,
  status: withReason(step.status, reason, message, input.now),
});

const marked = (step: RunStep, { input }: RunContext, at: number, reason: StagedReason, message: string): RunStep =>
  withRollbackStage(step, at, withReason(rollbackStages(step.status)[at]!, reason, message, input.now));

/** startTime is set once, with the first cluster. */
function withStartTime(step: RunStep, { input }: RunContext, at: number): RunStep {
  const stage = rollbackStages(step.status)[at]!;
  if (stage.startTime !== undefined || !stage.clusters.some(hasStarted)) return step;
  return withRollbackStage(step, at, { ...stage, startTime: input.now });
}

function withRollbackStage(step: RunStep, at: number, stage: StageStatus): RunStep {
  const rollback = step.status.rollbackStatus!;
  const stagesStatus = rollback.stagesStatus.map((existing, index) => (index === at ? stage : existing));
  return { ...step, status: { ...step.status, rollbackStatus: { ...rollback, stagesStatus } } };
}

import type { ClusterName } from '../../../api/meta.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { ClusterUpdatingStatus, StageStatus } from '../../../api/staged.ts';
import { findCondition } from '../../kernel/condition.ts';
import { formatInstant, parseInstant } from '../../kernel/instant.ts';
import { wasBound } from '../../placement/bindings.ts';
import { leavingSteps } from '../../working.ts';
import { mark } from '../marks.ts';
import {
  hasFinished,
  hasStarted,
  isInFlight,
  type RunContext,
  type RunStep,
  withHold,
  withStage,
  withWake,
} from '../step.ts';
import { assignBinding, isInSync, rolloutWithheld, wantedBy } from './assign-binding.ts';
import { progressOf } from './binding-progress.ts';
import { disruptionDenied } from './disruption-denied.ts';

/** KubeFleet's updateRunStuckThreshold, not configurable there either. */
const stuckAfterMs = 5 * 60_000;

export interface Walk {
  readonly step: RunStep;
  /** In flight for longer than the threshold, in recorded order. */
  readonly stuck: readonly ClusterName[];
  /** Ends the run. */
  readonly abort: string | undefined;
}

/**
 * Follows the clusters of a stage that are in flight, then starts new ones in recorded order while fewer than `most` are
 * (KubeFleet updaterun/execution.go, executeUpdatingStage). `most` 0 starts none. A cluster whose binding has what the run
 * wants, and is available, passes at once.
 */
export function walkClusters(begun: RunStep, context: RunContext, at: number, most: number): Walk {
  let step = begun;
  const stuck: ClusterName[] = [];
  const abort: string[] = [];
  for (const cluster of clustersOf(step, at)) {
    if (findCondition(cluster.conditions, 'Succeeded')?.status === 'False')
      abort.push(`the cluster ${cluster.clusterName} in stage ${stageOf(step, at).stageName} has failed`);
    else if (isInFlight(cluster)) step = follow(step, context, at, cluster, stuck, abort);
  }
  if (abort.length > 0) return { step, stuck, abort: abort.join('; ') };
  let taken = clustersOf(step, at).filter(isInFlight).length;
  for (const cluster of clustersOf(step, at)) {
    if (taken >= most) break;
    if (hasStarted(cluster) || hasFinished(cluster)) continue;
    step = start(step, context, at, cluster);
    if (!hasFinished(clusterOf(step, at, cluster.clusterName))) taken += 1;
  }
  return { step, stuck, abort: undefined };
}

function follow(
  step: RunStep,
  context: RunContext,
  at: number,
  cluster: ClusterUpdatingStatus,
  stuck: ClusterName[],
  abort: string[],
): RunStep {
  const { now } = context.input;
  const binding = liveBinding(step, cluster.clusterName);
  if (binding === undefined) return notSelected(step, context, at, cluster);
  const wanted = wantedBy(step, cluster);
  // Evicted in flight and picked again: the fresh binding is started like any other.
  if (binding.state === 'Scheduled') return withCluster(step, at, { ...cluster, conditions: [] });
  if (!isInSync(binding, wanted, step.work) || !wasBound(binding) || rolloutWithheld(binding)) {
    const message = `the update of cluster ${cluster.clusterName} in stage ${stageOf(step, at).stageName} was preempted: its binding no longer has what this run gave it`;
    abort.push(message);
    return withCluster(step, at, mark(cluster, 'ClusterUpdatingFailed', message, now));
  }
  const followed = checked(step, context, at, cluster, binding);
  if (hasFinished(clusterOf(followed, at, cluster.clusterName))) return followed;
  const since = parseInstant(findCondition(cluster.conditions, 'Started')?.lastTransitionTime ?? '');
  if (since === undefined) return followed;
  if (since + stuckAfterMs > (parseInstant(now) ?? 0)) return withWake(followed, formatInstant(since + stuckAfterMs));
  stuck.push(cluster.clusterName);
  return followed;
}

function start(step: RunStep, context: RunContext, at: number, cluster: ClusterUpdatingStatus): RunStep {
  const { now } = context.input;
  const { clusterName } = cluster;
  const stage = stageOf(step, at).stageName;
  const binding = liveBinding(step, clusterName);
  if (binding === undefined || (binding.state === 'Unscheduled' && !wasBound(binding)))
    return notSelected(step, context, at, cluster);
  const wanted = wantedBy(step, cluster);
  if (!isCleared(step, context, wanted))
    return withHold(step, context, {
      reason: 'SameClusterCleanup',
      message: `${clusterName} starts once what an earlier binding left there is removed`,
      stage,
      clusterName,
    });
  const denial = isInSync(binding, wanted, step.work) ? undefined : disruptionDenied(step, context, binding);
  if (denial) return withHold(step, context, { reason: 'RolloutBudget', message: denial, stage, clusterName });
  const assigned = asShown(assignBinding({ step, wanted, context }), context, clusterName);
  const started = mark(cluster, 'ClusterUpdatingStarted', `the update of cluster ${clusterName} started`, now);
  const next = withCluster(assigned, at, started);
  const checkedStep = checked(next, context, at, started, liveBinding(next, clusterName)!);
  return hasFinished(clusterOf(checkedStep, at, clusterName))
    ? checkedStep
    : withWake(checkedStep, formatInstant((parseInstant(now) ?? 0) + stuckAfterMs));
}

/** What a cluster was given it may have already, and is done then: the next plan would see that at once. */
function asShown(step: RunStep, { input }: RunContext, cluster: ClusterName): RunStep {
  const shown = input.shown?.(step.work);
  if (!shown) return step;
  const bindings = step.work.bindings.map((entry) => (entry.binding.targetCluster === cluster ? shown(entry) : entry));
  return { ...step, work: { ...step.work, bindings } };
}

/** Of earlier bindings nothing is left on the cluster, or nothing that it is not to hold again. */
const isCleared = (
  { work }: RunStep,
  { input }: RunContext,
  { index, cluster }: ReturnType<typeof wantedBy>,
): boolean =>
  leavingSteps(work.bindings)
    .filter(({ binding }) => binding.targetCluster === cluster.clusterName)
    .every(({ binding }) => input.isInherited?.(work, binding, { index, lists: cluster }) === true);

function checked(
  step: RunStep,
  context: RunContext,
  at: number,
  cluster: ClusterUpdatingStatus,
  binding: Binding,
): RunStep {
  const { now } = context.input;
  const { clusterName } = cluster;
  // External placements carry no rollingUpdate, so this is the default of unavailablePeriodSeconds.
  const seconds = step.work.placement.spec.strategy.rollingUpdate?.unavailablePeriodSeconds ?? 60;
  const progress = progressOf(binding, now, seconds * 1000);
  switch (progress.kind) {
    case 'succeeded':
      return withCluster(
        step,
        at,
        mark(cluster, 'ClusterUpdatingSucceeded', `the update of cluster ${clusterName} completed`, now),
      );
    case 'settling':
      return withHold(step, context, {
        reason: 'UnavailablePeriod',
        message: `resources on ${clusterName} cannot be tracked: taken as available at ${progress.until}`,
        stage: stageOf(step, at).stageName,
        clusterName,
        until: progress.until,
      });
    case 'updating':
      return step;
  }
}

const notSelected = (step: RunStep, { input }: RunContext, at: number, cluster: ClusterUpdatingStatus): RunStep =>
  withCluster(
    step,
    at,
    mark(
      cluster,
      'ClusterNotSelected',
      `the placement no longer selects cluster ${cluster.clusterName}: there is nothing to update`,
      input.now,
    ),
  );

/** The binding on a cluster that is not on its way out. */
export const liveBinding = ({ work }: RunStep, cluster: ClusterName): Binding | undefined =>
  work.bindings.find(({ binding }) => binding.targetCluster === cluster && !binding.deleting)?.binding;

const stageOf = (step: RunStep, at: number): StageStatus => step.status.stagesStatus![at]!;
const clustersOf = (step: RunStep, at: number): readonly ClusterUpdatingStatus[] => stageOf(step, at).clusters;
const clusterOf = (step: RunStep, at: number, name: ClusterName): ClusterUpdatingStatus =>
  clustersOf(step, at).find(({ clusterName }) => clusterName === name)!;

function withCluster(step: RunStep, at: number, cluster: ClusterUpdatingStatus): RunStep {
  const stage = stageOf(step, at);
  const clusters = stage.clusters.map((existing) =>
    existing.clusterName === cluster.clusterName ? cluster : existing,
  );
  return withStage(step, at, { ...stage, clusters });
}

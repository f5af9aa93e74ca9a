import type { ClusterName } from '../../../api/meta.ts';
import { defaultRollingUpdate } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { Allowance } from '../../budget/allowance.ts';
import { readinessOf } from '../../budget/availability.ts';
import { findCondition } from '../../kernel/condition.ts';
import { formatInstant, parseInstant } from '../../kernel/instant.ts';
import { upgradingHold } from '../../pause/upgrading-hold.ts';
import { wasBound } from '../../placement/bindings.ts';
import type { BindingStep } from '../../placement-work.ts';
import { withReason } from '../run-conditions.ts';
import {
  hasFinished,
  isInFlight,
  isPending,
  type RunContext,
  type RunStep,
  withHold,
  withStage,
  withWake,
} from '../step.ts';
import { assignBinding, type DesiredBinding, desiredBy, isInSync, rolloutWithheld } from './assign-binding.ts';
import { type ClusterStep, clusterSteps, liveBinding, type StageContext, withClusterSteps } from './cluster-step.ts';
import { denialOf, runAllowance } from './run-allowance.ts';

/** KubeFleet's updateRunStuckThreshold, not configurable there either. */
const stuckAfterMs = 5 * 60_000;

export interface ClustersUpdate {
  readonly step: RunStep;
  /** Clusters in flight for longer than the threshold, in recorded order. */
  readonly stuck: readonly ClusterName[];
  /** Why the run fails; undefined = it continues. */
  readonly abort: string | undefined;
}

/**
 * Checks the clusters of a stage that are in flight, then starts new ones in recorded order while fewer than `most` are
 * (KubeFleet updaterun/execution.go, executeUpdatingStage). `most` 0 starts none. A cluster whose binding has what the run
 * rolls out, and is available, finishes at once.
 */
export function updateClusters(before: RunStep, context: RunContext, at: number, most: number): ClustersUpdate {
  const { clusters, stageName: stage } = before.status.stagesStatus![at]!;
  const stageContext: StageContext = { before, context, stage };
  const followed = clusterSteps(clusters, before.work).map((step) => checkInFlight(step, stageContext));
  const stuck = followed.flatMap(({ isStuck, cluster }) => (isStuck ? [cluster.clusterName] : []));
  const aborts = followed.flatMap(({ abort }) => abort ?? []);
  const abort = aborts.length > 0 ? aborts.join('; ') : undefined;
  const steps = abort === undefined ? startNew(followed, most, stageContext) : followed;
  const after = withClusterSteps(before, steps);
  const stageStatus = { ...before.status.stagesStatus![at]!, clusters: steps.map(({ cluster }) => cluster) };
  return { step: withStage(after, at, stageStatus), stuck, abort };
}

interface CheckedStep extends ClusterStep {
  readonly isStuck?: boolean;
  /** Why the run fails. */
  readonly abort?: string;
}

function checkInFlight(step: ClusterStep, stageContext: StageContext): CheckedStep {
  const { before, context, stage } = stageContext;
  const { now } = context.input;
  const { cluster } = step;
  if (findCondition(cluster.conditions, 'Succeeded')?.status === 'False')
    return { ...step, abort: `the cluster ${cluster.clusterName} in stage ${stage} has failed` };
  if (!isInFlight(cluster)) return step;
  const binding = liveBinding(step);
  if (binding === undefined) return notSelected(step, stageContext);
  // Removed in flight and selected again: the new binding is started like any other.
  if (binding.state === 'Scheduled') return { ...step, cluster: { ...cluster, conditions: [] } };
  if (!isInSync(binding, desiredBy(before, cluster), before.work) || !wasBound(binding) || rolloutWithheld(binding)) {
    const abort = `the update of cluster ${cluster.clusterName} in stage ${stage} was preempted: its binding no longer matches this run`;
    return { ...step, cluster: withReason(cluster, 'ClusterUpdatingFailed', abort, now), abort };
  }
  const checked = withReadiness(step, binding, stageContext);
  if (hasFinished(checked.cluster)) return checked;
  const since = parseInstant(findCondition(cluster.conditions, 'Started')?.lastTransitionTime ?? '');
  if (since === undefined) return checked;
  return since + stuckAfterMs > (parseInstant(now) ?? 0)
    ? withWake(checked, formatInstant(since + stuckAfterMs))
    : { ...checked, isStuck: true };
}

function startNew(followed: readonly ClusterStep[], most: number, stageContext: StageContext): readonly ClusterStep[] {
  const { before, context } = stageContext;
  const observed = context.input.observed(before.work);
  let inFlight = followed.filter(({ cluster }) => isInFlight(cluster)).length;
  let allowance = runAllowance(before.work, context);
  return followed.map((step) => {
    if (inFlight >= most || !isPending(step.cluster)) return step;
    const after = start(step, { ...stageContext, allowance, observed });
    allowance = allowance.after(step.bindings, after.bindings);
    if (!hasFinished(after.cluster)) inFlight += 1;
    return after;
  });
}

interface Starting extends StageContext {
  readonly allowance: Allowance;
  /** A moved binding as its cluster was observed. A cluster that already has the run's version finishes in this plan. */
  readonly observed: (step: BindingStep) => BindingStep;
}

function start(step: ClusterStep, starting: Starting): ClusterStep {
  const { before, context, stage, allowance, observed } = starting;
  const { now } = context.input;
  const { cluster } = step;
  const { clusterName } = cluster;
  const binding = liveBinding(step);
  if (binding === undefined || (binding.state === 'Unscheduled' && !wasBound(binding)))
    return notSelected(step, starting);
  const desired = desiredBy(before, cluster);
  if (!isCleared(step, desired, starting))
    return withHold(step, context, {
      reason: 'SameClusterCleanup',
      message: `${clusterName} starts once the objects of an earlier binding are removed from it`,
      stage,
      clusterName,
    });
  const upgrading = context.input.upgrading.get(clusterName);
  if (upgrading !== undefined && !isInSync(binding, desired, before.work))
    return withHold(step, context, { ...upgradingHold(`${clusterName} starts`, upgrading), stage, clusterName });
  const denial = isInSync(binding, desired, before.work) ? undefined : denialOf(binding, allowance);
  if (denial) return withHold(step, context, { reason: 'RolloutBudget', message: denial, stage, clusterName });
  const bindings = assignBinding(step.bindings, desired, starting).map(observed);
  const started = withReason(cluster, 'ClusterUpdatingStarted', `the update of cluster ${clusterName} started`, now);
  const assigned = { ...step, cluster: started, bindings };
  const checked = withReadiness(assigned, liveBinding(assigned)!, starting);
  return hasFinished(checked.cluster)
    ? checked
    : withWake(checked, formatInstant((parseInstant(now) ?? 0) + stuckAfterMs));
}

/** Whether earlier bindings left nothing on the cluster, or nothing that it does not get again. */
const isCleared = (
  { bindings }: ClusterStep,
  { index, cluster }: DesiredBinding,
  { before: { work }, context: { input } }: StageContext,
): boolean =>
  bindings
    .filter(({ binding }) => binding.deleting)
    .every(({ binding }) => input.replacesRemaining(work, binding, { index, lists: cluster }));

function withReadiness(step: ClusterStep, binding: Binding, { context, stage }: StageContext): ClusterStep {
  const { now } = context.input;
  const { clusterName } = step.cluster;
  // External placements have no rollingUpdate of their own.
  const { unavailablePeriodSeconds } = defaultRollingUpdate;
  const readiness = readinessOf(binding, {
    now: parseInstant(now) ?? 0,
    ms: unavailablePeriodSeconds * 1000,
    isOverAtItsEnd: true,
  });
  switch (readiness.kind) {
    case 'ready': {
      const message = `the update of cluster ${clusterName} completed`;
      return { ...step, cluster: withReason(step.cluster, 'ClusterUpdatingSucceeded', message, now) };
    }
    case 'settling': {
      // In KubeFleet runs do not wait for them (docs/compatibility.md).
      const until = formatInstant(readiness.until);
      return withHold(step, context, {
        reason: 'UnavailablePeriod',
        message: `resources on ${clusterName} cannot be tracked: they count as available at ${until}`,
        stage,
        clusterName,
        until,
      });
    }
    case 'not-ready':
      return step;
  }
}

function notSelected(step: ClusterStep, { context }: StageContext): ClusterStep {
  const { clusterName } = step.cluster;
  const message = `the placement no longer selects cluster ${clusterName}: there is nothing to update`;
  return { ...step, cluster: withReason(step.cluster, 'ClusterNotSelected', message, context.input.now) };
}

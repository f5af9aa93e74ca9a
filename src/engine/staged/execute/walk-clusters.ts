import type { ClusterName } from '../../../api/meta.ts';
import { defaultRollingUpdate } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { Allowance } from '../../budget/allowance.ts';
import { readinessOf } from '../../budget/availability.ts';
import { findCondition } from '../../kernel/condition.ts';
import { formatInstant, parseInstant } from '../../kernel/instant.ts';
import { wasBound } from '../../placement/bindings.ts';
import type { BindingStep } from '../../placement-work.ts';
import { withReason } from '../run-conditions.ts';
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
import { assignBinding, isInSync, rolloutWithheld, type Wanted, wantedBy } from './assign-binding.ts';
import { denialOf, runAllowance } from './run-allowance.ts';
import { afterVisits, liveBinding, type StageContext, type Visit, visitsTo } from './visit.ts';

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
  const { clusters, stageName: stage } = begun.status.stagesStatus![at]!;
  const stageContext: StageContext = { begun, context, stage };
  const followed = visitsTo(clusters, begun.work).map((visit) => follow(visit, stageContext));
  const stuck = followed.flatMap(({ isStuck, cluster }) => (isStuck ? [cluster.clusterName] : []));
  const aborts = followed.flatMap(({ abort }) => abort ?? []);
  const abort = aborts.length > 0 ? aborts.join('; ') : undefined;
  const visits = abort === undefined ? startNew(followed, most, stageContext) : followed;
  const after = afterVisits(begun, visits);
  const stageStatus = { ...begun.status.stagesStatus![at]!, clusters: visits.map(({ cluster }) => cluster) };
  return { step: withStage(after, at, stageStatus), stuck, abort };
}

interface Followed extends Visit {
  readonly isStuck?: boolean;
  /** Why the run ends. */
  readonly abort?: string;
}

function follow(visit: Visit, stageContext: StageContext): Followed {
  const { begun, context, stage } = stageContext;
  const { now } = context.input;
  const { cluster } = visit;
  if (findCondition(cluster.conditions, 'Succeeded')?.status === 'False')
    return { ...visit, abort: `the cluster ${cluster.clusterName} in stage ${stage} has failed` };
  if (!isInFlight(cluster)) return visit;
  const binding = liveBinding(visit);
  if (binding === undefined) return notSelected(visit, stageContext);
  // Removed in flight and picked again: the fresh binding is started like any other.
  if (binding.state === 'Scheduled') return { ...visit, cluster: { ...cluster, conditions: [] } };
  if (!isInSync(binding, wantedBy(begun, cluster), begun.work) || !wasBound(binding) || rolloutWithheld(binding)) {
    const abort = `the update of cluster ${cluster.clusterName} in stage ${stage} was preempted: its binding no longer has what this run gave it`;
    return { ...visit, cluster: withReason(cluster, 'ClusterUpdatingFailed', abort, now), abort };
  }
  const seen = checked(visit, binding, stageContext);
  if (hasFinished(seen.cluster)) return seen;
  const since = parseInstant(findCondition(cluster.conditions, 'Started')?.lastTransitionTime ?? '');
  if (since === undefined) return seen;
  return since + stuckAfterMs > (parseInstant(now) ?? 0)
    ? withWake(seen, formatInstant(since + stuckAfterMs))
    : { ...seen, isStuck: true };
}

function startNew(followed: readonly Visit[], most: number, stageContext: StageContext): readonly Visit[] {
  const { begun, context } = stageContext;
  const shown = context.input.shown(begun.work);
  let taken = followed.filter(({ cluster }) => isInFlight(cluster)).length;
  let allowance = runAllowance(begun.work, context);
  return followed.map((visit) => {
    if (taken >= most || hasStarted(visit.cluster) || hasFinished(visit.cluster)) return visit;
    const after = start(visit, { ...stageContext, allowance, shown });
    allowance = allowance.after(visit.bindings, after.bindings);
    if (!hasFinished(after.cluster)) taken += 1;
    return after;
  });
}

interface Starting extends StageContext {
  readonly allowance: Allowance;
  /** What a cluster was given it may have already, and is done then: the next plan would see that at once. */
  readonly shown: (step: BindingStep) => BindingStep;
}

function start(visit: Visit, starting: Starting): Visit {
  const { begun, context, stage, allowance, shown } = starting;
  const { now } = context.input;
  const { cluster } = visit;
  const { clusterName } = cluster;
  const binding = liveBinding(visit);
  if (binding === undefined || (binding.state === 'Unscheduled' && !wasBound(binding)))
    return notSelected(visit, starting);
  const wanted = wantedBy(begun, cluster);
  if (!isCleared(visit, wanted, starting))
    return withHold(visit, context, {
      reason: 'SameClusterCleanup',
      message: `${clusterName} starts once what an earlier binding left there is removed`,
      stage,
      clusterName,
    });
  const denial = isInSync(binding, wanted, begun.work) ? undefined : denialOf(binding, allowance);
  if (denial) return withHold(visit, context, { reason: 'RolloutBudget', message: denial, stage, clusterName });
  const bindings = assignBinding(visit.bindings, wanted, starting).map(shown);
  const started = withReason(cluster, 'ClusterUpdatingStarted', `the update of cluster ${clusterName} started`, now);
  const given = { ...visit, cluster: started, bindings };
  const seen = checked(given, liveBinding(given)!, starting);
  return hasFinished(seen.cluster) ? seen : withWake(seen, formatInstant((parseInstant(now) ?? 0) + stuckAfterMs));
}

/** Of earlier bindings nothing is left on the cluster, or nothing that it is not to hold again. */
const isCleared = (
  { bindings }: Visit,
  { index, cluster }: Wanted,
  { begun: { work }, context: { input } }: StageContext,
): boolean =>
  bindings
    .filter(({ binding }) => binding.deleting)
    .every(({ binding }) => input.takesOver(work, binding, { index, lists: cluster }));

function checked(visit: Visit, binding: Binding, { context, stage }: StageContext): Visit {
  const { now } = context.input;
  const { clusterName } = visit.cluster;
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
      return { ...visit, cluster: withReason(visit.cluster, 'ClusterUpdatingSucceeded', message, now) };
    }
    case 'settling': {
      // In KubeFleet runs do not wait for them (docs/compatibility.md).
      const until = formatInstant(readiness.until);
      return withHold(visit, context, {
        reason: 'UnavailablePeriod',
        message: `resources on ${clusterName} cannot be tracked: taken as available at ${until}`,
        stage,
        clusterName,
        until,
      });
    }
    case 'not-ready':
      return visit;
  }
}

function notSelected(visit: Visit, { context }: StageContext): Visit {
  const { clusterName } = visit.cluster;
  const message = `the placement no longer selects cluster ${clusterName}: there is nothing to update`;
  return { ...visit, cluster: withReason(visit.cluster, 'ClusterNotSelected', message, context.input.now) };
}

import type { ClusterName } from '../../../api/meta.ts';
import { defaultRollingUpdate } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun } from '../../../api/staged.ts';
import { type Allowance, unlimited } from '../../budget/allowance.ts';
import { readinessOf } from '../../budget/availability.ts';
import { findCondition } from '../../kernel/condition.ts';
import { formatDuration } from '../../kernel/duration.ts';
import { formatInstant, type Instant, parseInstant } from '../../kernel/instant.ts';
import { upgradingHold } from '../../pause/upgrading-hold.ts';
import { wasBound } from '../../placement/bindings.ts';
import type { BindingStep } from '../../placement-work.ts';
import { progressDeadlineOf, rollsBack } from '../failure-policy.ts';
import { isRecorded } from '../initialize/revalidate.ts';
import { type StagedReason, withReason } from '../run-conditions.ts';
import { hasFinished, isInFlight, isPending, withHold, withWake } from '../step.ts';
import { assignBinding } from './assign-binding.ts';
import { type ClusterStep, clusterSteps, liveBinding, type StageContext } from './cluster-step.ts';
import { type DesiredBinding, isInSync, rolloutWithheld, withPrevious } from './desired-binding.ts';
import { denialOf, runAllowance } from './run-allowance.ts';

/** KubeFleet's updateRunStuckThreshold, not configurable there either. */
const stuckAfterMs = 5 * 60_000;

/** Instants at which a run looks again at a cluster that is in flight since then: it is stuck, or has failed. */
export function overdueTimes(since: Instant, run: StagedUpdateRun): Instant[] {
  const deadlineMs = progressDeadlineOf(run);
  return [since + stuckAfterMs, ...(deadlineMs === undefined ? [] : [since + deadlineMs])];
}

/** A cluster after a look at it; `isStuck`: in flight for longer than the threshold. */
export interface CheckedStep extends ClusterStep {
  readonly isStuck?: boolean;
}

/** Checks the clusters of a stage that are in flight. */
export const checkClusters = (
  clusters: readonly ClusterUpdatingStatus[],
  stageContext: StageContext,
): readonly CheckedStep[] =>
  clusterSteps(clusters, stageContext.before.work).map((step) => checkInFlight(step, stageContext));

/** Of clusters that were checked, those in flight for too long. */
export const stuckOf = (steps: readonly CheckedStep[]): readonly ClusterName[] =>
  steps.flatMap(({ isStuck, cluster }) => (isStuck ? [cluster.clusterName] : []));

function checkInFlight(step: ClusterStep, stageContext: StageContext): CheckedStep {
  const { before, stage, direction } = stageContext;
  const { cluster } = step;
  const { clusterName } = cluster;
  if (!isInFlight(cluster)) return step;
  const binding = liveBinding(step);
  if (binding === undefined) return notSelected(step, stageContext);
  const desired = stageContext.desired(cluster);
  const isOurs =
    desired !== undefined && isInSync(binding, desired, before.work) && wasBound(binding) && !rolloutWithheld(binding);
  if (direction === 'back' && (binding.state === 'Scheduled' || !isOurs)) return changedSince(step, stageContext);
  // Removed in flight and selected again: the new binding is started like any other, and has nothing to return to.
  if (binding.state === 'Scheduled') {
    const { previous: _, ...anew } = cluster;
    return { ...step, cluster: { ...anew, conditions: [] } };
  }
  if (!isOurs)
    return marked(step, stageContext, {
      reason: 'ClusterUpdatingFailed',
      message: `the update of cluster ${clusterName} in stage ${stage} was preempted: its binding no longer matches this run`,
    });
  const checked = withReadiness(step, binding, stageContext);
  if (hasFinished(checked.cluster)) return checked;
  const since = parseInstant(findCondition(cluster.conditions, 'Started')?.lastTransitionTime ?? '');
  return since === undefined ? checked : awaiting(checked, since, stageContext);
}

/** A cluster in flight: stuck after a while, and failed at its deadline unless it becomes available by time alone. */
function awaiting(step: SettlingStep, since: number, stageContext: StageContext): CheckedStep {
  const { isSettling, ...checked } = step;
  const { status } = stageContext.before;
  // What a restart has not seen yet makes no run stuck, and none progress that was.
  const wasStuck = findCondition(status.conditions ?? [], 'Progressing')?.reason === 'UpdateRunStuck';
  const stuckAt = Math.max(since + stuckAfterMs, wasStuck ? 0 : unseenUntilOf(step, stageContext));
  const isStuck = stuckAt <= (parseInstant(stageContext.context.input.now) ?? 0);
  const waiting = isStuck ? { ...checked, isStuck } : withWake(checked, formatInstant(stuckAt));
  return isSettling ? waiting : withDeadline(waiting, since, stageContext);
}

/** A cluster that is seen, and is not available, has failed at its deadline; before, it is looked at again then. */
function withDeadline(step: CheckedStep, since: number, stageContext: StageContext): CheckedStep {
  const { context, stage } = stageContext;
  const deadlineMs = progressDeadlineOf(context.run);
  if (deadlineMs === undefined) return step;
  const deadline = Math.max(since + deadlineMs, unseenUntilOf(step, stageContext));
  if (deadline > (parseInstant(context.input.now) ?? 0)) return withWake(step, formatInstant(deadline));
  const { isStuck: _, ...failed } = step;
  return marked(failed, stageContext, {
    reason: 'ClusterUpdatingFailed',
    message: `cluster ${step.cluster.clusterName} in stage ${stage} was not available within ${formatDuration(deadlineMs)}`,
  });
}

const unseenUntilOf = (step: ClusterStep, { before, context }: StageContext): Instant =>
  context.input.unseenUntil(before.work, liveBinding(step)!) ?? 0;

/** Starts clusters in their order while fewer than `most` are in flight. */
export function startClusters(
  followed: readonly ClusterStep[],
  most: number,
  stageContext: StageContext,
): readonly ClusterStep[] {
  const { before, context } = stageContext;
  const observed = context.input.observed(before.work);
  let inFlight = followed.filter(({ cluster }) => isInFlight(cluster)).length;
  // A rollback heals: clusters that count as unavailable may come after available ones.
  let allowance = stageContext.direction === 'back' ? unlimited : runAllowance(before.work, context);
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
  const { before, context, stage, direction, allowance, observed } = starting;
  const { now } = context.input;
  const { cluster } = step;
  const { clusterName } = cluster;
  const binding = liveBinding(step);
  if (binding === undefined || (binding.state === 'Unscheduled' && !wasBound(binding)))
    return notSelected(step, starting);
  const desired = starting.desired(cluster);
  if (desired === undefined || (direction === 'back' && !isRecorded(before.work, desired.index)))
    return nothingToReturnTo(step, desired, starting);
  if (direction === 'back' && !mayReturn(binding, desired, { ...starting, cluster }))
    return changedSince(step, starting);
  const start = `the ${direction === 'back' ? 'rollback' : 'update'} of ${clusterName} starts`;
  if (!isCleared(step, desired, starting))
    return withHold(step, context, {
      reason: 'SameClusterCleanup',
      message: `${start} once the objects of an earlier binding are removed from it`,
      stage,
      clusterName,
    });
  const upgrading = context.input.upgrading.get(clusterName);
  if (upgrading !== undefined && !isInSync(binding, desired, before.work))
    return withHold(step, context, { ...upgradingHold(start, upgrading), stage, clusterName });
  const denial = isInSync(binding, desired, before.work) ? undefined : denialOf(binding, allowance);
  if (denial) return withHold(step, context, { reason: 'RolloutBudget', message: denial, stage, clusterName });
  const bindings = assignBinding(step.bindings, desired, starting).map(observed);
  const remembered = direction === 'out' && rollsBack(context.run) ? withPrevious(cluster, binding) : cluster;
  const message = `the ${noun(direction)} of cluster ${clusterName} started`;
  const started = withReason(remembered, 'ClusterUpdatingStarted', message, now);
  const assigned = { ...step, cluster: started, bindings };
  const checked = withReadiness(assigned, liveBinding(assigned)!, starting);
  return hasFinished(checked.cluster) ? checked : awaiting(checked, parseInstant(now) ?? 0, starting);
}

const noun = (direction: StageContext['direction']): string => (direction === 'back' ? 'rollback' : 'update');

/** Whether earlier bindings left nothing on the cluster, or nothing that it does not get again. */
const isCleared = (
  { bindings }: ClusterStep,
  { index, cluster }: DesiredBinding,
  { before: { work }, context: { input } }: StageContext,
): boolean =>
  bindings
    .filter(({ binding }) => binding.deleting)
    .every(({ binding }) => input.replacesRemaining(work, binding, { index, lists: cluster }));

/** The binding has what the run gave it, or what it returns to. */
function mayReturn(
  binding: Binding,
  desired: DesiredBinding,
  { before, given, cluster }: StageContext & Pick<ClusterStep, 'cluster'>,
): boolean {
  const present = given?.(cluster);
  return (
    wasBound(binding) &&
    ((present !== undefined && isInSync(binding, present, before.work)) || isInSync(binding, desired, before.work))
  );
}

/** `isSettling`: it becomes available by time alone. */
type SettlingStep = ClusterStep & { readonly isSettling?: boolean };

function withReadiness(step: ClusterStep, binding: Binding, { context, stage, direction }: StageContext): SettlingStep {
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
      const message = `the ${noun(direction)} of cluster ${clusterName} completed`;
      return { ...step, cluster: withReason(step.cluster, 'ClusterUpdatingSucceeded', message, now) };
    }
    case 'settling': {
      // In KubeFleet runs do not wait for them (docs/compatibility.md).
      const until = formatInstant(readiness.until);
      const held = withHold(step, context, {
        reason: 'UnavailablePeriod',
        message: `resources on ${clusterName} cannot be tracked: they count as available at ${until}`,
        stage,
        clusterName,
        until,
      });
      return { ...held, isSettling: true };
    }
    case 'not-ready':
      return step;
  }
}

const marked = (
  step: ClusterStep,
  { context }: StageContext,
  { reason, message }: { readonly reason: StagedReason; readonly message: string },
): ClusterStep => ({ ...step, cluster: withReason(step.cluster, reason, message, context.input.now) });

const notSelected = (step: ClusterStep, stageContext: StageContext): ClusterStep =>
  marked(step, stageContext, {
    reason: 'ClusterNotSelected',
    message: `the placement no longer selects cluster ${step.cluster.clusterName}: there is nothing to update`,
  });

const changedSince = (step: ClusterStep, stageContext: StageContext): ClusterStep =>
  marked(step, stageContext, {
    reason: 'ClusterChangedSince',
    message: `cluster ${step.cluster.clusterName} no longer has what the run gave it: it keeps what it has`,
  });

const nothingToReturnTo = (
  step: ClusterStep,
  desired: DesiredBinding | undefined,
  stageContext: StageContext,
): ClusterStep =>
  marked(step, stageContext, {
    reason: 'NoEarlierSnapshot',
    message: desired
      ? `resource snapshot ${desired.index}, which cluster ${step.cluster.clusterName} had before the run, is not recorded any more: it keeps what it has`
      : `cluster ${step.cluster.clusterName} had no snapshot before the run, or on-failure: rollback was not requested yet when it started: it keeps what it has`,
  });

import type { ClusterUpdatingStatus, StageStatus } from '../../../api/staged.ts';
import type { Allowance } from '../../budget/allowance.ts';
import { type BindingStep, onItsWayOut } from '../../placement-work.ts';
import { presentClusters } from '../left-clusters.ts';
import { withReason } from '../run-conditions.ts';
import { deleteStageName, hasFinished, hasStarted, type RunContext, type RunStep, withHold } from '../step.ts';
import { denialOf, runAllowance } from './run-allowance.ts';
import type { StageOutcome } from './stage-outcome.ts';
import { afterVisits, liveBinding, type Visit, visitsTo } from './visit.ts';

/**
 * Removes the bindings that were to go when the run was initialized, all at once unless a disruption budget with scope
 * `all` keeps some back; done when none is left (KubeFleet updaterun/execution.go, executeDeleteStage). A cluster that the
 * scheduler took back meanwhile is left alone.
 */
export function executeDeleteStage(begun: RunStep, context: RunContext): StageOutcome {
  const { now } = context.input;
  const present = begun.status.deletionStageStatus ?? { stageName: deleteStageName, clusters: [] };
  const started: StageStatus = {
    ...withReason(present, 'StageUpdatingStarted', 'bindings that are no longer selected are being removed', now),
    startTime: present.startTime ?? now,
  };
  const visits: Visit[] = [];
  let allowance = runAllowance(begun.work, context);
  for (const visit of visitsTo(present.clusters, begun.work)) {
    const removal = removeFrom(visit, context, allowance);
    if ('abort' in removal) {
      const failed = withReason(present, 'StageUpdatingFailed', removal.abort, now);
      return {
        step: withDeletionStage(afterVisits(begun, visits), { ...failed, clusters: present.clusters }),
        run: { reason: 'UpdateRunFailed', message: removal.abort },
      };
    }
    allowance = allowance.after(visit.bindings, removal.bindings);
    visits.push(removal);
  }
  const step = afterVisits(begun, visits);
  const clusters = visits.map(({ cluster }) => cluster);
  if (clusters.every(hasFinished)) {
    const done = withReason({ ...present, clusters }, 'StageUpdatingSucceeded', 'the delete stage succeeded', now);
    return {
      step: withDeletionStage(step, { ...done, startTime: started.startTime, endTime: present.endTime ?? now }),
      run: { reason: 'UpdateRunSucceeded', message: 'the update run has succeeded' },
    };
  }
  return {
    step: withDeletionStage(step, { ...started, clusters }),
    run: { reason: 'UpdateRunProgressing', message: 'the update run is removing bindings that are no longer selected' },
  };
}

type Removal = Visit | { readonly abort: string };

function removeFrom(visit: Visit, context: RunContext, allowance: Allowance): Removal {
  const { now, clusters } = context.input;
  const { cluster, bindings } = visit;
  const { clusterName } = cluster;
  if (hasFinished(cluster)) return visit;
  const isPresent = presentClusters(clusters).has(clusterName);
  // Where the cluster left the fleet nothing is waited for: whoever dropped its binding, by the end of this plan it is gone.
  const isLeaving = isPresent && bindings.some(({ binding }) => binding.deleting);
  const live = liveBinding(visit);
  if (hasStarted(cluster)) {
    if (live?.state === 'Unscheduled')
      return {
        abort: `the binding on ${clusterName} was to be removed by this run but is there and not being removed`,
      };
    return isLeaving ? visit : done(visit, cluster, `the binding on ${clusterName} is gone`, now);
  }
  const began = withReason(cluster, 'ClusterUpdatingStarted', `the binding on ${clusterName} is being removed`, now);
  const removed = { ...visit, bindings: bindings.map(withoutUnscheduled) };
  if (live?.state === 'Unscheduled' && !isPresent)
    return done(removed, began, `${clusterName} left the fleet: its resources stay there, its binding goes`, now);
  if (live?.state === 'Unscheduled') {
    const denial = denialOf(live, allowance);
    if (denial === undefined) return { ...removed, cluster: began };
    return withHold(visit, context, { reason: 'RolloutBudget', message: denial, stage: deleteStageName, clusterName });
  }
  if (live === undefined && isLeaving) return { ...visit, cluster: began };
  const message = live
    ? `${clusterName} is selected again: nothing to remove`
    : `the binding on ${clusterName} is gone`;
  return done(visit, began, message, now);
}

const done = (visit: Visit, cluster: ClusterUpdatingStatus, message: string, now: string): Visit => ({
  ...visit,
  cluster: withReason(cluster, 'ClusterUpdatingSucceeded', message, now),
});

const withoutUnscheduled = (entry: BindingStep): BindingStep =>
  entry.binding.state === 'Unscheduled' && !entry.binding.deleting ? onItsWayOut(entry.binding) : entry;

const withDeletionStage = (step: RunStep, deletionStageStatus: StageStatus): RunStep => ({
  ...step,
  status: { ...step.status, deletionStageStatus },
});

import type { ClusterUpdatingStatus, StageStatus } from '../../../api/staged.ts';
import type { Allowance } from '../../budget/allowance.ts';
import { type BindingStep, markedForRemoval } from '../../placement-work.ts';
import { presentClusters } from '../left-clusters.ts';
import { withReason } from '../run-conditions.ts';
import { deleteStageName, hasFinished, hasStarted, type RunContext, type RunStep, withHold } from '../step.ts';
import { type ClusterStep, clusterSteps, liveBinding, withClusterSteps } from './cluster-step.ts';
import { denialOf, runAllowance } from './run-allowance.ts';
import type { StageOutcome } from './stage-outcome.ts';

/**
 * Removes the bindings that were Unscheduled when the run was initialized, all at once unless a disruption budget with
 * scope `all` holds some; done when none is left (KubeFleet updaterun/execution.go, executeDeleteStage). A cluster that the
 * scheduler has selected again is left alone.
 */
export function executeDeleteStage(before: RunStep, context: RunContext): StageOutcome {
  const { now } = context.input;
  const present = before.status.deletionStageStatus ?? { stageName: deleteStageName, clusters: [] };
  const started: StageStatus = {
    ...withReason(present, 'StageUpdatingStarted', 'bindings that are no longer selected are being removed', now),
    startTime: present.startTime ?? now,
  };
  const done: ClusterStep[] = [];
  let allowance = runAllowance(before.work, context);
  for (const next of clusterSteps(present.clusters, before.work)) {
    const removal = removeFrom(next, context, allowance);
    if ('abort' in removal) {
      const failed = withReason(present, 'StageUpdatingFailed', removal.abort, now);
      return {
        step: withDeletionStage(withClusterSteps(before, done), { ...failed, clusters: present.clusters }),
        run: { reason: 'UpdateRunFailed', message: removal.abort },
      };
    }
    allowance = allowance.after(next.bindings, removal.bindings);
    done.push(removal);
  }
  const step = withClusterSteps(before, done);
  const clusters = done.map(({ cluster }) => cluster);
  if (clusters.every(hasFinished)) {
    const succeeded = withReason({ ...present, clusters }, 'StageUpdatingSucceeded', 'the delete stage succeeded', now);
    return {
      step: withDeletionStage(step, { ...succeeded, startTime: started.startTime, endTime: present.endTime ?? now }),
      run: { reason: 'UpdateRunSucceeded', message: 'the update run has succeeded' },
    };
  }
  return {
    step: withDeletionStage(step, { ...started, clusters }),
    run: { reason: 'UpdateRunProgressing', message: 'the update run is removing bindings that are no longer selected' },
  };
}

type Removal = ClusterStep | { readonly abort: string };

function removeFrom(step: ClusterStep, context: RunContext, allowance: Allowance): Removal {
  const { now, clusters } = context.input;
  const { cluster, bindings } = step;
  const { clusterName } = cluster;
  if (hasFinished(cluster)) return step;
  const isPresent = presentClusters(clusters).has(clusterName);
  // The binding of a cluster that left the fleet is dropped in this plan: there is nothing to wait for.
  const isLeaving = isPresent && bindings.some(({ binding }) => binding.deleting);
  const live = liveBinding(step);
  if (hasStarted(cluster)) {
    if (live?.state === 'Unscheduled')
      return {
        abort: `the binding on ${clusterName} is not being removed although this run started its removal`,
      };
    return isLeaving ? step : succeeded(step, cluster, `the binding on ${clusterName} is removed`, now);
  }
  const started = withReason(cluster, 'ClusterUpdatingStarted', `the binding on ${clusterName} is being removed`, now);
  const removed = { ...step, bindings: bindings.map(withoutUnscheduled) };
  if (live?.state === 'Unscheduled' && !isPresent)
    return succeeded(
      removed,
      started,
      `${clusterName} left the fleet: its binding is removed, its resources stay`,
      now,
    );
  if (live?.state === 'Unscheduled') {
    const denial = denialOf(live, allowance);
    if (denial === undefined) return { ...removed, cluster: started };
    return withHold(step, context, { reason: 'RolloutBudget', message: denial, stage: deleteStageName, clusterName });
  }
  if (live === undefined && isLeaving) return { ...step, cluster: started };
  const message = live
    ? `${clusterName} is selected again: nothing to remove`
    : `the binding on ${clusterName} is removed`;
  return succeeded(step, started, message, now);
}

const succeeded = (step: ClusterStep, cluster: ClusterUpdatingStatus, message: string, now: string): ClusterStep => ({
  ...step,
  cluster: withReason(cluster, 'ClusterUpdatingSucceeded', message, now),
});

const withoutUnscheduled = (entry: BindingStep): BindingStep =>
  entry.binding.state === 'Unscheduled' && !entry.binding.deleting ? markedForRemoval(entry.binding) : entry;

const withDeletionStage = (step: RunStep, deletionStageStatus: StageStatus): RunStep => ({
  ...step,
  status: { ...step.status, deletionStageStatus },
});

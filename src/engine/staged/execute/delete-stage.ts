import type { ClusterName } from '../../../api/meta.ts';
import type { ClusterUpdatingStatus, StageStatus } from '../../../api/staged.ts';
import { onItsWayOut } from '../../working.ts';
import { presentClusters } from '../left-clusters.ts';
import { mark } from '../marks.ts';
import { deleteStageName, hasFinished, hasStarted, type RunContext, type RunStep, withHold } from '../step.ts';
import { disruptionDenied } from './disruption-denied.ts';
import type { StageOutcome } from './execute.ts';
import { liveBinding } from './walk-clusters.ts';

/**
 * Removes the bindings that were to go when the run was initialized, all at once unless a disruption budget with scope
 * `all` keeps some back; done when none is left (KubeFleet updaterun/execution.go, executeDeleteStage). A cluster that the
 * scheduler took back meanwhile is left alone.
 */
export function executeDeleteStage(begun: RunStep, context: RunContext): StageOutcome {
  const { now } = context.input;
  const present = begun.status.deletionStageStatus ?? { stageName: deleteStageName, clusters: [] };
  const started: StageStatus = {
    ...mark(present, 'StageUpdatingStarted', 'bindings that are no longer selected are being removed', now),
    startTime: present.startTime ?? now,
  };
  let step = begun;
  const clusters: ClusterUpdatingStatus[] = [];
  for (const cluster of present.clusters) {
    const followed = removeFrom(step, context, cluster);
    if ('abort' in followed) {
      const failed = mark(present, 'StageUpdatingFailed', followed.abort, now);
      return {
        step: withDeletionStage(step, { ...failed, clusters: present.clusters }),
        run: { reason: 'UpdateRunFailed', message: followed.abort },
      };
    }
    step = followed.step;
    clusters.push(followed.cluster);
  }
  if (clusters.every(hasFinished)) {
    const done = mark({ ...present, clusters }, 'StageUpdatingSucceeded', 'the delete stage succeeded', now);
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

type Removal = { readonly step: RunStep; readonly cluster: ClusterUpdatingStatus } | { readonly abort: string };

function removeFrom(step: RunStep, context: RunContext, cluster: ClusterUpdatingStatus): Removal {
  const { input } = context;
  const { clusterName } = cluster;
  if (hasFinished(cluster)) return { step, cluster };
  const live = liveBinding(step, clusterName);
  if (hasStarted(cluster)) {
    if (live?.state === 'Unscheduled')
      return {
        abort: `the binding on ${clusterName} was to be removed by this run but is there and not being removed`,
      };
    if (isLeaving(step, input, clusterName)) return { step, cluster };
    return {
      step,
      cluster: mark(cluster, 'ClusterUpdatingSucceeded', `the binding on ${clusterName} is gone`, input.now),
    };
  }
  const began = mark(cluster, 'ClusterUpdatingStarted', `the binding on ${clusterName} is being removed`, input.now);
  if (live?.state === 'Unscheduled' && !presentClusters(input.clusters).has(clusterName)) {
    const message = `${clusterName} left the fleet: its resources stay there, its binding goes`;
    return {
      step: withoutBinding(step, clusterName),
      cluster: mark(began, 'ClusterUpdatingSucceeded', message, input.now),
    };
  }
  if (live?.state === 'Unscheduled') {
    const denial = disruptionDenied(step, context, live);
    if (denial === undefined) return { step: withoutBinding(step, clusterName), cluster: began };
    const hold = { reason: 'RolloutBudget', message: denial, stage: deleteStageName, clusterName } as const;
    return { step: withHold(step, context, hold), cluster };
  }
  if (live === undefined && isLeaving(step, input, clusterName)) return { step, cluster: began };
  const message = live
    ? `${clusterName} is selected again: nothing to remove`
    : `the binding on ${clusterName} is gone`;
  return { step, cluster: mark(began, 'ClusterUpdatingSucceeded', message, input.now) };
}

/** Where the cluster left the fleet nothing is waited for: whoever dropped its binding, by the end of this plan it is gone. */
const isLeaving = ({ work }: RunStep, { clusters }: RunContext['input'], cluster: ClusterName): boolean =>
  presentClusters(clusters).has(cluster) &&
  work.bindings.some(({ binding }) => binding.targetCluster === cluster && binding.deleting);

function withoutBinding(step: RunStep, cluster: ClusterName): RunStep {
  const bindings = step.work.bindings.map((entry) =>
    entry.binding.targetCluster === cluster && entry.binding.state === 'Unscheduled' && !entry.binding.deleting
      ? onItsWayOut(entry.binding)
      : entry,
  );
  return { ...step, work: { ...step.work, bindings } };
}

const withDeletionStage = (step: RunStep, deletionStageStatus: StageStatus): RunStep => ({
  ...step,
  status: { ...step.status, deletionStageStatus },
});

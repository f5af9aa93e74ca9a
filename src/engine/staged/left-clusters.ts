import type { ClusterName } from '../../api/meta.ts';
import type { StagedUpdateRun, StageStatus } from '../../api/staged.ts';
import { conditionIs, findCondition } from '../kernel/condition.ts';
import { onceFor } from '../kernel/once-for.ts';
import { mark } from './marks.ts';
import { hasFinished, type RunContext, type RunStep, withHold } from './step.ts';

/**
 * Clusters that left the fleet before their turn, or during it, are skipped; the run goes on without them
 * (docs/compatibility.md). In the delete stage there is nothing to skip: the binding of a cluster that left goes at once.
 */
export function skipLeftClusters(step: RunStep, { run, input }: RunContext): RunStep {
  if (endsOnMembershipChange(run)) return step;
  const present = presentClusters(input.clusters);
  const skipped = (stage: StageStatus): StageStatus => {
    if (stage.clusters.every((cluster) => hasFinished(cluster) || present.has(cluster.clusterName))) return stage;
    const clusters = stage.clusters.map((cluster) =>
      hasFinished(cluster) || present.has(cluster.clusterName)
        ? cluster
        : mark(cluster, 'ClusterLeft', `cluster ${cluster.clusterName} left the fleet`, input.now),
    );
    return { ...stage, clusters };
  };
  const { stagesStatus = [] } = step.status;
  return { ...step, status: { ...step.status, stagesStatus: stagesStatus.map(skipped) } };
}

/** Clusters that are in the fleet and not on their way out of it. */
export const presentClusters = onceFor(
  (clusters: RunContext['input']['clusters']): ReadonlySet<ClusterName> =>
    new Set(clusters.filter(({ left }) => !left).map(({ name }) => name)),
);

/** On a run; `abort` is the only value that means something. */
export const membershipAnnotation = 'gitfleet.dev/on-membership-change';

/** KubeFleet's rule, where the run asks for it: any change of membership or order ends the run. */
export const endsOnMembershipChange = ({ metadata }: StagedUpdateRun): boolean =>
  metadata.annotations?.[membershipAnnotation] === 'abort';

/** Tells of clusters that a run under way skipped and of those that joined after it was initialized. */
export function membershipHolds(begun: RunStep, context: RunContext): RunStep {
  const { stagesStatus = [], deletionStageStatus } = begun.status;
  const stages = deletionStageStatus ? [...stagesStatus, deletionStageStatus] : stagesStatus;
  let step = begun;
  const known = new Set<ClusterName>();
  for (const { stageName, clusters } of stages) {
    for (const { clusterName, conditions } of clusters) {
      known.add(clusterName);
      if (!conditionIs(conditions, 'Skipped', 'True')) continue;
      if (findCondition(conditions, 'Skipped')?.reason !== 'ClusterLeft') continue;
      step = withHold(step, context, {
        reason: 'ClusterLeft',
        message: `${clusterName} left the fleet: stage ${stageName} goes on without it`,
        stage: stageName,
        clusterName,
      });
    }
  }
  for (const { binding } of begun.work.bindings) {
    const { targetCluster, state, deleting } = binding;
    if (deleting || state === 'Unscheduled' || known.has(targetCluster)) continue;
    step = withHold(step, context, {
      reason: 'NotPartOfRun',
      message: `${targetCluster} was selected after run ${context.run.metadata.name} was initialized and waits for the next run`,
      clusterName: targetCluster,
    });
  }
  return step;
}

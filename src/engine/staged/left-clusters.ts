import type { ClusterName, Condition } from '../../api/meta.ts';
import type { StagedUpdateRun, StageStatus } from '../../api/staged.ts';
import { conditionIs, findCondition } from '../kernel/condition.ts';
import { memoize } from '../kernel/memoize.ts';
import { withReason } from './run-conditions.ts';
import { allStages, hasFinished, type RunContext, type RunStep, withHolds } from './step.ts';

/**
 * Skips clusters that left the fleet before their update finished; the run continues without them (docs/compatibility.md).
 * The delete stage has nothing to skip: the binding of a cluster that left is removed at once.
 */
export function skipLeftClusters(step: RunStep, { run, input }: RunContext): RunStep {
  if (endsOnMembershipChange(run)) return step;
  const present = presentClusters(input.clusters);
  const skipped = (stage: StageStatus): StageStatus => {
    if (stage.clusters.every((cluster) => hasFinished(cluster) || present.has(cluster.clusterName))) return stage;
    const clusters = stage.clusters.map((cluster) =>
      hasFinished(cluster) || present.has(cluster.clusterName)
        ? cluster
        : withReason(cluster, 'ClusterLeft', `cluster ${cluster.clusterName} left the fleet`, input.now),
    );
    return { ...stage, clusters };
  };
  const { stagesStatus = [] } = step.status;
  return { ...step, status: { ...step.status, stagesStatus: stagesStatus.map(skipped) } };
}

/** Clusters that are in the fleet and not leaving it. */
export const presentClusters = memoize(
  (clusters: RunContext['input']['clusters']): ReadonlySet<ClusterName> =>
    new Set(clusters.filter(({ left }) => !left).map(({ name }) => name)),
);

/** An annotation of runs; `abort` is the only value with an effect. */
export const membershipAnnotation = 'gitfleet.dev/on-membership-change';

/** Whether the run opts into KubeFleet's rule: any change of membership or order fails it. */
export const endsOnMembershipChange = ({ metadata }: StagedUpdateRun): boolean =>
  metadata.annotations?.[membershipAnnotation] === 'abort';

/** Adds holds for clusters that a run skipped and for clusters that joined after it was initialized. */
export function membershipHolds(step: RunStep, context: RunContext): RunStep {
  const stages = allStages(step.status);
  const skipped = stages.flatMap(({ stageName, clusters }) =>
    clusters
      .filter(({ conditions }) => hasLeft(conditions))
      .map(({ clusterName }) => ({
        reason: 'ClusterLeft' as const,
        message: `${clusterName} left the fleet: stage ${stageName} continues without it`,
        stage: stageName,
        clusterName,
      })),
  );
  const known = new Set(stages.flatMap(({ clusters }) => clusters.map(({ clusterName }) => clusterName)));
  const joined = step.work.bindings
    .map(({ binding }) => binding)
    .filter(({ deleting, state }) => !deleting && state !== 'Unscheduled')
    .filter(({ targetCluster }) => !known.has(targetCluster))
    .map(({ targetCluster }) => ({
      reason: 'NotPartOfRun' as const,
      message: `${targetCluster} was selected after run ${context.run.metadata.name} was initialized and is waiting for the next run`,
      clusterName: targetCluster,
    }));
  return withHolds(step, context, [...skipped, ...joined]);
}

const hasLeft = (conditions: readonly Condition[] | undefined): boolean =>
  conditionIs(conditions, 'Skipped', 'True') && findCondition(conditions, 'Skipped')?.reason === 'ClusterLeft';

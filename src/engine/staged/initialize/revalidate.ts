import { canonicalJson } from '../../kernel/canonical-json.ts';
import { latestPolicy, type PlacementWork } from '../../placement-work.ts';
import { isLostSnapshot } from '../../recovery/lost-snapshot.ts';
import { isRebuilt } from '../../recovery/rebuilt-snapshot.ts';
import { endsOnMembershipChange } from '../left-clusters.ts';
import type { RunContext, RunStep } from '../step.ts';
import { arrangeStages } from './arrange-stages.ts';

/**
 * Why an initialized run must fail, or undefined: the placement is no longer External, its policy or applyStrategy was
 * edited, or the contents of the run's snapshot are lost. Membership and order are fixed, unlike in KubeFleet
 * (updaterun/validation.go). The annotation `gitfleet.dev/on-membership-change: abort` on the run restores KubeFleet's rule
 * (docs/compatibility.md).
 */
export function abortReason(step: RunStep, context: RunContext): string | undefined {
  const { placement } = step.work;
  const { status } = step;
  const { name } = placement.metadata;
  const { strategy } = placement.spec;
  if (strategy.type !== 'External') return `parent placement ${name} is no longer External but ${strategy.type}`;
  if (status.appliedStrategy && canonicalJson(status.appliedStrategy) !== canonicalJson(strategy.applyStrategy))
    return `the applyStrategy of placement ${name} was changed during the run`;
  const policy = latestPolicy(step.work);
  if (policy !== undefined && String(policy.index) !== status.policySnapshotIndexUsed)
    return `the policy of placement ${name} was changed: policy snapshot ${policy.index} instead of ${status.policySnapshotIndexUsed}`;
  if (!isRecorded(step.work, Number(status.resourceSnapshotIndexUsed)))
    return `resource snapshot ${status.resourceSnapshotIndexUsed}, which the run rolls out, was lost with the record`;
  return endsOnMembershipChange(context.run) ? membershipChange(step, context) : undefined;
}

/** Whether a run may roll out a snapshot. A state written by hand may leave contents out: they are not lost by that. */
export const isRecorded = (work: PlacementWork, index: number): boolean =>
  work.resourceSnapshots.some((entry) => entry.index === index) &&
  !isRebuilt(work.resourceSnapshots, index) &&
  !isLostSnapshot(work, index);

function membershipChange({ work, status }: RunStep, { run, input }: RunContext): string | undefined {
  const live = work.bindings.filter(({ binding }) => !binding.deleting).map(({ binding }) => binding);
  const policy = latestPolicy(work);
  const { placementType, clusterNames, numberOfClusters } = policy?.policy ?? {};
  const count =
    placementType === 'PickN'
      ? (policy?.numberOfClusters ?? numberOfClusters)
      : placementType === 'PickFixed'
        ? clusterNames?.length
        : undefined;
  if (count !== undefined && count !== status.policyObservedClusterCount)
    return `the requested number of clusters changed from ${status.policyObservedClusterCount} to ${count}`;

  const unscheduled = live.filter(({ state }) => state === 'Unscheduled').map(({ targetCluster }) => targetCluster);
  const toDelete = new Set(status.deletionStageStatus?.clusters.map(({ clusterName }) => clusterName));
  const unexpected = unscheduled.find((cluster) => !toDelete.has(cluster));
  if (unexpected !== undefined) return `cluster ${unexpected} is no longer selected since the run was initialized`;

  const bound = new Set(live.filter(({ state }) => state !== 'Unscheduled').map(({ targetCluster }) => targetCluster));
  const arrangement = arrangeStages({
    strategyName: run.spec.stagedRolloutStrategyName,
    stages: status.stagedUpdateStrategySnapshot?.stages ?? [],
    selected: input.clusters.filter(({ name, left }) => !left && bound.has(name)),
  });
  if (!arrangement.ok) return `the clusters of the run changed: ${arrangement.message}`;
  for (const [at, { stageName, clusters }] of (status.stagesStatus ?? []).entries()) {
    const before = clusters.map(({ clusterName }) => clusterName).join(', ');
    const after = (arrangement.stages[at]?.clusters ?? []).join(', ');
    if (before !== after) return `the clusters of stage ${stageName} changed from [${before}] to [${after}]`;
  }
  return undefined;
}

import type { ApplyStrategy } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { ClusterUpdatingStatus } from '../../../api/staged.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { conditionIs } from '../../kernel/condition.ts';
import { listsDiffer } from '../../overrides/starts-rollout.ts';
import { wasBound } from '../../placement/bindings.ts';
import type { PlacementWork } from '../../placement-work.ts';
import type { RunStep } from '../step.ts';

/** What a run gives to a binding. */
export interface DesiredBinding {
  readonly index: number;
  readonly applyStrategy: ApplyStrategy | undefined;
  readonly cluster: ClusterUpdatingStatus;
}

/** What the cluster had before the run; undefined if that is not recorded. */
export const previousOf = ({ clusterName, previous }: ClusterUpdatingStatus): DesiredBinding | undefined =>
  previous && {
    index: previous.resourceSnapshotIndex,
    applyStrategy: previous.applyStrategy,
    cluster: { ...previous, clusterName },
  };

/** A cluster with what its binding has, for a rollback. One that has no snapshot yet has nothing to return to. */
export function withPrevious(cluster: ClusterUpdatingStatus, binding: Binding): ClusterUpdatingStatus {
  const { resourceSnapshotIndex, resourceOverrideSnapshots, clusterResourceOverrideSnapshots, applyStrategy } = binding;
  if (resourceSnapshotIndex === undefined || !wasBound(binding)) return cluster;
  return {
    ...cluster,
    previous: {
      resourceSnapshotIndex,
      ...(resourceOverrideSnapshots && {
        resourceOverrideSnapshots: resourceOverrideSnapshots.map((it) => ({ ...it })),
      }),
      ...(clusterResourceOverrideSnapshots && {
        clusterResourceOverrideSnapshots: [...clusterResourceOverrideSnapshots],
      }),
      ...(applyStrategy && { applyStrategy }),
    },
  };
}

/** What the run recorded for a cluster at its initialization. */
export const desiredBy = ({ status }: RunStep, cluster: ClusterUpdatingStatus): DesiredBinding => ({
  index: Number(status.resourceSnapshotIndexUsed),
  applyStrategy: status.appliedStrategy,
  cluster,
});

/** Whether snapshot, override lists and apply strategy are the run's (KubeFleet execution.go, isBindingSyncedWithClusterStatus). */
export function isInSync(binding: Binding, desired: DesiredBinding, { placement }: PlacementWork): boolean {
  const present = binding.applyStrategy ?? placement.spec.strategy.applyStrategy;
  return (
    binding.resourceSnapshotIndex === desired.index &&
    !listsDiffer(binding, desired.cluster) &&
    canonicalJson(present) === canonicalJson(desired.applyStrategy ?? present)
  );
}

/** Whether a rollout, or another run, has marked the binding as waiting. */
export const rolloutWithheld = (binding: Binding): boolean =>
  conditionIs(binding.conditions, 'RolloutStarted', 'False');

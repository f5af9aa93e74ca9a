import type { ClusterName } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import { conditionIs } from '../kernel/condition.ts';
import type { OverrideLists, RecordedLists } from '../overrides/snapshot-id.ts';
import { listsDiffer } from '../overrides/starts-rollout.ts';
import type { PlacementWork } from '../placement-work.ts';

/** Compares the overrides that clusters are to have with those that they have. */
export interface OverrideComparison {
  /** Override snapshots that apply to a cluster with the latest resource snapshot. */
  readonly overridesFor: (cluster: ClusterName) => OverrideLists;
  /** Whether a difference of override snapshots starts a rollout by itself. */
  readonly startsRollout: (before: RecordedLists, after: RecordedLists) => boolean;
}

/**
 * Which Bound bindings are out of date: they have another snapshot, or other overrides.
 * A changed override that names no placement does not start a rollout. It is rolled out together with the next one: once
 * anything else starts a rollout, and until no binding waits any more. A cluster with changed labels for which other overrides
 * match starts a rollout.
 */
export function outOfDate(
  { bindings }: PlacementWork,
  latest: number,
  { overridesFor, startsRollout }: OverrideComparison,
) {
  const hasOtherOverrides = (binding: Binding): boolean => listsDiffer(binding, overridesFor(binding.targetCluster));
  const starts = (binding: Binding): boolean =>
    binding.resourceSnapshotIndex !== latest ||
    (hasOtherOverrides(binding) &&
      (binding.clusterLabels !== undefined ||
        conditionIs(binding.conditions, 'RolloutStarted', 'False') ||
        startsRollout(binding, overridesFor(binding.targetCluster))));
  const anyStarts = bindings.some(({ binding }) => !binding.deleting && (binding.state !== 'Bound' || starts(binding)));
  return (binding: Binding): boolean => starts(binding) || (anyStarts && hasOtherOverrides(binding));
}

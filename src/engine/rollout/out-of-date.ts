import type { ClusterName } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import { conditionIs } from '../kernel/condition.ts';
import type { OverrideLists, RecordedLists } from '../overrides/snapshot-id.ts';
import { listsDiffer } from '../overrides/trigger.ts';
import type { PlacementWork } from '../placement-work.ts';

/** How the overrides that clusters are to have compare with those that they have. */
export interface OverrideComparison {
  /** Override snapshots that apply to a cluster with the latest resource snapshot. */
  readonly overridesFor: (cluster: ClusterName) => OverrideLists;
  /** Whether a difference of override snapshots begins a rollout by itself. */
  readonly differs: (before: RecordedLists, after: RecordedLists) => boolean;
}

/**
 * Which Bound bindings have something to be rolled out: another snapshot, or other overrides.
 * An override without a placement of its own rides along: its difference counts once anything else begins a rollout, and
 * until the last binding that was told to wait has had its turn. A relabelled cluster for which other overrides match is one to
 * roll out to.
 */
export function outOfDate({ bindings }: PlacementWork, latest: number, { overridesFor, differs }: OverrideComparison) {
  const ridesAlong = (binding: Binding): boolean => listsDiffer(binding, overridesFor(binding.targetCluster));
  const begins = (binding: Binding): boolean =>
    binding.resourceSnapshotIndex !== latest ||
    (ridesAlong(binding) &&
      (binding.clusterLabels !== undefined ||
        conditionIs(binding.conditions, 'RolloutStarted', 'False') ||
        differs(binding, overridesFor(binding.targetCluster))));
  const anyBegins = bindings.some(({ binding }) => !binding.deleting && (binding.state !== 'Bound' || begins(binding)));
  return (binding: Binding): boolean => begins(binding) || (anyBegins && ridesAlong(binding));
}

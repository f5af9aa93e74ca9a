import type { ClusterName } from '../../../api/meta.ts';
import { byText } from '../../kernel/ordering.ts';
import { latestPolicy, type PlacementWork } from '../../placement-work.ts';

export interface Scheduled {
  readonly ok: true;
  readonly policyIndex: number;
  /** The number that PickN or PickFixed require; under PickAll the number selected. */
  readonly clusterCount: number;
  readonly selected: readonly ClusterName[];
  readonly toDelete: readonly ClusterName[];
}

export type Scheduling =
  | Scheduled
  | { readonly ok: false; readonly reason: 'NotFullyScheduled' | 'NoBindingYet'; readonly message: string };

/**
 * The clusters that a run would update or remove: checks 3 to 9 of the initialization (KubeFleet
 * updaterun/initialization.go). A run that does not pass them waits, and is checked again in the next plan
 * (docs/compatibility.md; most are final in KubeFleet). Bindings being removed are ignored. Of clusters that leave the fleet
 * only Unscheduled bindings count, for removal.
 */
export function scheduledClusters(work: PlacementWork, left: (cluster: ClusterName) => boolean): Scheduling {
  const policy = latestPolicy(work);
  if (policy === undefined) return notYet('NotFullyScheduled', 'the placement has no latest policy snapshot yet');
  const { placementType, clusterNames = [], numberOfClusters } = policy.policy;
  const wanted = policy.numberOfClusters ?? numberOfClusters;
  if (placementType === 'PickN' && wanted === undefined)
    return notYet('NotFullyScheduled', `policy snapshot ${policy.index} has no number of clusters`);
  if (work.scheduled.status !== 'True')
    return notYet('NotFullyScheduled', `the placement is not fully scheduled yet: ${work.scheduled.reason}`);

  const live = work.bindings
    .map(({ binding }) => binding)
    .filter(({ deleting, targetCluster, state }) => !deleting && (state === 'Unscheduled' || !left(targetCluster)));
  const obsolete = live.find(
    ({ state, policySnapshotIndex }) =>
      state !== 'Unscheduled' && (policySnapshotIndex ?? policy.index) !== policy.index,
  );
  if (obsolete)
    return notYet(
      'NotFullyScheduled',
      `the binding on ${obsolete.targetCluster} still follows policy snapshot ${obsolete.policySnapshotIndex}`,
    );
  const names = (list: typeof live): ClusterName[] => list.map(({ targetCluster }) => targetCluster).sort(byText);
  const selected = names(live.filter(({ state }) => state !== 'Unscheduled'));
  const toDelete = names(live.filter(({ state }) => state === 'Unscheduled'));
  if (selected.length + toDelete.length === 0) return notYet('NoBindingYet', 'no cluster is selected yet');
  const count = placementType === 'PickN' ? wanted : placementType === 'PickFixed' ? clusterNames.length : undefined;
  if (count !== undefined && count !== selected.length)
    return notYet('NotFullyScheduled', `the policy requires ${count} clusters, ${selected.length} are selected`);
  return { ok: true, policyIndex: policy.index, clusterCount: count ?? selected.length, selected, toDelete };
}

const notYet = (reason: 'NotFullyScheduled' | 'NoBindingYet', message: string): Scheduling => ({
  ok: false,
  reason,
  message,
});

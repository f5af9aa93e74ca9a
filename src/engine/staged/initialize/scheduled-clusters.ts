import type { ClusterName } from '../../../api/meta.ts';
import { byText } from '../../kernel/ordering.ts';
import { latestPolicy, type PlacementWork } from '../../placement-work.ts';

export interface Scheduled {
  readonly ok: true;
  readonly policyIndex: number;
  /** Clusters that PickN or PickFixed ask for; the number selected under PickAll. */
  readonly clusterCount: number;
  readonly selected: readonly ClusterName[];
  readonly toDelete: readonly ClusterName[];
}

export type Scheduling =
  | Scheduled
  | { readonly ok: false; readonly reason: 'NotFullyScheduled' | 'NoBindingYet'; readonly message: string };

/**
 * Which clusters a run would take: checks 3 to 9 of the initialization (KubeFleet updaterun/initialization.go). Where they
 * do not hold yet the run waits and looks again in the next pass (docs/compatibility.md; most are final in KubeFleet).
 * Bindings on their way out take no part; of clusters that leave only those that the scheduler dropped, to be removed.
 */
export function scheduledClusters(work: PlacementWork, left: (cluster: ClusterName) => boolean): Scheduling {
  const policy = latestPolicy(work);
  if (policy === undefined) return waits('NotFullyScheduled', 'the placement has no latest policy snapshot yet');
  const { placementType, clusterNames = [], numberOfClusters } = policy.policy;
  const wanted = policy.numberOfClusters ?? numberOfClusters;
  if (placementType === 'PickN' && wanted === undefined)
    return waits('NotFullyScheduled', `policy snapshot ${policy.index} names no number of clusters`);
  if (work.scheduled.status !== 'True')
    return waits('NotFullyScheduled', `the placement is not fully scheduled yet: ${work.scheduled.reason}`);

  const live = work.bindings
    .map(({ binding }) => binding)
    .filter(({ deleting, targetCluster, state }) => !deleting && (state === 'Unscheduled' || !left(targetCluster)));
  const obsolete = live.find(
    ({ state, policySnapshotIndex }) =>
      state !== 'Unscheduled' && (policySnapshotIndex ?? policy.index) !== policy.index,
  );
  if (obsolete)
    return waits(
      'NotFullyScheduled',
      `the binding on ${obsolete.targetCluster} still follows policy snapshot ${obsolete.policySnapshotIndex}`,
    );
  const names = (list: typeof live): ClusterName[] => list.map(({ targetCluster }) => targetCluster).sort(byText);
  const selected = names(live.filter(({ state }) => state !== 'Unscheduled'));
  const toDelete = names(live.filter(({ state }) => state === 'Unscheduled'));
  if (selected.length + toDelete.length === 0) return waits('NoBindingYet', 'no cluster is selected yet');
  const count = placementType === 'PickN' ? wanted : placementType === 'PickFixed' ? clusterNames.length : undefined;
  if (count !== undefined && count !== selected.length)
    return waits('NotFullyScheduled', `${count} clusters are asked for, ${selected.length} are selected`);
  return { ok: true, policyIndex: policy.index, clusterCount: count ?? selected.length, selected, toDelete };
}

const waits = (reason: 'NotFullyScheduled' | 'NoBindingYet', message: string): Scheduling => ({
  ok: false,
  reason,
  message,
});

import type { ClusterName } from '../../api/meta.ts';
import type { Binding, ClusterDecision } from '../../api/placement-state.ts';
import { memoize } from '../kernel/memoize.ts';
import { by } from '../kernel/ordering.ts';
import type { FleetIndex } from './compiled/compile-fleet.ts';

/** KubeFleet frameworkutils.go classifyBindings: every binding in exactly one group, the first rule wins. */
export interface BindingGroups {
  /** Their objects are being removed; they hold no cluster and stay as they are. */
  readonly deleting: readonly Binding[];
  readonly unscheduled: readonly Binding[];
  /** Scheduled or Bound on a cluster that left or is leaving. */
  readonly dangling: readonly Binding[];
  /** Scheduled or Bound by an older policy. */
  readonly obsolete: readonly Binding[];
  readonly scheduled: readonly Binding[];
  readonly bound: readonly Binding[];
}

/** Eligibility, labels and taints do not count here: they are ignored during execution. */
export function classify(bindings: readonly Binding[], latestIndex: number, index: FleetIndex): BindingGroups {
  const groups: Record<keyof BindingGroups, Binding[]> = {
    deleting: [],
    unscheduled: [],
    dangling: [],
    obsolete: [],
    scheduled: [],
    bound: [],
  };
  for (const binding of bindings) groups[groupOf(binding, latestIndex, index)].push(binding);
  return groups;
}

function groupOf(binding: Binding, latestIndex: number, index: FleetIndex): keyof BindingGroups {
  if (binding.deleting) return 'deleting';
  if (binding.state === 'Unscheduled') return 'unscheduled';
  const row = index.rowOf.get(binding.targetCluster);
  if (row === undefined || index.members[row]!.leaving) return 'dangling';
  if (binding.policySnapshotIndex !== latestIndex) return 'obsolete';
  return binding.state === 'Scheduled' ? 'scheduled' : 'bound';
}

/** Whether the cluster may have resources: a binding that became Unscheduled before it was Bound has none. */
export const wasBound = ({ state, previousState }: Binding): boolean =>
  state === 'Bound' || (state === 'Unscheduled' && previousState === 'Bound');

/** Records that the binding was Bound, which decides whether resources must be removed; no other state is recorded. */
export function unschedule(binding: Binding): Binding {
  if (binding.state === 'Unscheduled') return binding;
  const { previousState: _, ...rest } = binding;
  return { ...rest, state: 'Unscheduled', ...(binding.state === 'Bound' && { previousState: 'Bound' }) };
}

/**
 * `picks`: the decisions on the clusters that a cycle picked. KubeFleet's crossReferencePickedClustersAndDeDupBindings: the
 * obsolete binding of a picked cluster keeps its state, an unscheduled one gets its previous state back, and otherwise a new
 * binding is created. Obsolete bindings of other clusters are unscheduled.
 */
export function crossReference(
  groups: BindingGroups,
  picks: readonly ClusterDecision[],
  latestIndex: number,
): BindingGroups {
  const older = new Set([...groups.obsolete, ...groups.unscheduled].map(({ targetCluster }) => targetCluster));
  const open = new Map(picks.filter((pick) => older.has(pick.clusterName)).map((pick) => [pick.clusterName, pick]));
  const live: Binding[] = [];
  const dropped: Binding[] = [];
  const taken = new Set<string>();
  for (const binding of groups.obsolete) {
    const pick = open.get(binding.targetCluster);
    if (pick === undefined) dropped.push(unschedule(binding));
    else live.push({ ...binding, policySnapshotIndex: latestIndex, clusterDecision: pick });
    if (pick !== undefined) taken.add(pick.clusterName);
  }
  const remaining: Binding[] = [];
  for (const binding of groups.unscheduled) {
    const pick = open.get(binding.targetCluster);
    if (pick === undefined || taken.has(pick.clusterName)) remaining.push(binding);
    else {
      taken.add(pick.clusterName);
      live.push(restore(binding, pick, latestIndex));
    }
  }
  for (const pick of picks) {
    if (taken.has(pick.clusterName)) continue;
    live.push({
      targetCluster: pick.clusterName,
      state: 'Scheduled',
      policySnapshotIndex: latestIndex,
      clusterDecision: pick,
    });
  }
  return {
    ...groups,
    obsolete: [],
    unscheduled: [...remaining, ...dropped],
    scheduled: [...groups.scheduled, ...live.filter(({ state }) => state === 'Scheduled')],
    bound: [...groups.bound, ...live.filter(({ state }) => state === 'Bound')],
  };
}

/** The binding with its previous state. Without one it was never Bound (KubeFleet: an error that ends the cycle). */
function restore(binding: Binding, pick: ClusterDecision, latestIndex: number): Binding {
  const { previousState, ...rest } = binding;
  return {
    ...rest,
    state: previousState ?? 'Scheduled',
    policySnapshotIndex: latestIndex,
    clusterDecision: pick,
  };
}

/** All bindings after a cycle, by cluster name, a deleting one before a live one. Dangling ones are unscheduled. */
export const allBindings = (groups: BindingGroups): Binding[] =>
  [
    ...groups.deleting,
    ...groups.bound,
    ...groups.scheduled,
    ...groups.obsolete,
    ...groups.dangling.map(unschedule),
    ...groups.unscheduled,
  ].sort(by((binding) => binding.targetCluster));

/** The rows of bindings that are neither dangling nor unscheduled, so that their clusters are in the fleet. */
export const rowsOf = (bindings: readonly Binding[], index: FleetIndex): number[] =>
  bindings.map(({ targetCluster }) => index.rowOf.get(targetCluster)!);

/** Bindings of the current policy that hold their cluster. */
export const liveBindings = ({ scheduled, bound }: BindingGroups): Binding[] => [...bound, ...scheduled];

/** Bound bindings that are not being removed, by cluster; of two the first. Memoized, since every moved binding needs it. */
export const boundByCluster = memoize(
  (bindings: readonly Binding[]): ReadonlyMap<ClusterName, Binding> =>
    new Map(
      bindings
        .toReversed()
        .flatMap((binding) =>
          binding.state === 'Bound' && !binding.deleting ? [[binding.targetCluster, binding] as const] : [],
        ),
    ),
);

import type { ClusterName } from '../../api/meta.ts';
import type { Binding, ClusterDecision } from '../../api/placement-state.ts';
import { memoize } from '../kernel/memoize.ts';
import { by } from '../kernel/ordering.ts';
import type { FleetIndex } from './compiled/compile-fleet.ts';

/** KubeFleet frameworkutils.go classifyBindings: every binding in exactly one group, the first rule wins. */
export interface BindingGroups {
  /** Their objects are being removed; they hold nothing and are handed on untouched. */
  readonly deleting: readonly Binding[];
  readonly unscheduled: readonly Binding[];
  /** Scheduled or Bound on a cluster that left or is leaving. */
  readonly dangling: readonly Binding[];
  /** Scheduled or Bound by an older policy. */
  readonly obsolete: readonly Binding[];
  readonly scheduled: readonly Binding[];
  readonly bound: readonly Binding[];
}

/** Eligibility, labels and taints are not looked at here: they are ignored during execution. */
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

/** Whether resources may be there: a binding that was dropped before it was ever Bound has none. */
export const wasBound = ({ state, previousState }: Binding): boolean =>
  state === 'Bound' || (state === 'Unscheduled' && previousState === 'Bound');

/** Remembers that it was Bound, which decides whether anything must be removed; nothing else is remembered. */
export function unschedule(binding: Binding): Binding {
  if (binding.state === 'Unscheduled') return binding;
  const { previousState: _, ...rest } = binding;
  return { ...rest, state: 'Unscheduled', ...(binding.state === 'Bound' && { previousState: 'Bound' }) };
}

/**
 * `picks`: the decisions on the clusters that a cycle picked. KubeFleet's crossReferencePickedClustersAndDeDupBindings: a
 * picked cluster's obsolete binding is taken over in its state, an unscheduled one gets back the state it had, otherwise a new
 * one is made. Obsolete bindings of other clusters are unscheduled.
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
  const resting: Binding[] = [];
  for (const binding of groups.unscheduled) {
    const pick = open.get(binding.targetCluster);
    if (pick === undefined || taken.has(pick.clusterName)) resting.push(binding);
    else {
      taken.add(pick.clusterName);
      live.push(revive(binding, pick, latestIndex));
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
    unscheduled: [...resting, ...dropped],
    scheduled: [...groups.scheduled, ...live.filter(({ state }) => state === 'Scheduled')],
    bound: [...groups.bound, ...live.filter(({ state }) => state === 'Bound')],
  };
}

/** Without a remembered state it was never Bound (KubeFleet: an error that ends the cycle). */
function revive(binding: Binding, pick: ClusterDecision, latestIndex: number): Binding {
  const { previousState, ...rest } = binding;
  return {
    ...rest,
    state: previousState ?? 'Scheduled',
    policySnapshotIndex: latestIndex,
    clusterDecision: pick,
  };
}

/** All bindings after a cycle, by cluster name, a deleting one before a live one. Dangling ones have lost their cluster. */
export const gather = (groups: BindingGroups): Binding[] =>
  [
    ...groups.deleting,
    ...groups.bound,
    ...groups.scheduled,
    ...groups.obsolete,
    ...groups.dangling.map(unschedule),
    ...groups.unscheduled,
  ].sort(by((binding) => binding.targetCluster));

/** The rows of bindings that are neither dangling nor unscheduled: those are on clusters of the fleet. */
export const rowsHeld = (bindings: readonly Binding[], index: FleetIndex): number[] =>
  bindings.map(({ targetCluster }) => index.rowOf.get(targetCluster)!);

/** Bindings of the current policy that hold their cluster. */
export const liveBindings = ({ scheduled, bound }: BindingGroups): Binding[] => [...bound, ...scheduled];

/** Bound ones that are not on their way out, by cluster, of two the first: every binding that moves asks. */
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

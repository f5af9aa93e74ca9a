import type { ClusterName, Manifest, PlacementKey } from '../../api/meta.ts';
import { type Placement, placementKey, refOf } from '../../api/placement.ts';
import type { Binding, PlacementState } from '../../api/placement-state.ts';
import type { PlanInput } from '../input.ts';
import { onceFor, onceForPair } from '../kernel/once-for.ts';
import type { Plan, PlannedBinding } from '../plan-document.ts';
import { membersThatLeave } from './staying-members.ts';

/** One cluster of one placement, before and after the plan. A removal pairs a recorded live binding with one that goes. */
export interface Pair {
  readonly clusterName: ClusterName;
  /** Recorded and not on its way out. */
  readonly before: Binding | undefined;
  readonly after: PlannedBinding | undefined;
  /** Was live in the record and is to go by this plan; a removal let through earlier does not count again. */
  readonly removedNow: boolean;
}

/** A placement before and after. `placement` is undefined where neither the repo nor the record shows it. */
export interface Compared {
  readonly key: PlacementKey;
  readonly placement: Placement | undefined;
  readonly inRepo: boolean;
  /** Empty where the plan changes no binding and no cluster leaves. */
  readonly pairs: readonly Pair[];
  /** Clusters that targets of the plan have remove it. */
  readonly emptied: ReadonlySet<ClusterName>;
}

/**
 * Lays the plan beside the record. The guard reads nothing but the two and the input: it must not inherit a mistake of the
 * code that planned.
 */
export function compare(input: PlanInput, plan: Plan): Compared[] {
  const present = new Map(input.fleet.placements.map((placement) => [placementKey(refOf(placement)), placement]));
  const planned = new Map(plan.placements.map((placement) => [placementKey(placement), placement.bindings]));
  const emptied = new Map<PlacementKey, Set<ClusterName>>();
  for (const { remove, placement, clusterName } of plan.targets) {
    if (!remove) continue;
    const key = placementKey(placement);
    emptied.set(key, (emptied.get(key) ?? new Set()).add(clusterName));
  }
  const leaves = membersThatLeave(input);
  const isLeft = ({ targetCluster }: Binding): boolean => leaves.has(targetCluster);
  const keys = new Set([...present.keys(), ...planned.keys(), ...emptied.keys(), ...input.record.placements.keys()]);
  return [...keys].sort().map((key) => {
    const recorded = input.record.placements.get(key);
    const before = recorded?.state.bindings ?? [];
    const after = planned.get(key) ?? [];
    const cleared: ReadonlySet<ClusterName> = emptied.get(key) ?? noClusters;
    return {
      key,
      placement: present.get(key) ?? recorded?.object,
      inRepo: present.has(key),
      pairs:
        isQuiet(after, before) && cleared.size === 0 && !(leaves.size > 0 && before.some(isLeft))
          ? []
          : pairsOf(before, after, cleared),
      emptied: cleared,
    };
  });
}

const noClusters: ReadonlySet<ClusterName> = new Set();

/** Most placements of most plans: the guard must not cost a large fleet its quiet passes. */
const isQuiet = onceForPair(
  (planned: readonly PlannedBinding[], recorded: readonly Binding[]): boolean =>
    recorded.length === planned.length &&
    planned.every((after, at) => {
      const before = recorded[at]!;
      return (
        (after.move === 'keep' || after.move === 'wait') &&
        before.targetCluster === after.clusterName &&
        before.resourceSnapshotIndex === after.resourceSnapshotIndex &&
        !before.deleting
      );
    }),
);

function pairsOf(
  recorded: readonly Binding[],
  planned: readonly PlannedBinding[],
  emptied: ReadonlySet<ClusterName>,
): Pair[] {
  const live = new Map<ClusterName, Binding>();
  const leaving = new Set<ClusterName>();
  for (const binding of recorded) {
    if (binding.deleting) leaving.add(binding.targetCluster);
    else live.set(binding.targetCluster, binding);
  }
  const kept = new Map<ClusterName, PlannedBinding>();
  const removed = new Map<ClusterName, PlannedBinding>();
  for (const binding of planned) (binding.move === 'remove' ? removed : kept).set(binding.clusterName, binding);
  // Of two on one cluster that both stay as they are nothing tells which is which, and nothing need.
  const still = stillTwice(recorded, planned);
  const clusters = new Set([...live.keys(), ...kept.keys(), ...removed.keys(), ...emptied]).difference(still);
  return [...clusters].map((clusterName) => {
    const before = live.get(clusterName);
    const after = kept.get(clusterName);
    const goes = removed.has(clusterName) || (emptied.has(clusterName) && after === undefined);
    // A live binding recorded beside one that goes is not what is being removed.
    const removedNow = goes && !leaving.has(clusterName);
    return { clusterName, before, after: after ?? removed.get(clusterName), removedNow };
  });
}

/** Clusters with several live bindings in the record, of which the plan moves none. */
function stillTwice(recorded: readonly Binding[], planned: readonly PlannedBinding[]): ReadonlySet<ClusterName> {
  const once = new Set<ClusterName>();
  const twice = new Set<ClusterName>();
  for (const { targetCluster, deleting } of recorded) {
    if (deleting) continue;
    (once.has(targetCluster) ? twice : once).add(targetCluster);
  }
  if (twice.size === 0) return twice;
  const moving = planned.filter(({ move }) => move !== 'keep' && move !== 'wait').map(({ clusterName }) => clusterName);
  return twice.intersection(new Set(planned.map(({ clusterName }) => clusterName))).difference(new Set(moving));
}

/** Contents of a snapshot by index: those of the plan's record, else those remembered. */
export function snapshotReader(
  input: PlanInput,
  plan: Plan,
): (key: PlacementKey, index: number | undefined) => readonly Manifest[] {
  const { snapshots } = writtenIn(plan.record);
  return (key, index) =>
    index === undefined
      ? []
      : (input.record.placements.get(key)?.snapshots.get(index) ?? snapshots.get(`${key}/${index}`) ?? notRemembered);
}

/** What a snapshot holds of which no file is left: nobody knows. */
export const notRemembered: readonly Manifest[] = [];

/** Bindings in the record that the plan writes, by placement and cluster. */
export function bindingReader(plan: Plan): (key: PlacementKey, cluster: ClusterName) => Binding | undefined {
  const { states } = writtenIn(plan.record);
  return (key, cluster) => liveBindings(states.get(key)?.bindings ?? noBindings).get(cluster);
}

/** Bindings of a state that are not on their way out, by cluster, of two the first: rules ask cluster by cluster. */
export const liveBindings = onceFor(
  (bindings: readonly Binding[]): ReadonlyMap<ClusterName, Binding> =>
    new Map(
      bindings.toReversed().flatMap((binding) => (binding.deleting ? [] : [[binding.targetCluster, binding] as const])),
    ),
);

const noBindings: readonly Binding[] = [];

/** Whether a placement is still on its way out of a cluster by the plan: one that is not planned, by its record. */
export function leavingReader(plan: Plan): (key: PlacementKey, cluster: ClusterName) => boolean {
  const planned = new Map(plan.placements.map((placement) => [placementKey(placement), placement.bindings]));
  const { states } = writtenIn(plan.record);
  return (key, cluster) =>
    planned.get(key)?.some(({ clusterName, move }) => clusterName === cluster && move === 'remove') ??
    states.get(key)?.bindings.some(({ targetCluster, deleting }) => targetCluster === cluster && deleting) === true;
}

/** States by placement, and contents of snapshots by `placement/index`: several rules read them. */
const writtenIn = onceFor((record: Plan['record']) => {
  const states = new Map<string, PlacementState>();
  const snapshots = new Map<string, readonly Manifest[]>();
  for (const [path, { kind, value }] of record) {
    const parts = path.split('/');
    const name = parts.at(-1);
    if (kind === 'manifests') {
      if (parts.at(-2) === 'snapshots') snapshots.set(`${parts.at(-3)}/${name!.replace(/\.yaml$/, '')}`, value);
    } else if (name === 'state.yaml') states.set(parts.at(-2)!, value as PlacementState);
  }
  return { states, snapshots };
});

/** Override snapshots of those bindings. */
export function overridesReader(plan: Plan): (key: PlacementKey, cluster: ClusterName) => string | undefined {
  const bindingOf = bindingReader(plan);
  return (key, cluster) => {
    const binding = bindingOf(key, cluster);
    return binding && overridesOf(binding);
  };
}

/** One text for the override snapshots of a binding: two bindings with the same ones have the same. */
export const overridesOf = (
  binding: Pick<Binding, 'clusterResourceOverrideSnapshots' | 'resourceOverrideSnapshots'>,
): string =>
  JSON.stringify([
    binding.clusterResourceOverrideSnapshots ?? [],
    (binding.resourceOverrideSnapshots ?? []).map(({ namespace, name }) => [namespace, name]),
  ]);

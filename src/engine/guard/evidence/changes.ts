import type { ClusterName, PlacementKey } from '../../../api/meta.ts';
import { isPlacementKind, type Placement, placementKey, refOf } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { Fleet, FleetRecord } from '../../input.ts';
import { memoizePair } from '../../kernel/memoize.ts';
import type { Plan, PlannedBinding } from '../../plan-document.ts';
import { removalTargets } from '../../target-kinds.ts';
import { placementInEffect } from './fleet-in-effect.ts';
import { membersThatLeave } from './members.ts';

/** One cluster of one placement, before and after the plan. A removal pairs a recorded live binding with one that is being removed. */
export interface Pair {
  readonly clusterName: ClusterName;
  /** Recorded and not being removed. */
  readonly before: Binding | undefined;
  readonly after: PlannedBinding | undefined;
  /** Live in the record and removed by this plan; a removal that was allowed earlier does not count again. */
  readonly removedNow: boolean;
}

/** A placement before and after. `placement` is undefined if neither the repo nor the record has it. */
export interface PlacementChange {
  readonly key: PlacementKey;
  /** As it is in effect. */
  readonly placement: Placement | undefined;
  /** It has a file, or may have an unreadable one: it is not deleted. */
  readonly isWanted: boolean;
  /** Empty if the plan changes no binding and no cluster leaves. */
  readonly pairs: readonly Pair[];
  /** Clusters whose targets in the plan remove it. */
  readonly emptied: ReadonlySet<ClusterName>;
}

/** Compares the plan with the record, placement by placement. */
export function changesOf(of: {
  readonly fleet: Fleet;
  readonly record: FleetRecord;
  readonly plan: Plan;
}): PlacementChange[] {
  const { fleet, record, plan } = of;
  const present = new Map(fleet.placements.map((placement) => [placementKey(refOf(placement)), placement]));
  const planned = new Map(plan.placements.map((placement) => [placementKey(placement), placement.bindings]));
  const emptied = emptiedBy(plan);
  const leaves = membersThatLeave({ fleet, record });
  const isLeft = ({ targetCluster }: Binding): boolean => leaves.has(targetCluster);
  const mayBeWritten = unreadPlacements(fleet);
  const keys = new Set([...present.keys(), ...planned.keys(), ...emptied.keys(), ...record.placements.keys()]);
  return [...keys].sort().map((key) => {
    const recorded = record.placements.get(key);
    const before = recorded?.state.bindings ?? [];
    const after = planned.get(key) ?? [];
    const cleared: ReadonlySet<ClusterName> = emptied.get(key) ?? noClusters;
    const written = present.get(key);
    return {
      key,
      placement: written ? placementInEffect(written, recorded?.object) : recorded?.object,
      isWanted: written !== undefined || mayBeWritten(key),
      pairs:
        isQuiet(after, before) && cleared.size === 0 && !(leaves.size > 0 && before.some(isLeft))
          ? []
          : pairsOf(before, after, cleared),
      emptied: cleared,
    };
  });
}

function emptiedBy({ targets }: Plan): ReadonlyMap<PlacementKey, ReadonlySet<ClusterName>> {
  const emptied = new Map<PlacementKey, Set<ClusterName>>();
  for (const { placement, clusterName } of removalTargets(targets)) {
    const key = placementKey(placement);
    emptied.set(key, (emptied.get(key) ?? new Set()).add(clusterName));
  }
  return emptied;
}

/** Placements that were not found in the repo but may exist: their file is invalid, or another one is unreadable. */
function unreadPlacements({ refused, unreadable, beingDeleted }: Fleet): (key: PlacementKey) => boolean {
  const invalid = new Set(refused.filter(({ kind }) => isPlacementKind(kind)).map((ref) => placementKey(ref)));
  const deleted = new Set(beingDeleted.map((placement) => placementKey(refOf(placement))));
  return (key) => invalid.has(key) || (unreadable.length > 0 && !deleted.has(key));
}

const noClusters: ReadonlySet<ClusterName> = new Set();

/** Most placements of most plans: for a large fleet the guard must be cheap while nothing changes. */
const isQuiet = memoizePair(
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
  // Two on one cluster that both stay cannot be distinguished, and need not be.
  const still = stillTwice(recorded, planned);
  const clusters = new Set([...live.keys(), ...kept.keys(), ...removed.keys(), ...emptied]).difference(still);
  return [...clusters].map((clusterName) => {
    const before = live.get(clusterName);
    const after = kept.get(clusterName);
    const goes = removed.has(clusterName) || (emptied.has(clusterName) && after === undefined);
    // A live binding recorded next to one that is being removed is not the one that is removed.
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

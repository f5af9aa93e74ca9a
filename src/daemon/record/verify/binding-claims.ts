import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { type Placement, placementKey } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { Problem } from '../../../api/problem.ts';
import { evictionResult } from '../../../engine/evict/result.ts';
import {
  type Fleet,
  type FleetRecord,
  type RecordedPlacement,
  type UnprovenBindings,
  writtenPlacements,
} from '../../../engine/input.ts';
import { canonicalJson } from '../../../engine/kernel/canonical-json.ts';
import { memoize } from '../../../engine/kernel/memoize.ts';
import { isCompleteObservation } from '../../../engine/observed.ts';
import { idsOf } from '../../../engine/overrides/snapshot-id.ts';
import { placementShownBy } from '../../../engine/recovery/rebuild.ts';
import { hashOfContents } from '../../../engine/selection/content-hash.ts';
import { sha256 } from '../../../repo/sha256.ts';
import { isCertainlyPicked, mayBePickedAnew } from './may-be-picked.ts';
import { mismatch } from './mismatch.ts';
import { isRefusedPlacement } from './recorded-claims.ts';
import type { ProvenRun } from './update-runs.ts';
import type { Verified } from './verified.ts';

/** Bindings that only the record claims. */
export interface DoubtedBindings {
  isDoubted(key: PlacementKey, cluster: ClusterName): boolean;
  /** Where the cluster has nothing of the placement, it is proven all the same. */
  isRefill(key: PlacementKey, cluster: ClusterName): boolean;
  /** All of them, as they are now. */
  unproven(): UnprovenBindings;
  /** Also the policy of the placement does not pick the cluster. */
  isOutOfPlace(key: PlacementKey, cluster: ClusterName): boolean;
  /** The removal of the placement from the cluster is one that only the cluster can prove. */
  isDoubtedRemoval(key: PlacementKey, cluster: ClusterName): boolean;
  /** Without invented bindings: those on clusters that the policy does not pick and that show nothing of the placement. */
  withoutInvented(record: FleetRecord, of: Shown): Verified;
  /** Clusters that respond and have such a binding, but whose objects of the placement were not observed. */
  unconfirmed(of: Shown): ReadonlySet<ClusterName>;
}

/** What the members show. */
export interface Shown {
  readonly observations: ReadonlyMap<ClusterName, ClusterObservation>;
  /** Clusters on which objects of all kinds were observed. */
  readonly swept: ReadonlySet<ClusterName>;
}

/** A placement on a cluster. */
export interface OnCluster {
  readonly key: PlacementKey;
  readonly cluster: ClusterName;
}

export interface BindingVerifier extends DoubtedBindings {
  /** Removals that an executed eviction or a run would explain, if the cluster shows that they have started. */
  doubtedRemovals(): readonly OnCluster[];
  /** The record with the bindings of removals that have not started, as they were before. */
  withoutRemovals(record: FleetRecord, removals: readonly OnCluster[]): FleetRecord;
  /** The cluster shows that the removal has started. */
  removalStarted(removal: OnCluster): void;
  /** `tip`: the followed branch. */
  verify(record: FleetRecord, of: { readonly tip: Fleet; readonly runs: readonly ProvenRun[] }): FleetRecord;
  /** This daemon published the record: bindings that its plan changed are trusted. */
  published(record: FleetRecord): void;
  /** Bindings with one of these override snapshots are no longer trusted: their clusters must show them. */
  doubt(overrides: ReadonlySet<string>): void;
  /** The cluster shows what the record claims. */
  shown(key: PlacementKey, cluster: ClusterName): void;
}

/** The bindings of a placement as last read. */
interface Read {
  readonly recorded: RecordedPlacement;
  /** Ids of doubted bindings; at a start all. */
  doubted: 'all' | Set<string>;
  /** Clusters of doubted bindings that the policy does not pick, and whether the record claims that they are being removed. */
  readonly outOfPlace: Map<ClusterName, { readonly isLeaving: boolean }>;
  /** Clusters of doubted bindings that are being removed. */
  readonly leaving: Set<ClusterName>;
  /**
   * Clusters of bindings that were trusted until the record claimed their removal, as this daemon's own plan does while it waits for
   * its push. Something may be on its way there, so the bindings are not invented, even if the clusters show nothing.
   */
  readonly given: Set<ClusterName>;
  /** Clusters of bindings that the last run to reach them explains, though later ones did not: that proves what an emptied one had. */
  refills: ReadonlySet<ClusterName>;
}

/**
 * A binding decides what its cluster gets: which contents, with which overrides and labels, or that they are removed. So it is trusted
 * only if this daemon published it, a verified run that is not over rolled it out, or the cluster shows it. With a doubted one the
 * cluster keeps what it has, and removals are decided again, within the limits of the guard. A removal by an eviction, or by a run that
 * is over, must also have started on the cluster.
 */
export function bindingVerifier(): BindingVerifier {
  let read = new Map<PlacementKey, Read>();

  const isDoubted = (key: PlacementKey, cluster: ClusterName): boolean => isIn(read.get(key)?.doubted, cluster);
  const isDoubtedRemoval = (key: PlacementKey, cluster: ClusterName): boolean => {
    const entry = read.get(key);
    return entry?.leaving.has(cluster) === true && isIn(entry.doubted, leavingId(cluster));
  };

  return {
    isDoubted,
    isRefill: (key, cluster) => read.get(key)?.refills.has(cluster) === true,
    unproven: () =>
      new Map(
        [...read].flatMap(([key, entry]) =>
          entry.doubted !== 'all' && entry.doubted.size === 0 ? [] : [[key, doubtedClusters(entry)] as const],
        ),
      ),
    isDoubtedRemoval,
    doubtedRemovals: () =>
      [...read].flatMap(([key, { leaving }]) =>
        [...leaving].filter((cluster) => isDoubtedRemoval(key, cluster)).map((cluster) => ({ key, cluster })),
      ),
    withoutRemovals(record, removals) {
      if (removals.length === 0) return record;
      const placements = new Map(record.placements);
      for (const [key, group] of Map.groupBy(removals, (removal) => removal.key)) {
        const clusters = new Set(group.map(({ cluster }) => cluster));
        const entry = read.get(key)!;
        const restored = restoredIn(placements.get(key)!, clusters);
        placements.set(key, restored);
        read.set(key, { ...entry, recorded: restored, doubted: withIds(entry.doubted, clusters) });
      }
      return { ...record, placements };
    },
    removalStarted({ key, cluster }) {
      const entry = read.get(key);
      if (entry) entry.doubted = without(entry.doubted, { targetCluster: cluster, deleting: true }, entry.recorded);
    },
    isOutOfPlace: (key, cluster) => read.get(key)?.outOfPlace.has(cluster) === true,
    verify(record, { tip, runs }) {
      const next: typeof read = new Map();
      const changed = new Map<PlacementKey, RecordedPlacement>();
      for (const [key, claimed] of record.placements) {
        const found = readNow(key, claimed, { before: read.get(key), record, tip, runs });
        if (found.recorded !== claimed) changed.set(key, found.recorded);
        next.set(key, found);
      }
      read = next;
      return changed.size === 0 ? record : { ...record, placements: new Map([...record.placements, ...changed]) };
    },
    unconfirmed(of) {
      const clusters = [...read].flatMap(([key, { recorded, outOfPlace }]) =>
        [...outOfPlace.keys()].filter((cluster) => !areObjectsKnown({ key, cluster }, recorded, of)),
      );
      return new Set(clusters.filter((cluster) => of.observations.get(cluster)?.reachable));
    },
    withoutInvented(record, of) {
      const { observations } = of;
      const placements = new Map<PlacementKey, RecordedPlacement>();
      const problems: Problem[] = [];
      for (const [key, { outOfPlace }] of read) {
        const recorded = record.placements.get(key);
        for (const cluster of [...outOfPlace.keys()])
          if (placementsOn(observations.get(cluster)).has(key)) outOfPlace.delete(cluster);
        if (recorded === undefined) continue;
        const invented = [...outOfPlace.keys()].filter((cluster) => areObjectsKnown({ key, cluster }, recorded, of));
        if (invented.length === 0) continue;
        const bindings = recorded.state.bindings.filter(
          ({ targetCluster }) => !invented.includes(targetCluster as ClusterName),
        );
        placements.set(key, withBindings(recorded, bindings));
        const unexplained = invented.filter((cluster) => !outOfPlace.get(cluster)!.isLeaving);
        problems.push(...unexplained.map((cluster) => notPicked(key, cluster)));
      }
      if (placements.size === 0) return { record, problems };
      return { record: { ...record, placements: new Map([...record.placements, ...placements]) }, problems };
    },
    published({ placements }) {
      const next: typeof read = new Map();
      for (const [key, recorded] of placements) {
        const before = read.get(key);
        next.set(key, before ? asPublished(recorded, before) : trusted(recorded));
      }
      read = next;
    },
    doubt(overrides) {
      for (const entry of overrides.size === 0 ? [] : read.values()) {
        const ids = idsWith(overrides, entry);
        entry.doubted = withIds(entry.doubted, ids);
        entry.refills = entry.refills.difference(ids);
      }
    },
    shown(key, cluster) {
      const entry = read.get(key);
      if (entry) entry.doubted = without(entry.doubted, { targetCluster: cluster }, entry.recorded);
    },
  };
}

const doubtedClusters = ({ recorded, doubted }: Read): ReadonlySet<ClusterName> =>
  new Set(
    recorded.state.bindings.map(({ targetCluster }) => targetCluster as ClusterName).filter((it) => isIn(doubted, it)),
  );

/** Ids of the bindings with one of these override snapshots. */
const idsWith = (overrides: ReadonlySet<string>, { recorded }: Read): Set<string> =>
  new Set(recorded.state.bindings.filter((binding) => idsOf(binding).some((id) => overrides.has(id))).map(idOf));

/** Which bindings of a placement are doubted, and the record without those that cannot be. */
function readNow(
  key: PlacementKey,
  claimed: RecordedPlacement,
  of: {
    readonly before: Read | undefined;
    readonly record: FleetRecord;
    readonly tip: Fleet;
    readonly runs: readonly ProvenRun[];
  },
): Read {
  const { before, record, tip } = of;
  const own = of.runs.filter(({ placement }) => placement === key);
  const brought = own.filter(({ isEarlier }) => isEarlier !== true);
  let doubted = doubtedIn(claimed, before, brought);
  const isDoubtedNow = (binding: Binding): boolean => isIn(doubted, idOf(binding));
  const placement = placementsIn(tip).get(key);
  const policy = placement?.spec.policy;
  const outOfPlace: Read['outOfPlace'] = new Map();
  const leaving = new Set<ClusterName>();
  const stays = new Set<ClusterName>();
  const given = new Set<ClusterName>();
  const bindings = claimed.state.bindings.flatMap((binding): Binding[] => {
    if (!isDoubtedNow(binding)) return [binding];
    const cluster = binding.targetCluster as ClusterName;
    if (binding.deleting) {
      const proof = proofOfRemoval(cluster, { key, placement, record, tip, brought });
      // A proven removal stays proven, also after the file of the run is deleted.
      if (proof === 'proven') doubted = without(doubted, binding, claimed);
      if (proof === 'if started') leaving.add(cluster);
      if (proof !== 'none') return [binding];
      stays.add(cluster);
    }
    const there = stillThere(binding);
    if (binding !== there && (before?.given.has(cluster) || wasTrusted(there, claimed, before))) given.add(cluster);
    const member = membersOf(tip).get(cluster);
    if (member === undefined || (policy ? mayBePickedAnew(member, policy) : mayBeHidden(key, tip))) return [there];
    // The cluster got nothing yet: the scheduler decides again.
    if (there.state === 'Scheduled' && there.resourceSnapshotIndex === undefined) return [];
    if (!given.has(cluster)) outOfPlace.set(cluster, { isLeaving: binding !== there });
    return [there];
  });
  const isUnchanged = before?.recorded.state === claimed.state;
  const recorded = withBindings(claimed, isUnchanged ? bindings : onePerCluster(bindings, isDoubtedNow));
  const earlier = own.filter(({ isEarlier }) => isEarlier);
  // Once its record is published, a run proves nothing any more.
  const isRefill = (binding: Binding): boolean =>
    earlier.some(broughtIt(binding)) ||
    (before?.refills.has(binding.targetCluster as ClusterName) === true && isSameAs(before, claimed, binding));
  const refills = new Set(
    bindings.flatMap((binding) => (isRefill(binding) ? [binding.targetCluster as ClusterName] : [])),
  );
  return { recorded, doubted: withIds(doubted, stays), outOfPlace, leaving, given, refills };
}

/** Whether the placement may still be on the followed branch, in a file that cannot be read or is not valid. */
const mayBeHidden = (key: PlacementKey, tip: Fleet): boolean =>
  tip.unreadable.length > 0 || isRefusedPlacement(tip, key);

/** A cluster may have two bindings of a placement: one that is being removed, and the one that follows. The id of that is its name. */
const idOf = ({ targetCluster, deleting }: Pick<Binding, 'targetCluster' | 'deleting'>): string =>
  deleting ? leavingId(targetCluster) : targetCluster;

const leavingId = (cluster: string): string => `${cluster} leaving`;

const withIds = (doubted: Read['doubted'], ids: ReadonlySet<string>): Read['doubted'] =>
  doubted === 'all' || ids.size === 0 ? doubted : new Set([...doubted, ...ids]);

function without(
  doubted: Read['doubted'],
  binding: Pick<Binding, 'targetCluster' | 'deleting'>,
  { state }: RecordedPlacement,
): Set<string> {
  const ids = doubted === 'all' ? new Set(state.bindings.map(idOf)) : doubted;
  ids.delete(idOf(binding));
  return ids;
}

const isIn = (doubted: Read['doubted'] | undefined, id: string): boolean =>
  doubted === 'all' || doubted?.has(id) === true;

/** Ids of bindings that are neither as trusted before, nor rolled out by a verified run. */
function doubtedIn(now: RecordedPlacement, before: Read | undefined, brought: readonly ProvenRun[]): Read['doubted'] {
  const isBrought = (binding: Binding): boolean => brought.some(broughtIt(binding));
  if (before === undefined && brought.length === 0) return 'all';
  const isTrusted = (binding: Binding): boolean => isBrought(binding) || wasTrusted(binding, now, before);
  return new Set(now.state.bindings.filter((binding) => !isTrusted(binding)).map(idOf));
}

/** Whether a run gave a cluster what its binding has. */
const broughtIt =
  (binding: Binding) =>
  ({ clusters }: ProvenRun): boolean => {
    const given = binding.deleting ? undefined : clusters.get(binding.targetCluster);
    return (
      given !== undefined &&
      binding.resourceSnapshotIndex === given.index &&
      String(idsOf(given)) === String(idsOf(binding))
    );
  };

function wasTrusted(binding: Binding, now: RecordedPlacement, before: Read | undefined): boolean {
  return before !== undefined && !isIn(before.doubted, idOf(binding)) && isSameAs(before, now, binding);
}

/** Whether it claims what it did when it was read last. */
function isSameAs({ recorded }: Read, now: RecordedPlacement, binding: Binding): boolean {
  const earlier = byId(recorded).get(idOf(binding));
  return earlier !== undefined && sameClaim([recorded, earlier], [now, binding]);
}

const trusted = (recorded: RecordedPlacement): Read => ({
  recorded,
  doubted: new Set(),
  outOfPlace: new Map(),
  leaving: new Set(),
  given: new Set(),
  refills: new Set(),
});

/** A published placement: bindings that the plan changed are trusted. */
function asPublished(recorded: RecordedPlacement, before: Read): Read {
  const { outOfPlace } = before;
  if (before.recorded === recorded) return before;
  if (before.doubted !== 'all' && before.doubted.size === 0) return { ...before, recorded, refills: new Set() };
  const doubted = recorded.state.bindings.filter((binding) => {
    const earlier = byId(before.recorded).get(idOf(binding));
    if (!isIn(before.doubted, idOf(binding)) || earlier === undefined) return false;
    // A plan that updates such a binding does not pick its cluster, either.
    return (
      outOfPlace.has(binding.targetCluster as ClusterName) || sameClaim([before.recorded, earlier], [recorded, binding])
    );
  });
  const ids = new Set(doubted.map(idOf));
  return { ...before, recorded, doubted: ids, refills: before.refills.intersection(ids) as Set<ClusterName> };
}

const byId = (recorded: RecordedPlacement): ReadonlyMap<string, Binding> => bindingsById(recorded.state);

const bindingsById = memoize(
  ({ bindings }: RecordedPlacement['state']): ReadonlyMap<string, Binding> =>
    new Map(bindings.map((binding) => [idOf(binding), binding])),
);

type Placed = readonly [RecordedPlacement, Binding];

/** Whether two bindings give their cluster the same. */
const sameClaim = ([a, one]: Placed, [b, other]: Placed): boolean =>
  one === other ? sameContents(a, b, one) : claimOf(one) === claimOf(other) && sameContents(a, b, one);

const claimOf = ({ resourceSnapshotIndex, deleting, clusterLabels, ...lists }: Binding): string =>
  canonicalJson([resourceSnapshotIndex ?? null, deleting === true, clusterLabels ?? null, idsOf(lists)]);

function sameContents(a: RecordedPlacement, b: RecordedPlacement, { resourceSnapshotIndex: index }: Binding): boolean {
  const [one, other] = index === undefined ? [] : [a.snapshots.get(index), b.snapshots.get(index)];
  return one === other || (one !== undefined && other !== undefined && hashOf(one) === hashOf(other));
}

const hashOf = memoize((manifests: readonly Manifest[]) => hashOfContents(manifests, sha256));

const placementsIn = memoize((fleet: Fleet) => writtenPlacements(fleet));
const membersOf = memoize((fleet: Fleet) => new Map(fleet.members.map((member) => [member.metadata.name, member])));

/**
 * What proves that the placement is removed from the cluster: a verified run that is not over. An executed eviction of the followed
 * branch, a run that is over, or one that removes it from a cluster that the policy picks now, does only if the cluster shows it.
 */
function proofOfRemoval(
  cluster: ClusterName,
  of: {
    readonly key: PlacementKey;
    readonly placement: Placement | undefined;
    readonly record: FleetRecord;
    readonly tip: Fleet;
    readonly brought: readonly ProvenRun[];
  },
): 'proven' | 'if started' | 'none' {
  const { key, placement, record, tip, brought } = of;
  const byRuns = brought.filter(({ emptied }) => emptied.has(cluster));
  const member = membersOf(tip).get(cluster);
  const isPicked = placement && member && isCertainlyPicked(member, placement.spec.policy);
  if (byRuns.some(({ isOver }) => !isOver) && !isPicked) return 'proven';
  // Its plan removes it anyway, whatever an eviction or a run did before.
  if (placement === undefined && !mayBeHidden(key, tip)) return 'none';
  return byRuns.length > 0 || executedEvictions({ key, cluster }, { record, tip }).length > 0 ? 'if started' : 'none';
}

/** Names of evictions of the followed branch that removed the placement from the cluster, according to the record. */
export const executedEvictions = (
  { key, cluster }: OnCluster,
  { record, tip }: { readonly record: FleetRecord; readonly tip: Fleet },
): readonly string[] =>
  tip.evictions.flatMap(({ metadata: { name }, spec }) => {
    const isDone = evictionResult(record.evictions.get(name)?.status?.conditions)?.executed === true;
    return isDone && placementKey({ name: spec.placementName }) === key && spec.clusterName === cluster ? [name] : [];
  });

/** A cluster keeps one live binding, and of doubted ones one, if possible with a snapshot: with two, none would move any more. */
function onePerCluster(bindings: readonly Binding[], isDoubted: (binding: Binding) => boolean): readonly Binding[] {
  const chosen = new Map<string, Binding>();
  for (const binding of bindings) {
    const rival = chosen.get(binding.targetCluster);
    if (
      rival === undefined ||
      (rival.resourceSnapshotIndex === undefined && binding.resourceSnapshotIndex !== undefined)
    )
      chosen.set(binding.targetCluster, binding);
  }
  if (chosen.size === bindings.length) return bindings;
  return bindings.filter((binding) => {
    const rival = chosen.get(binding.targetCluster)!;
    return rival === binding || (!isDoubted(binding) && (binding.deleting ?? rival.deleting) === true);
  });
}

/** The binding before its removal. */
function stillThere(binding: Binding): Binding {
  if (!binding.deleting) return binding;
  const { deleting: _d, deletionTimestamp: _t, ...before } = binding;
  return before;
}

function restoredIn(recorded: RecordedPlacement, clusters: ReadonlySet<ClusterName>): RecordedPlacement {
  const isRestored = (binding: Binding): boolean =>
    binding.deleting === true && clusters.has(binding.targetCluster as ClusterName);
  const bindings = recorded.state.bindings.map((binding) => (isRestored(binding) ? stillThere(binding) : binding));
  return withBindings(
    recorded,
    onePerCluster(bindings, ({ targetCluster }) => clusters.has(targetCluster as ClusterName)),
  );
}

function withBindings(recorded: RecordedPlacement, bindings: readonly Binding[]): RecordedPlacement {
  const { state } = recorded;
  const isSame = bindings.length === state.bindings.length && bindings.every((it, at) => it === state.bindings[at]);
  return isSame ? recorded : { ...recorded, state: { ...state, bindings: [...bindings] } };
}

/**
 * Whether all objects of the placement on the cluster are known. Without a sweep only the kinds of known contents of assigned
 * placements are watched. After one it does not matter that actors wait for a plan, as they do while the guard refuses: none creates
 * anything of a doubted binding.
 */
export function areObjectsKnown(
  { key, cluster }: OnCluster,
  { snapshots }: RecordedPlacement,
  { observations, swept }: Shown,
): boolean {
  const observation = observations.get(cluster);
  if (swept.has(cluster)) return observation?.reachable === true;
  if (snapshots.size === 0 || !isCompleteObservation(observation)) return false;
  return observation.placements.some(({ placement }) => placementKey(placement) === key);
}

const placementsOn = (observation: ClusterObservation | undefined): ReadonlySet<PlacementKey> =>
  shownOn(observation?.objects ?? nothing);

const nothing: ClusterObservation['objects'] = [];

const shownOn = memoize(
  (objects: ClusterObservation['objects']): ReadonlySet<PlacementKey> =>
    new Set(objects.flatMap((object) => placementShownBy(object) ?? [])),
);

const notPicked = (key: PlacementKey, cluster: ClusterName): Problem =>
  mismatch(
    `placements/${key}/state.yaml`,
    `the placement does not pick ${cluster}, and ${cluster} shows nothing of it: gitfleet drops the binding`,
  );

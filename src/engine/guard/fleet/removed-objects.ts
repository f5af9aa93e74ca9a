import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { Removal } from '../../kernel/removal-digest.ts';
import type { PlacementTarget, Plan } from '../../plan-document.ts';
import { placementTargets } from '../../target-kinds.ts';
import type { Pair, PlacementChange } from '../evidence/changes.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { membersThatLeave, membersThatStay } from '../evidence/members.ts';
import { notRemembered, overridesOf, overridesReader, snapshotReader } from '../evidence/planned-record.ts';
import { startingRuns } from '../evidence/run-placements.ts';
import { shownObjects } from '../evidence/shown-objects.ts';
import { nameOf, objectsOf } from '../evidence/snapshot-objects.ts';
import { takeovers } from './takeovers.ts';

export interface Removals {
  /** Objects that this plan removes from clusters, each once; those that another placement takes over stay. */
  readonly now: readonly Removal[];
  /** Placements of which a snapshot or an override no longer has some objects, among `now`, with the update run that moves them. */
  readonly dropping: ReadonlyMap<PlacementKey, string | undefined>;
  /** Clusters that leave with bindings of ours: their objects stay there, unmanaged. */
  readonly released: readonly Removal[];
  /**
   * What the digest of an approval covers. Objects dropped from a snapshot are listed for every cluster of the placement, also where
   * they are not, or no longer, so that one approval covers all steps of a rollout, unless clusters join in the middle of it or lose
   * something else.
   */
  readonly approvable: readonly Removal[];
  /** Of these, what clusters do not have now, as far as is recorded, or keep as they left the fleet. */
  readonly absent: ReadonlySet<Removal>;
}

/** What the plan removes from clusters, by the record before and the record and targets after. */
export function findRemovals(evidence: Evidence): Removals {
  const lossOf = lossReader(evidence);
  const isTakenOver = takeovers(evidence);
  const mayHave = holdingReader(evidence);
  const now: Removal[] = [];
  const released: Removal[] = [];
  const later: Removal[] = [];
  const absent = new Set<Removal>();
  const dropping = new Map<PlacementKey, string | undefined>();
  for (const placement of evidence.changes) {
    const { key, pairs } = placement;
    const drops: Drops = new Map();
    for (const pair of pairs) {
      const loss = lossOf(placement, pair, drops);
      if (!loss) continue;
      const lost = loss.objects.map((object) => ({ clusterName: pair.clusterName, placement: key, object }));
      const removals = loss.kind === 'released' ? lost : lost.filter((removal) => !isTakenOver(removal));
      (loss.kind === 'released' ? released : now).push(...removals);
      if (loss.kind === 'dropped' && removals.length > 0)
        dropping.set(key, startingRuns(evidence).get(`${key} ${pair.clusterName}`));
    }
    // The other clusters of the placement follow later in the rollout.
    for (const objects of drops.values())
      for (const pair of pairs) {
        const { clusterName, after, removedNow } = pair;
        if (!after || removedNow || after.state === 'Scheduled') continue;
        for (const object of objects) {
          const removal = { clusterName, placement: key, object };
          if (isTakenOver(removal)) continue;
          later.push(removal);
          if (!mayHave(placement, pair, object)) absent.add(removal);
        }
      }
  }
  return { now, dropping, released, approvable: [...now, ...later, ...released], absent };
}

/** Whether a cluster may have an object of a placement now, by the record or what it shows. One that left the fleet keeps what it has. */
function holdingReader(evidence: Evidence): (of: PlacementChange, pair: Pair, object: string) => boolean {
  const contentsOf = snapshotReader(evidence);
  const stays = membersThatStay(evidence);
  const namesIn = memoize((contents: readonly Manifest[]): ReadonlySet<string> => new Set(objectsOf(contents)));
  return ({ key }, { clusterName, before }, object) => {
    if (before?.resourceSnapshotIndex === undefined || !stays.has(clusterName)) return false;
    const contents = contentsOf(key, before.resourceSnapshotIndex);
    const isListed = contents === notRemembered || namesIn(contents).has(object);
    return isListed || shownObjects(evidence, key, clusterName).includes(object);
  };
}

/** What is removed of one placement on one cluster. */
interface Loss {
  /** `removed`: all objects; `dropped`: those that the next contents lack; `released`: all stay, no longer managed. */
  readonly kind: 'removed' | 'dropped' | 'released';
  readonly objects: readonly string[];
}

/** Objects that one snapshot of a placement has and another lacks, by `before after`: the same for all its clusters. */
type Drops = Map<string, readonly string[]>;

function lossReader(evidence: Evidence): (of: PlacementChange, pair: Pair, drops: Drops) => Loss | undefined {
  const contentsOf = snapshotReader(evidence);
  const droppedByOverride = overrideLosses(evidence.plan);
  const stays = membersThatStay(evidence);
  const leaves = membersThatLeave(evidence);
  return ({ key, emptied }, pair, drops) => {
    const { clusterName, before, after, removedNow } = pair;
    if (before === undefined) return undefined;
    const held = (): readonly string[] => objectsOf(contentsOf(key, before.resourceSnapshotIndex));
    const shown = () => shownObjects(evidence, key, clusterName);
    // All objects are removed or released, even if unknown: that counts as a removal.
    const all = () => (contentsOf(key, before.resourceSnapshotIndex) === notRemembered ? [''] : held());
    const gone = removedNow || after === undefined;
    if (!stays.has(clusterName) && !emptied.has(clusterName)) {
      // Under External the binding of a cluster that left stays until a run removes it: it was counted before.
      const leavesNow = leaves.has(clusterName) || (gone && before.state !== 'Unscheduled');
      if (!leavesNow) return undefined;
      return { kind: 'released', objects: before.resourceSnapshotIndex === undefined ? [''] : all() };
    }
    if (removedNow) return { kind: 'removed', objects: [...new Set([...all(), ...shown()])] };
    if (!after || before.resourceSnapshotIndex === undefined) return undefined;
    const withoutNext = (objects: readonly string[], { resourceSnapshotIndex }: typeof after): readonly string[] => {
      const next = objects.length === 0 ? undefined : new Set(objectsOf(contentsOf(key, resourceSnapshotIndex)));
      return objects.filter((object) => !next?.has(object));
    };
    const change = `${before.resourceSnapshotIndex} ${after.resourceSnapshotIndex}`;
    if (before.resourceSnapshotIndex !== after.resourceSnapshotIndex && !drops.has(change)) {
      drops.set(change, withoutNext(held(), after));
    }
    const unlisted = drops.has(change) ? withoutNext(shown(), after) : [];
    const objects = [...new Set([...(drops.get(change) ?? []), ...unlisted, ...droppedByOverride(key, pair, held)])];
    return objects.length === 0 ? undefined : { kind: 'dropped', objects };
  };
}

/** Objects that a changed override leaves out on a cluster: those on it that its target no longer has. */
function overrideLosses(
  plan: Plan,
): (key: PlacementKey, pair: Pair, held: () => readonly string[]) => readonly string[] {
  const overridesAfter = overridesReader(plan);
  // Computed on demand: most plans do not need it, and a large fleet has a million.
  let byCluster: ReadonlyMap<string, PlacementTarget> | undefined;
  const targetOf = (cluster: ClusterName, key: PlacementKey): PlacementTarget | undefined => {
    byCluster ??= new Map(
      placementTargets(plan.targets).map((target) => [
        `${target.clusterName} ${placementKey(target.placement)}`,
        target,
      ]),
    );
    return byCluster.get(`${cluster} ${key}`);
  };
  return (key, { clusterName, before }, held) => {
    const lists = before && overridesAfter(key, clusterName);
    if (!before || lists === undefined || lists === overridesOf(before)) return [];
    const target = targetOf(clusterName, key);
    if (!target || target.remove) return [];
    const remaining = new Set(target.objects.map((ref) => nameOf(ref.apiVersion, ref.kind, ref.namespace, ref.name)));
    return held().filter((object) => !remaining.has(object));
  };
}

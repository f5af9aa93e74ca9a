import type { ClusterName, Manifest, ObjectRef } from '../../api/meta.ts';
import { type ApplyStrategy, placementKey, refOf } from '../../api/placement.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { memoize } from '../kernel/memoize.ts';
import { matchOverrides } from '../overrides/match.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { PlacementTarget } from '../plan-document.ts';
import { listedObjects, refsIn } from '../selection/listed-objects.ts';
import { keyOfManifest, objectKey } from '../selection/object-key.ts';
import type { World } from '../world.ts';
import type { PlanContents } from './plan-contents.ts';
import { prunableOf, stayingOn, strategyOf } from './staying-bindings.ts';

/**
 * Objects that a target no longer has and another placement of the same cluster wants, now or after its next rollout: they
 * are released, so that the other placement takes them over unchanged. If they were removed, with everything in them, the
 * other would only create them again. A placement that takes nothing over, or only compares, does not count.
 */
export function handedOver(contents: PlanContents, target: PlacementTarget, of: PlacementWork): readonly ObjectRef[] {
  const own = new Set(target.remove ? [] : target.objects.map(objectKey));
  const left = prunableOf(of).filter((ref) => !own.has(objectKey(ref)));
  const { clusterName: cluster } = target;
  return left.filter((ref) => takerOf(contents, of, { cluster, object: objectKey(ref) }) !== undefined);
}

/** The placement that takes an object over from one that no longer wants it on a cluster; undefined: it is removed. */
export const takerOf = (
  contents: PlanContents,
  { placement }: PlacementWork,
  on: { readonly cluster: ClusterName; readonly object: string },
): PlacementWork | undefined =>
  takersOf(contents.staying)
    .get(on.object)
    ?.find((work) => work.placement !== placement && wants(work, on, contents));

function wants(
  work: PlacementWork,
  { cluster, object }: { readonly cluster: ClusterName; readonly object: string },
  contents: PlanContents,
): boolean {
  const binding = stayingOn(work).get(cluster);
  if (!binding || binding.state === 'Unscheduled' || !takesOver(strategyOf(work, cluster))) return false;
  const wanted = desiredBy(contents);
  const id = `${cluster} ${placementKey(refOf(work.placement))}`;
  const known = wanted.get(id) ?? wantedOn(work, cluster, contents.world);
  wanted.set(id, known);
  return known.has(object);
}

/** Objects that placements of a plan have on their clusters, or will have; filled on demand. */
const desiredBy = memoize((_: PlanContents) => new Map<string, ReadonlySet<string>>());

const takesOver = ({ type, whenToTakeOver }: ApplyStrategy): boolean =>
  type !== 'ReportDiff' && whenToTakeOver !== 'Never';

/**
 * Placements that may want an object on some cluster, by object. Nearly always that is only the one that releases it, so
 * nothing else is computed.
 */
const takersOf = memoize((works: readonly PlacementWork[]): ReadonlyMap<string, readonly PlacementWork[]> => {
  const by = new Map<string, PlacementWork[]>();
  for (const work of works) {
    const selected = refsIn(nextContents(work)).map(objectKey);
    for (const key of new Set([...listedObjects(work.contents).keys, ...selected])) {
      const list = by.get(key);
      if (list) list.push(work);
      else by.set(key, [work]);
    }
  }
  return by;
});

/** Objects that a cluster has of a placement, or will have after the next rollout, by key. */
function wantedOn(
  work: PlacementWork,
  cluster: ClusterName,
  { render, overrides, members }: World,
): ReadonlySet<string> {
  const placement = refOf(work.placement);
  const binding = stayingOn(work).get(cluster);
  const now = binding?.resourceSnapshotIndex === undefined ? [] : work.contents.get(binding.resourceSnapshotIndex);
  const next = nextContents(work);
  const as = { name: cluster, labels: members.get(cluster)?.labels };
  const lists = matchOverrides({ placement, manifests: next, history: overrides, cluster: as });
  return new Set(
    [
      { manifests: now ?? [], lists: binding ?? {} },
      { manifests: next, lists },
    ].flatMap(({ manifests, lists }) => {
      const rendered = render({ placement, manifests, lists, cluster });
      return rendered.ok
        ? rendered.manifests.map(({ manifest }) => keyOfManifest(manifest))
        : refsIn(manifests).map(objectKey);
    }),
  );
}

/** The selected manifests; while the selectors are invalid, those of the latest snapshot. */
const nextContents = ({ selection, resourceSnapshots, contents }: PlacementWork): readonly Manifest[] =>
  selection.ok ? selection.manifests : (contents.get(latestOf(resourceSnapshots)?.index ?? -1) ?? []);

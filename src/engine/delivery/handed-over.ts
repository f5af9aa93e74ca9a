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
 * Objects that a target no longer asks for and another placement of the same cluster does, now or as soon as its rollout
 * comes to it: they are let go of, so that the other takes them over as they are. Removing what is wanted, and everything in
 * it, would only have it made anew. A placement that takes nothing over, or only compares, asks for nothing that is there.
 */
export function handedOver(contents: PlanContents, target: PlacementTarget, of: PlacementWork): readonly ObjectRef[] {
  const own = new Set(target.remove ? [] : target.objects.map(objectKey));
  const left = prunableOf(of).filter((ref) => !own.has(objectKey(ref)));
  if (left.length === 0) return [];
  const takers = takersOf(contents.staying);
  return left.filter((ref) =>
    takers
      .get(objectKey(ref))
      ?.some((work) => work.placement !== of.placement && wants(work, { cluster: target.clusterName, ref }, contents)),
  );
}

function wants(
  work: PlacementWork,
  { cluster, ref }: { readonly cluster: ClusterName; readonly ref: ObjectRef },
  contents: PlanContents,
): boolean {
  const binding = stayingOn(work).get(cluster);
  if (!binding || binding.state === 'Unscheduled' || !takesOver(strategyOf(work, cluster))) return false;
  const wanted = desiredBy(contents);
  const id = `${cluster} ${placementKey(refOf(work.placement))}`;
  const known = wanted.get(id) ?? wantedOn(work, cluster, contents.world);
  wanted.set(id, known);
  return known.has(objectKey(ref));
}

/** What clusters hold of placements in a plan, or will hold: filled as it is asked for. */
const desiredBy = memoize((_: PlanContents) => new Map<string, ReadonlySet<string>>());

const takesOver = ({ type, whenToTakeOver }: ApplyStrategy): boolean =>
  type !== 'ReportDiff' && whenToTakeOver !== 'Never';

/**
 * Which placements may ask for an object on some cluster: nearly always the one that lets go of it alone, and nothing else is
 * looked into.
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

/** What a cluster holds of a placement or will hold of it after the next rollout, by key. */
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

/** What it selects; while its selectors are wrong, what it selected last. */
const nextContents = ({ selection, resourceSnapshots, contents }: PlacementWork): readonly Manifest[] =>
  selection.ok ? selection.manifests : (contents.get(latestOf(resourceSnapshots)?.index ?? -1) ?? []);

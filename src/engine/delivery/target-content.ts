import type { ClusterName, Manifest, ObjectRef } from '../../api/meta.ts';
import { type ApplyStrategy, placementKey, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { applyStrategyOf } from '../bindings/apply-strategy.ts';
import { labelsBefore } from '../bindings/held-labels.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { onceFor } from '../kernel/once-for.ts';
import type { RenderedManifest } from '../overrides/render.ts';
import type { RecordedLists } from '../overrides/snapshot-id.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { Target } from '../plan-document.ts';
import { rememberedManifests } from '../recovery/rebuilt-snapshot.ts';
import { listedObjects } from '../selection/listed-objects.ts';
import type { World } from '../world.ts';

/** Manifests of a target, how to apply them, and every object that a remembered snapshot of its placement lists. */
export function contentsOf(
  work: PlacementWork,
  target: Target,
  world: World,
): {
  readonly manifests: readonly RenderedManifest[];
  readonly strategy: ApplyStrategy;
  readonly prunable: readonly ObjectRef[];
  readonly leaveAlone: boolean;
} {
  const prunable = prunableOf(work);
  const binding = stayingOn(work).get(target.clusterName);
  const strategy = strategyOf(work, target.clusterName);
  const leaveAlone = !target.remove && target.digest === undefined;
  if (target.remove || leaveAlone || target.resourceSnapshotIndex === undefined)
    return { manifests: [], strategy, prunable, leaveAlone };
  const manifests = work.contents.get(target.resourceSnapshotIndex) ?? [];
  const rendered = world.render({
    placement: target.placement,
    manifests,
    lists: binding ?? noLists,
    cluster: target.clusterName,
  });
  return { manifests: rendered.ok ? rendered.manifests : [], strategy, prunable, leaveAlone };
}

/** Every object that a remembered snapshot of the placement lists: nothing else of it may ever be removed. */
export const prunableOf = ({ contents }: PlacementWork): readonly ObjectRef[] => listedObjects(contents).refs;

/** How objects of the placement are applied on a cluster. */
export const strategyOf = (work: PlacementWork, cluster: ClusterName): ApplyStrategy =>
  applyStrategyOf(work.placement, stayingOn(work).get(cluster));

/** Bindings that are not on their way out, by cluster, of two the first: every target of the placement asks. */
export const stayingOn = ({ bindings }: PlacementWork): ReadonlyMap<ClusterName, Binding> => staying(bindings);

const staying = onceFor(
  (bindings: PlacementWork['bindings']) =>
    new Map(
      bindings
        .toReversed()
        .flatMap(({ binding }) => (binding.deleting ? [] : [[binding.targetCluster, binding] as const])),
    ),
);

const noLists: RecordedLists = {};

/**
 * Clusters of a placement that apply once more what they hold by the record, and nothing else of the binding changes: in another
 * way, or with other values of the labels that overrides fill in.
 */
export function clustersAppliedAnew(work: PlacementWork, world: World): ReadonlySet<ClusterName> {
  const recorded = world.record.placements.get(placementKey(refOf(work.placement)));
  const staying = stayingOn(work);
  const isSame = strategyComparison();
  const anew = (recorded?.state.bindings ?? []).filter((before) => {
    const { targetCluster, resourceSnapshotIndex: index, deleting } = before;
    const after = staying.get(targetCluster);
    if (deleting || index === undefined || after?.resourceSnapshotIndex !== index) return false;
    const was = before.applyStrategy ?? recorded!.object?.spec.strategy.applyStrategy;
    if (was && !isSame(was, strategyOf(work, targetCluster))) return true;
    return isFilledAnew({ before, after }, work, world);
  });
  return new Set(anew.map(({ targetCluster }) => targetCluster));
}

/** A label that only fills a variable of an override moves no binding: what is applied changes all the same. */
function isFilledAnew(
  { before: held, after }: { readonly before: Binding; readonly after: Binding },
  work: PlacementWork,
  world: World,
): boolean {
  const { targetCluster: cluster, resourceSnapshotIndex: index } = after;
  const labels = labelsBefore(held, world);
  const manifests = rememberedManifests(work, index);
  if (!labels || !manifests) return false;
  const what = { placement: refOf(work.placement), manifests, lists: after, cluster };
  const now = world.render(what);
  // Where overrides fail now, the cluster keeps what it has.
  if (!now.ok) return false;
  const before = world.render({ ...what, labels });
  return !before.ok || before.digest !== now.digest;
}

/** Most bindings of a placement have one strategy, before and after. */
function strategyComparison(): (a: ApplyStrategy, b: ApplyStrategy) => boolean {
  let last: { readonly a: ApplyStrategy; readonly b: ApplyStrategy; readonly same: boolean } | undefined;
  return (a, b) => {
    if (last?.a !== a || last.b !== b) last = { a, b, same: canonicalJson(a) === canonicalJson(b) };
    return last.same;
  };
}

/** What the record says a cluster holds: its recorded index with its recorded override snapshots and labels. */
export function recordedContentsOf(target: Target, world: World): readonly Manifest[] {
  const recorded = world.record.placements.get(placementKey(target.placement));
  const binding = recorded?.state.bindings.find(
    ({ targetCluster, state }) => targetCluster === target.clusterName && state !== 'Scheduled',
  );
  if (!recorded || binding?.resourceSnapshotIndex === undefined) return [];
  const manifests = recorded.snapshots.get(binding.resourceSnapshotIndex) ?? [];
  const rendered = world.render({
    placement: target.placement,
    manifests,
    lists: binding,
    cluster: target.clusterName,
    labels: labelsBefore(binding, world),
  });
  return rendered.ok ? rendered.manifests.map(({ manifest }) => manifest) : [];
}

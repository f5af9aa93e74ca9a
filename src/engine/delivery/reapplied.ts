import type { ClusterName } from '../../api/meta.ts';
import { type ApplyStrategy, type PlacementRef, placementKey, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { previousLabels } from '../bindings/previous-labels.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { PlacementWork } from '../placement-work.ts';
import { knownManifests } from '../recovery/rebuilt-snapshot.ts';
import type { World } from '../world.ts';
import type { PlanContents } from './plan-contents.ts';
import { stayingOn, strategyOf } from './staying-bindings.ts';

/**
 * Clusters of a placement that apply the recorded snapshot again while nothing else of the binding changes: with another apply
 * strategy, or with other label values that overrides fill in.
 */
export function reappliedClusters({ works, world }: PlanContents, placement: PlacementRef): ReadonlySet<ClusterName> {
  const work = works.get(placementKey(placement));
  if (!work) return new Set();
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

/** A label that only fills a variable of an override moves no binding, but the applied objects change. */
function isFilledAnew(
  { before: held, after }: { readonly before: Binding; readonly after: Binding },
  work: PlacementWork,
  world: World,
): boolean {
  const { targetCluster: cluster, resourceSnapshotIndex: index } = after;
  const labels = previousLabels(held, world);
  const manifests = knownManifests(work, index);
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

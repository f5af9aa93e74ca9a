import type { Manifest, ObjectRef } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import { listedObjects } from './delivery/listed-objects.ts';
import type { RenderedManifest } from './overrides/render.ts';
import type { RecordedLists } from './overrides/snapshot-id.ts';
import type { Target } from './plan-document.ts';
import type { PlacementWork } from './working.ts';
import type { World } from './world.ts';

/** Manifests of a target, and every object that a remembered snapshot of its placement lists. */
export function contentsOf(
  work: PlacementWork,
  target: Target,
  world: World,
): { readonly manifests: readonly RenderedManifest[]; readonly prunable: readonly ObjectRef[] } {
  const prunable = listedObjects(work.contents).refs;
  if (target.remove || target.resourceSnapshotIndex === undefined) return { manifests: [], prunable };
  const step = work.bindings.find(({ binding }) => binding.targetCluster === target.clusterName && !binding.deleting);
  const manifests = work.contents.get(target.resourceSnapshotIndex) ?? [];
  const rendered = world.render({
    placement: target.placement,
    manifests,
    lists: step?.binding ?? noLists,
    cluster: target.clusterName,
  });
  return { manifests: rendered.ok ? rendered.manifests : [], prunable };
}

const noLists: RecordedLists = {};

/** What the record says a cluster holds: its recorded index with its recorded override snapshots. */
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
  });
  return rendered.ok ? rendered.manifests.map(({ manifest }) => manifest) : [];
}

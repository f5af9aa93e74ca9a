import type { Manifest, ObjectRef } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import type { RenderedManifest } from './overrides/render.ts';
import type { RecordedLists } from './overrides/snapshot-id.ts';
import type { Target } from './plan-document.ts';
import { unpack } from './selection/envelope.ts';
import type { PlacementWork } from './working.ts';
import type { World } from './world.ts';

/** Manifests of a target, and every object that a remembered snapshot of its placement lists. */
export function contentsOf(
  work: PlacementWork,
  target: Target,
  world: World,
): { readonly manifests: readonly RenderedManifest[]; readonly prunable: readonly ObjectRef[] } {
  const prunable = listedObjects(work);
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

const listings = new WeakMap<PlacementWork['contents'], readonly ObjectRef[]>();

function listedObjects({ contents }: PlacementWork): readonly ObjectRef[] {
  let listed = listings.get(contents);
  if (!listed) {
    const refs = new Map<string, ObjectRef>();
    for (const manifests of contents.values())
      for (const manifest of manifests) for (const ref of refsOf(manifest)) refs.set(JSON.stringify(ref), ref);
    listed = [...refs.values()];
    listings.set(contents, listed);
  }
  return listed;
}

/** The object itself, or what is inside when it is an envelope: envelopes never reach a member. */
function refsOf(manifest: Manifest): ObjectRef[] {
  const opened = unpack(manifest);
  if (opened) return opened.ok ? opened.manifests.flatMap(refsOf) : [];
  const { apiVersion, kind, metadata } = manifest;
  return [{ apiVersion, kind, ...(metadata.namespace ? { namespace: metadata.namespace } : {}), name: metadata.name }];
}

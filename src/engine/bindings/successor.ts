import { refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { isWholeLook } from '../observed.ts';
import type { RecordedLists } from '../overrides/snapshot-id.ts';
import type { PlacementWork } from '../placement-work.ts';
import { rememberedManifests } from '../recovery/rebuilt-snapshot.ts';
import { keyOfManifest, objectKey } from '../selection/object-key.ts';
import { inFleet, type World } from '../world.ts';
import { heldBack } from './foreign-objects.ts';
import { isRemovalOver } from './observed-removal.ts';
import { ownershipOf } from './ownership.ts';

/** What a cluster is picked for anew. */
export interface Successor {
  readonly index: number;
  readonly lists: RecordedLists;
}

/**
 * Whether the successor of a binding that is being removed takes over what remains of it: the actor has removed all that it may,
 * the rest stays only since objects of others are in it, and the successor requires just that. Then nothing more is to be
 * removed, so there is nothing to wait for. In KubeFleet a namespace goes with all that is in it, so this does not arise
 * (docs/compatibility.md).
 */
export function successorReplacesRemaining(
  work: PlacementWork,
  leaving: Binding,
  { index, lists }: Successor,
  world: World,
): boolean {
  const { targetCluster: clusterName } = leaving;
  const placement = refOf(work.placement);
  const observation = world.observationOf(clusterName);
  if (!isWholeLook(observation) || !inFleet(clusterName, world)) return false;
  if (!isRemovalOver(work, clusterName, world)) return false;
  const held = new Set(heldBack({ clusterName, placement, objects: [] }, world.input).map(objectKey));
  const manifests = rememberedManifests(work, index);
  if (held.size === 0 || !manifests) return false;
  const isOwn = ownershipOf(work, world);
  const left = observation.objects.filter((object) => isOwn(object, leaving));
  if (left.length === 0 || !left.every((it) => held.has(keyOfManifest(it)) && !it.metadata.deletionTimestamp))
    return false;
  const rendered = world.render({ placement, manifests, lists, cluster: clusterName });
  if (!rendered.ok) return false;
  const wanted = new Set(rendered.manifests.map(({ manifest }) => keyOfManifest(manifest)));
  return left.every((object) => wanted.has(keyOfManifest(object)));
}

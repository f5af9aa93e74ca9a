import { refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { isCompleteObservation } from '../observed.ts';
import type { RecordedLists } from '../overrides/snapshot-id.ts';
import type { PlacementWork } from '../placement-work.ts';
import { knownManifests } from '../recovery/rebuilt-snapshot.ts';
import { keyOfManifest, objectKey } from '../selection/object-key.ts';
import { inFleet, type World } from '../world.ts';
import { blockedRemovals } from './foreign-objects.ts';
import { isRemovalFinished } from './observed-removal.ts';
import { ownershipOf } from './ownership.ts';

/** What a cluster is to get that was picked again while its earlier binding is being removed. */
export interface Successor {
  readonly index: number;
  readonly lists: RecordedLists;
}

/**
 * Whether the successor of a binding that is being removed takes over what remains of it. The actor has removed all that it
 * may, the rest stays only because it contains objects of others, and the successor wants exactly that rest. Then there is
 * nothing to wait for. KubeFleet removes a namespace with all that is in it, so this does not arise there
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
  if (!isCompleteObservation(observation) || !inFleet(clusterName, world)) return false;
  if (!isRemovalFinished(work, clusterName, world)) return false;
  const held = new Set(blockedRemovals({ clusterName, placement, objects: [] }, world.input).map(objectKey));
  const manifests = knownManifests(work, index);
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

import type { Manifest, PlacementKey } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import {
  type FleetRecord,
  type PlanInput,
  type RecordedPlacement,
  type Unread,
  type UnreadPlacement,
  writtenPlacements,
} from '../input.ts';
import { isWholeLook } from '../observed.ts';
import type { Hold } from '../plan-document.ts';
import { keyOfManifest } from '../selection/object-key.ts';
import { leftAlone, mayBeWritten } from './never-read.ts';
import { rebuilt, rebuiltEntries, type Sighted, sightedPlacements } from './rebuild.ts';

/**
 * Placements whose state in the record cannot be read, rebuilt from what the members show, as all are when the whole record is
 * lost: as if nothing had been remembered, they would come to all their clusters at once. Of clusters that do not show all
 * they hold, the recorded status tells which had the placement.
 */
export function recoverUnread(
  input: PlanInput,
  unread: Unread,
): { readonly record: FleetRecord; readonly holds: readonly Hold[] } {
  const { record, fleet } = input;
  const written = writtenPlacements(fleet);
  const sightings = unread.placements.size > 0 ? sightedPlacements(input) : new Map<PlacementKey, never>();
  const placements = new Map(record.placements);
  const holds: Hold[] = [];
  for (const [key, before] of unread.placements) {
    // Its bindings were made by the policy of the status, which is what the repo's may have changed since.
    const placement = before.object ?? written.get(key);
    const sighted = withTold(sightings.get(key) ?? new Map(), key, before, input);
    if (placement || mayBeWritten(fleet, key)) {
      const highest = Math.max(-1, ...before.snapshots.keys());
      placements.set(key, continued(rebuilt(placement, key, sighted, highest), before));
    } else if (sighted.size > 0) holds.push(leftAlone(key, [...sighted.keys()]));
  }
  return { record: { ...record, placements, unread: { ...unread, placements: new Map() } }, holds };
}

/** With what else is remembered; what snapshots listed may be removed one day, and none of it is applied as it is. */
function continued({ state, snapshots }: RecordedPlacement, before: UnreadPlacement): RecordedPlacement {
  const { files: _, ...rest } = before;
  const indexes = new Set([
    ...state.resourceSnapshots.map(({ index }) => index),
    ...snapshots.keys(),
    ...before.snapshots.keys(),
  ]);
  const all = [...indexes].sort((a, b) => a - b);
  const contents = (index: number): readonly Manifest[] => {
    const listed = [...(before.snapshots.get(index) ?? []), ...(snapshots.get(index) ?? [])];
    return [...new Map(listed.map((manifest) => [keyOfManifest(manifest), manifest])).values()];
  };
  return {
    ...rest,
    state: { ...state, resourceSnapshots: rebuiltEntries(all) },
    snapshots: new Map(all.map((index) => [index, contents(index)])),
  };
}

function withTold(
  shown: ReadonlyMap<string, Sighted>,
  key: PlacementKey,
  { object }: UnreadPlacement,
  { observations }: PlanInput,
): ReadonlyMap<string, Sighted> {
  const all = new Map(shown);
  for (const [cluster, { placements }] of observations ?? []) {
    const told = placements.find(({ placement }) => placementKey(placement) === key);
    if (told && !all.has(cluster)) all.set(cluster, { index: told.resourceSnapshotIndex, objects: [] });
  }
  for (const { clusterName, observedResourceIndex } of object?.status?.placementStatuses ?? []) {
    if (clusterName === undefined || all.has(clusterName) || isWholeLook(observations?.get(clusterName))) continue;
    if (observedResourceIndex !== undefined && /^\d+$/.test(observedResourceIndex))
      all.set(clusterName, { index: Number(observedResourceIndex), objects: [] });
  }
  return all;
}

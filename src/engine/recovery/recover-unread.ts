import type { ClusterName, Manifest, PlacementKey } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import {
  type FleetRecord,
  type PlanInput,
  type RecordedPlacement,
  type Unread,
  type UnreadPlacement,
  writtenPlacements,
} from '../input.ts';
import { isCompleteObservation } from '../observed.ts';
import type { Hold } from '../plan-document.ts';
import { keyOfManifest } from '../selection/object-key.ts';
import { highestNamed } from './highest-index.ts';
import { leftAlone, mayBeWritten } from './never-read.ts';
import { observedPlacements, type PlacementOnCluster, rebuilt, rebuiltEntries } from './rebuild.ts';

/**
 * Rebuilds placements whose state in the record cannot be read from the members, as when the whole record is lost. Planned
 * as new, they would be applied to all their clusters at once. For clusters that are not observed completely, the recorded
 * status lists which had the placement.
 */
export function recoverUnread(
  input: PlanInput,
  unread: Unread,
): { readonly record: FleetRecord; readonly holds: readonly Hold[] } {
  const { record, fleet } = input;
  const written = writtenPlacements(fleet);
  const observed = unread.placements.size > 0 ? observedPlacements(input) : new Map<PlacementKey, never>();
  const placements = new Map(record.placements);
  const holds: Hold[] = [];
  for (const [key, before] of unread.placements) {
    // Its bindings were made by the policy in the recorded status; that in the repo may have changed since.
    const placement = before.object ?? written.get(key);
    const onClusters = withReportedClusters(observed.get(key) ?? new Map(), key, before, input);
    if (placement || mayBeWritten(fleet, key)) {
      const highest = Math.max(highestNamed(input, key), ...before.snapshots.keys());
      placements.set(key, continued(rebuilt(placement, key, onClusters, highest), before));
    } else if (onClusters.size > 0) holds.push(leftAlone(key, [...onClusters.keys()]));
  }
  return { record: { ...record, placements, unread: { ...unread, placements: new Map() } }, holds };
}

/** With the readable rest of its record. Objects that its snapshots list can be removed later; none is applied as listed. */
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

function withReportedClusters(
  shown: ReadonlyMap<ClusterName, PlacementOnCluster>,
  key: PlacementKey,
  { object }: UnreadPlacement,
  { observations }: PlanInput,
): ReadonlyMap<ClusterName, PlacementOnCluster> {
  const all = new Map(shown);
  for (const [cluster, { placements }] of observations ?? []) {
    const reported = placements.find(({ placement }) => placementKey(placement) === key);
    if (reported && !all.has(cluster)) all.set(cluster, { index: reported.resourceSnapshotIndex, objects: [] });
  }
  for (const { clusterName, observedResourceIndex } of object?.status?.placementStatuses ?? []) {
    if (clusterName === undefined || all.has(clusterName) || isCompleteObservation(observations?.get(clusterName)))
      continue;
    if (observedResourceIndex !== undefined && /^\d+$/.test(observedResourceIndex))
      all.set(clusterName, { index: Number(observedResourceIndex), objects: [] });
  }
  return all;
}

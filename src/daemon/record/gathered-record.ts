import type { FleetRecord, RecordedPlacement } from '../../engine/input.ts';

/**
 * The record that the next plan goes by while one waits for its push. What that one saw first keeps its time. But what it would
 * forget is remembered until that is published: what was seen to be gone may come back meanwhile, from a daemon that is behind,
 * and would be nobody's.
 */
export function gatheredRecord(of: { readonly published: FleetRecord; readonly next: FleetRecord }): FleetRecord {
  const { published, next } = of;
  const kept = [...published.placements].filter(([key, before]) => forgets(before, next.placements.get(key)));
  return kept.length === 0 ? next : { ...next, placements: new Map([...next.placements, ...kept]) };
}

/** Clusters that it was being taken off, or the snapshots that say what it may have had anywhere. */
function forgets(before: RecordedPlacement, after: RecordedPlacement | undefined): boolean {
  if (!after) return true;
  const leaving = new Set(leavingClusters(after));
  const known = new Set(after.state.resourceSnapshots.map(({ index }) => index));
  return (
    leavingClusters(before).some((cluster) => !leaving.has(cluster)) ||
    before.state.resourceSnapshots.some(({ index }) => !known.has(index))
  );
}

const leavingClusters = ({ state }: RecordedPlacement) =>
  state.bindings.filter(({ deleting }) => deleting === true).map(({ targetCluster }) => targetCluster);

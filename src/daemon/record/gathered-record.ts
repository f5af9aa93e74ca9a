import type { FleetRecord, RecordedPlacement } from '../../engine/input.ts';

/**
 * The record for the next plan while one waits for its push. Times of first observations stay as in the waiting plan. Entries that
 * it would drop are kept until it is published: a daemon that is behind may create a removed object again, and it would be orphaned.
 * Nor were its removals requested.
 */
export function gatheredRecord(of: { readonly published: FleetRecord; readonly next: FleetRecord }): FleetRecord {
  const { published } = of;
  const next = { ...of.next, askedRemovals: published.askedRemovals };
  const kept = [...published.placements].filter(([key, before]) => forgets(before, next.placements.get(key)));
  return kept.length === 0 ? next : { ...next, placements: new Map([...next.placements, ...kept]) };
}

/** Whether clusters under removal are dropped, or snapshots that list what may be removed. */
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

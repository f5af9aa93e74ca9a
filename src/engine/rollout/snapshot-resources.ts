import { refOf } from '../../api/placement.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { compiledIds, compileOverrides } from '../overrides/match.ts';
import { lastGoodLost } from '../pause/placement-pause.ts';
import type { PlacementWork } from '../placement-work.ts';
import { takeSnapshot } from '../selection/snapshot.ts';
import type { World } from '../world.ts';
import { snapshotsInUse } from './snapshots-in-use.ts';

/**
 * Makes the present selection the latest snapshot. A user error leaves everything as it is, and so does an invalid file whose
 * last good version is lost.
 */
export function snapshotResources(work: PlacementWork, world: World): PlacementWork {
  if (!work.selection.ok || lastGoodLost(work, world.input.fleet)) return work;
  const taken = takeSnapshot({
    resourceSnapshots: work.resourceSnapshots,
    contents: work.contents,
    selection: work.selection,
    commit: world.input.commit,
    now: world.input.now,
    limit: work.placement.spec.revisionHistoryLimit,
    inUse: () => snapshotsInUse(work, world),
    digest: world.input.digest,
  });
  return { ...work, resourceSnapshots: taken.resourceSnapshots, contents: taken.contents };
}

/** The snapshot that a new update run takes, with the overrides that it records. */
export const snapshotForRun = (work: PlacementWork, world: World): PlacementWork =>
  work.selection.ok ? withOverrideIds(snapshotResources(work, world), world) : work;

/** Records the override snapshots used with the latest index: a rollback to it uses the same (docs/compatibility.md). */
export function withOverrideIds(work: PlacementWork, world: World): PlacementWork {
  const latest = latestOf(work.resourceSnapshots);
  if (!latest) return work;
  const ids = compiledIds(
    compileOverrides(refOf(work.placement), work.contents.get(latest.index) ?? [], world.overrides),
  );
  if (ids.join(' ') === (latest.overrides ?? []).join(' ')) return work;
  return {
    ...work,
    resourceSnapshots: work.resourceSnapshots.map((entry) => (entry === latest ? { ...entry, overrides: ids } : entry)),
  };
}

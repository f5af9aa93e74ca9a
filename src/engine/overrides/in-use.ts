import type { Binding, ResourceSnapshotEntry } from '../../api/placement-state.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { memoize } from '../kernel/memoize.ts';
import { isOver } from '../update-run.ts';
import { idsOf } from './snapshot-id.ts';

/** The bindings and snapshots of a placement, in the record or in a plan. */
interface PlacementState {
  readonly bindings: readonly Binding[];
  readonly resourceSnapshots: readonly ResourceSnapshotEntry[];
}

/**
 * Ids of the override snapshots in use: those that a binding, a recorded resource snapshot or a cluster of a run names. For a run
 * that is over its bindings name them.
 */
export function overridesInUse(
  placements: Iterable<PlacementState>,
  runs: Iterable<StagedUpdateRun>,
): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const placement of placements) for (const id of idsOfState(placement)) ids.add(id);
  for (const { status } of runs) {
    if (!status || isOver(status)) continue;
    for (const stage of status.stagesStatus ?? [])
      for (const { previous = {}, ...cluster } of stage.clusters)
        for (const id of [...idsOf(cluster), ...idsOf(previous)]) ids.add(id);
  }
  return ids;
}

/** Memoized by placements that did not change since an earlier plan. */
const idsOfState = memoize(({ bindings, resourceSnapshots }: PlacementState): readonly string[] => {
  const entries = resourceSnapshots.flatMap(({ overrides }) => overrides ?? []);
  return [...new Set([...bindings.flatMap(idsOf), ...entries])];
});

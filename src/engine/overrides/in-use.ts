import type { Binding, ResourceSnapshotEntry } from '../../api/placement-state.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { memoize } from '../kernel/memoize.ts';
import { isOver } from '../update-run.ts';
import { idsOf } from './snapshot-id.ts';

/** What a placement stands on, in the record or in a plan. */
interface Holding {
  readonly bindings: readonly Binding[];
  readonly resourceSnapshots: readonly ResourceSnapshotEntry[];
}

/**
 * Ids of the override snapshots that a binding, a remembered resource snapshot or a cluster of a run names: they must stay. What a
 * run that is over gave its clusters stands in their bindings.
 */
export function overridesInUse(placements: Iterable<Holding>, runs: Iterable<StagedUpdateRun>): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const placement of placements) for (const id of idsOfHolding(placement)) ids.add(id);
  for (const { status } of runs) {
    if (!status || isOver(status)) continue;
    for (const stage of status.stagesStatus ?? [])
      for (const cluster of stage.clusters) for (const id of idsOf(cluster)) ids.add(id);
  }
  return ids;
}

/** Of what did not change since an earlier plan it is known. */
const idsOfHolding = memoize(({ bindings, resourceSnapshots }: Holding): readonly string[] => {
  const entries = resourceSnapshots.flatMap(({ overrides }) => overrides ?? []);
  return [...new Set([...bindings.flatMap(idsOf), ...entries])];
});

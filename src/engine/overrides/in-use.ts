import type { Binding, ResourceSnapshotEntry } from '../../api/placement-state.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { isOver } from '../staged/step.ts';
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

const known = new WeakMap<Holding, readonly string[]>();

/** Of what did not change since an earlier plan it is known. */
function idsOfHolding(holding: Holding): readonly string[] {
  let ids = known.get(holding);
  if (!ids) {
    const entries = holding.resourceSnapshots.flatMap(({ overrides }) => overrides ?? []);
    ids = [...new Set([...holding.bindings.flatMap(idsOf), ...entries])];
    known.set(holding, ids);
  }
  return ids;
}

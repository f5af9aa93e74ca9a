import type { Binding, ResourceSnapshotEntry } from '../../api/placement-state.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { idsOf } from './snapshot-id.ts';

/** What a placement stands on, in the record or in a plan. */
interface Holding {
  readonly bindings: readonly Binding[];
  readonly resourceSnapshots: readonly ResourceSnapshotEntry[];
}

/** Ids of the override snapshots that a binding, a remembered resource snapshot or a cluster of a run names: they must stay. */
export function overridesInUse(placements: Iterable<Holding>, runs: Iterable<StagedUpdateRun>): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { bindings, resourceSnapshots } of placements) {
    for (const binding of bindings) for (const id of idsOf(binding)) ids.add(id);
    for (const entry of resourceSnapshots) for (const id of entry.overrides ?? []) ids.add(id);
  }
  for (const run of runs) {
    for (const stage of run.status?.stagesStatus ?? [])
      for (const cluster of stage.clusters) for (const id of idsOf(cluster)) ids.add(id);
  }
  return ids;
}

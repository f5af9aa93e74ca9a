import type { FleetRecord } from '../../engine/input.ts';
import { statusOf } from '../status/listing.ts';
import { knownPlacements } from '../status/placements.ts';
import { table } from '../terminal/table.ts';
import { titled } from './object.ts';

/** What a cluster has, or is to get, of every placement. */
export function clusterLines(name: string, record: FleetRecord): string[] {
  const rows = knownPlacements(record).flatMap(({ title, state }) =>
    state.bindings
      .filter(({ targetCluster }) => targetCluster === name)
      .map((binding) => [
        title,
        binding.deleting ? 'Deleting' : binding.state,
        binding.resourceSnapshotIndex,
        statusOf(binding.conditions, 'Applied'),
        statusOf(binding.conditions, 'Available'),
        (binding.driftedPlacements?.length ?? 0) + (binding.diffedPlacements?.length ?? 0),
      ]),
  );
  if (rows.length === 0) return ['Placements:  <none>'];
  return [titled('Placements', table(['PLACEMENT', 'STATE', 'SNAPSHOT', 'APPLIED', 'AVAILABLE', 'DRIFTED'], rows))];
}

import type { StagedUpdateRun } from '../../api/staged.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { type KnownPlacement, knownPlacements } from '../status/placements.ts';

/** The placement that a run moves. */
export const placementOf = ({ metadata, spec }: StagedUpdateRun, record: FleetRecord): KnownPlacement | undefined =>
  knownPlacements(record).find(
    ({ name, namespace }) => name === spec.placementName && namespace === metadata.namespace,
  );

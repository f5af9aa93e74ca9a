import type { StagedUpdateRun } from '../../../api/staged.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { isRunOf } from '../../../engine/update-run.ts';
import { type KnownPlacement, knownPlacements } from '../../status/known-placements.ts';

/** The placement that a run updates. */
export const placementOf = (run: StagedUpdateRun, record: FleetRecord): KnownPlacement | undefined =>
  knownPlacements(record).find((placement) => isRunOf(run, placement));

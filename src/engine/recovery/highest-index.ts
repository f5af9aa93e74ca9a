import type { PlacementKey } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import { parseIndex } from '../../api/syntax.ts';
import type { PlanInput } from '../input.ts';
import { placementOfRun } from '../update-run.ts';

/** One new snapshot a second would take 15 years. Above it the next index may be one that no reader accepts. */
export const highestIndex = 500_000_000;

/**
 * The highest index of a snapshot of the placement that an update run in the repo names; -1 = none. Members do not show indexes. In a
 * record that is rebuilt only higher ones are given, so that an old run does not bring another version under the index that it names.
 */
export const highestNamed = ({ fleet }: Pick<PlanInput, 'fleet'>, key: PlacementKey): number =>
  Math.max(
    -1,
    ...fleet.runs
      .filter((run) => placementKey(placementOfRun(run)) === key)
      .map(({ spec }) => parseIndex(spec.resourceSnapshotIndex ?? '') ?? -1)
      // A higher one was never given: the run has a typing error.
      .filter((index) => index < highestIndex),
  );

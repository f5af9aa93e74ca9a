import { type PlacementRef, placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { failedLast, type NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { titleOf } from '../../repo/title-of.ts';

/** `update run web-1 failed`, of the runs of an External placement that are all over; undefined: none did since. */
export function failedRunText(runs: readonly StagedUpdateRun[]): string | undefined {
  const failed = failedLast(runs);
  return failed && `update run ${titleOf(failed.metadata)} failed`;
}

export function neededRun(
  placement: Pick<PlacementRef, 'name' | 'namespace'>,
  all: readonly NotRolledOut[],
): NotRolledOut | undefined {
  const key = placementKey(placement);
  return all.find((one) => placementKey(one.placement) === key);
}

/** `needs a staged update run: the repo holds other resources than snapshot 1`; undefined where the placement needs none. */
export function needsRunText(
  placement: Pick<PlacementRef, 'name' | 'namespace'>,
  all: readonly NotRolledOut[],
): string | undefined {
  const found = neededRun(placement, all);
  return found && `needs a staged update run: ${found.why}`;
}

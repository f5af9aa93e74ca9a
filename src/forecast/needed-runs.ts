import { type PlacementRef, placementKey } from '../api/placement.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { NotRolledOut } from '../engine/staged/not-rolled-out.ts';
import { sameWanted } from './wanted-on.ts';

/** External placements with changes that no update run rolls out once everything has settled. */
export interface NeededRuns {
  /** Without those that the change leaves as they are. */
  readonly notRolledOut: readonly NotRolledOut[];
  /** Those that need a run only with the change, or for something else with it. */
  readonly needsRun: readonly PlacementRef[];
}

/**
 * `before`, `after`: the last plans without the change and with it. `waiting`: placements with a run that the change brings or holds, and
 * that takes what they need once it continues.
 */
export function neededRuns(before: PlanResult, after: PlanResult, waiting: readonly PlacementRef[]): NeededRuns {
  const taken = new Set(waiting.map(placementKey));
  const missing = after.notRolledOut.filter(({ placement }) => !taken.has(placementKey(placement)));
  const known = new Set(before.notRolledOut.map(idOf));
  const isSame = sameWanted(before, after);
  const isOther = (of: NotRolledOut): boolean => !known.has(idOf(of)) || !isSame(of.placement);
  const isAsBefore = (of: NotRolledOut): boolean => before.notRolledOut.some((was) => sameValue(was, of));
  return {
    notRolledOut: missing.filter((of) => isOther(of) || !isAsBefore(of)),
    needsRun: missing.filter(isOther).map(({ placement }) => placement),
  };
}

/** How many clusters lack something is no reason of its own. Digits of names are kept. */
const idOf = ({ placement, why }: NotRolledOut): string =>
  `${placementKey(placement)} ${why.replace(/(?<![\w.-])\d+(?![\w.-])/g, '#')}`;

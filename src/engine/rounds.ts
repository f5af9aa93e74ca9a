import { placementKey, refOf } from '../api/placement.ts';
import type { Problem } from '../api/problem.ts';
import { sameValue } from './kernel/same-value.ts';
import { shortList } from './kernel/short-list.ts';
import { leavingSteps, type PlacementWork } from './placement-work.ts';

/** A removal frees a cluster, which the scheduler fills in the next round; that may start further removals. */
export const mostRounds = 8;

interface Works {
  readonly works: readonly PlacementWork[];
}

/** A plan before a round. `moving`: of the works those that another round may change. */
export type Round<P extends Works> = P & { readonly moving: ReadonlySet<PlacementWork> };

/**
 * Advances a plan until no more removals start: at least once, at most `mostRounds` times. What still moves then is a
 * problem; the next reconciliation continues from there.
 */
export function inRounds<P extends Works, A extends P>(
  first: Round<P>,
  advance: (before: Round<P>) => A,
): A & { readonly problems: readonly Problem[] } {
  const next = (before: Round<P>): Round<A> => {
    const after = advance(before);
    const moving = new Set(after.works.filter((work, at) => leavesMore(before.works[at]!, work)));
    return { ...after, moving };
  };
  let last = next(first);
  for (let round = 1; round < mostRounds && last.moving.size > 0; round++) last = next(last);
  return { ...last, problems: last.moving.size === 0 ? [] : [notSettled(last.moving)] };
}

/** Whether removals started in a round. */
const leavesMore = (before: PlacementWork, after: PlacementWork): boolean =>
  before !== after && !sameValue(leavingBindings(before), leavingBindings(after));

const leavingBindings = ({ bindings }: PlacementWork) => leavingSteps(bindings).map(({ binding }) => binding);

function notSettled(moving: ReadonlySet<PlacementWork>): Problem {
  const names = shortList([...moving].map(({ placement }) => placementKey(refOf(placement))));
  return {
    severity: 'warning',
    code: 'plan-not-settled',
    message: `after ${mostRounds} rounds of planning, placements still leave clusters: ${names}. The next reconciliation continues from here`,
    fix: 'no change is needed; if the next reconciliation reports it again, open an issue',
  };
}

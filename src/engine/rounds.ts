import type { PlacementKey } from '../api/meta.ts';
import { placementKey, refOf } from '../api/placement.ts';
import type { Problem } from '../api/problem.ts';
import type { EvictOutcome } from './evict/evict.ts';
import { sameValue } from './kernel/same-value.ts';
import { shortList } from './kernel/short-list.ts';
import { leavingSteps, type PlacementWork } from './placement-work.ts';
import type { RunsOutcome } from './staged/placement-runs.ts';

/** A removal frees a cluster, which the scheduler fills in the next round; that may start further removals. */
export const mostRounds = 8;

/** How far a plan has come. */
export interface Round {
  readonly works: readonly PlacementWork[];
  /** Of the works those that another round may change. */
  readonly moving: ReadonlySet<PlacementWork>;
  readonly runs: ReadonlyMap<PlacementKey, RunsOutcome>;
  readonly evictions: EvictOutcome | undefined;
}
export type Advanced = Omit<Round, 'moving'> & { readonly evictions: EvictOutcome };

/**
 * Advances a plan until no more removals start: at least once, at most `mostRounds` times. What still moves then is a
 * problem; the next reconciliation continues from there.
 */
export function inRounds(
  first: Round,
  advance: (before: Round) => Advanced,
): Advanced & { readonly problems: readonly Problem[] } {
  const next = (before: Round) => {
    const after = advance(before);
    const moving = new Set(after.works.filter((work, at) => leavesMore(before.works[at]!, work)));
    return { ...after, moving };
  };
  let last = next(first);
  for (let round = 1; round < mostRounds && last.moving.size > 0; round++) last = next(last);
  return { ...last, problems: last.moving.size === 0 ? [] : [notSettled(last.moving)] };
}

/** Whether removals started in a round, by a rollout, a run or an eviction. */
const leavesMore = (before: PlacementWork, after: PlacementWork): boolean =>
  before !== after && !sameValue(leavingBindings(before), leavingBindings(after));

const leavingBindings = ({ bindings }: PlacementWork) => leavingSteps(bindings).map(({ binding }) => binding);

function notSettled(moving: Round['moving']): Problem {
  const names = shortList([...moving].map(({ placement }) => placementKey(refOf(placement))));
  return {
    severity: 'warning',
    code: 'plan-not-settled',
    message: `after ${mostRounds} rounds of planning, placements still leave clusters: ${names}. The next reconciliation continues from here`,
    fix: 'nothing in the repo; where the next reconciliation reports it again, report it as a bug',
  };
}

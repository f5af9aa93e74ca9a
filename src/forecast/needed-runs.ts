import { type PlacementRef, placementKey } from '../api/placement.ts';
import { canonicalJson } from '../engine/kernel/canonical-json.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import { compileOverrides } from '../engine/overrides/match.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { NotRolledOut } from '../engine/staged/not-rolled-out.ts';

/** External placements with changes that no update run rolls out once everything has settled. */
export interface NeededRuns {
  /** Without those that the change leaves as they are. */
  readonly notRolledOut: readonly NotRolledOut[];
  /** Those that need a run only with the change. */
  readonly needsRun: readonly PlacementRef[];
  /** Those and the ones that need one anyway, for something else with the change. */
  readonly others: readonly PlacementRef[];
}

/**
 * `before`, `after`: the last plans without the change and with it. `waiting`: placements with a run that the change brings or holds, and
 * that takes what they need once it continues.
 */
export function neededRuns(before: PlanResult, after: PlanResult, waiting: readonly PlacementRef[]): NeededRuns {
  const taken = new Set(waiting.map(placementKey));
  const missing = after.notRolledOut.filter(({ placement }) => !taken.has(placementKey(placement)));
  const known = new Set(before.notRolledOut.map(idOf));
  const isNew = (of: NotRolledOut): boolean => !known.has(idOf(of));
  const isOther = (of: NotRolledOut): boolean =>
    isNew(of) || wantedIn(before, of.placement) !== wantedIn(after, of.placement);
  const isAsBefore = (of: NotRolledOut): boolean => before.notRolledOut.some((was) => sameValue(was, of));
  return {
    notRolledOut: missing.filter((of) => isOther(of) || !isAsBefore(of)),
    needsRun: missing.filter(isNew).map(({ placement }) => placement),
    others: missing.filter(isOther).map(({ placement }) => placement),
  };
}

/** How many clusters lack something is no reason of its own. Digits of names are kept. */
const idOf = ({ placement, why }: NotRolledOut): string =>
  `${placementKey(placement)} ${why.replace(/(?<![\w.-])\d+(?![\w.-])/g, '#')}`;

/** What a placement selects, and the overrides of that; undefined: it cannot be selected. */
function wantedIn({ contents: { works, world } }: PlanResult, placement: PlacementRef): string | undefined {
  const selection = works.get(placementKey(placement))?.selection;
  if (!selection?.ok) return undefined;
  const { cluster, namespaced } = compileOverrides(placement, selection.manifests, world.overrides);
  return canonicalJson([selection.hash, ...[...cluster, ...namespaced].map(({ overrideSpec }) => overrideSpec)]);
}

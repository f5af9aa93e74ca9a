import { type PlacementRef, placementKey } from '../api/placement.ts';
import { sourceKey } from '../engine/input.ts';
import { canonicalJson } from '../engine/kernel/canonical-json.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { Hold, HoldReason, Plan } from '../engine/plan-document.ts';
import { sameWanted } from './wanted-on.ts';

const lasting: ReadonlySet<HoldReason> = new Set([
  'Freeze',
  'ContainsForeignObjects',
  'RecordLost',
  'RemovalRefused',
  'RolloutBudget',
  'StrategyNotFound',
]);

/**
 * Holds that last, and that are new with a change, or hold something else with it. `before`, `after`: the last plans. `back`: placements of
 * which it takes back all that is held.
 */
export function heldByChange(before: PlanResult, after: PlanResult, back: readonly PlacementRef[]): Hold[] {
  const known = holdsById(before.plan);
  const isSame = sameSubjects(before, after);
  const isKnown = (hold: Hold): boolean => {
    const was = known.get(idOf(hold));
    return was !== undefined && holdsSameRemovals(was, hold) && isSame(hold);
  };
  const isBack = ({ subject: { kind, ...of } }: Hold): boolean =>
    back.some((placement) => placement.kind === kind && placementKey(placement) === placementKey(of));
  return lastingHolds(after.plan).filter((hold) => !isKnown(hold) && !isBack(hold));
}

export const lastingHolds = ({ holds }: Plan): Hold[] => holds.filter(({ reason }) => lasting.has(reason));

/** Whether a plan has a hold of the same subject for the same reason. */
export const hasHold = (plan: Plan, hold: Hold): boolean => holdsById(plan).has(idOf(hold));

const holdsById = memoize(({ holds }: Plan) => new Map(holds.map((hold) => [idOf(hold), hold])));

const idOf = ({ subject, reason }: Hold): string => canonicalJson({ subject, reason });

/** It names none that are not held without the change. */
const holdsSameRemovals = ({ removes: was }: Hold, { removes: is }: Hold): boolean =>
  new Set(is?.objects).isSubsetOf(new Set(was?.objects)) && (is?.count ?? 0) <= (was?.count ?? 0);

/** Whether what is held is the same in both plans: what clusters are to have of a placement, or the spec of an update run. */
function sameSubjects(before: PlanResult, after: PlanResult): (hold: Hold) => boolean {
  const isSame = sameWanted(before, after);
  const specs = [before, after].map(specsOf);
  return ({ subject, reason }) => {
    // Other objects of the placement come and go meanwhile.
    if (reason === 'ContainsForeignObjects' || reason === 'RemovalRefused') return true;
    const { kind, name, namespace, clusterName } = subject;
    if (kind !== 'ClusterResourcePlacement' && kind !== 'ResourcePlacement') {
      const [was, is] = specs.map((of) => of.get(sourceKey(kind, subject)));
      return was === is;
    }
    return isSame({ kind, name, ...(namespace !== undefined && { namespace }) }, clusterName);
  };
}

/** Of staged update runs. */
const specsOf = ({ contents }: PlanResult): ReadonlyMap<string, string> =>
  new Map(
    contents.world.admitted.runs.map(({ kind, metadata, spec }) => [sourceKey(kind, metadata), canonicalJson(spec)]),
  );

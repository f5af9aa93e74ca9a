import { type Placement, type PlacementRef, type RolloutStrategy, refOf } from '../api/placement.ts';
import { canonicalJson } from '../engine/kernel/canonical-json.ts';
import type { PlanResult } from '../engine/plan.ts';

type Pace = Pick<RolloutStrategy, 'type' | 'rollingUpdate'>;

/** A placement that a change gives another type of rollout, or other budgets. */
export interface ChangedPace {
  readonly placement: PlacementRef;
  readonly before: Pace;
  readonly after: Pace;
}

/** By name. A change that is refused does not count. */
export function changedPaces(before: PlanResult, after: PlanResult): readonly ChangedPace[] {
  const { works, world } = after.contents;
  const deleted = new Set(world.admitted.deleted.map(({ key }) => key));
  return [...works].flatMap(([key, { placement }]): ChangedPace[] => {
    const earlier = before.contents.works.get(key);
    if (earlier === undefined || deleted.has(key)) return [];
    const [was, is] = [paceOf(earlier.placement), paceOf(placement)];
    return canonicalJson(was) === canonicalJson(is) ? [] : [{ placement: refOf(placement), before: was, after: is }];
  });
}

const paceOf = ({ spec: { strategy } }: Placement): Pace =>
  ({ type: strategy.type, ...(strategy.rollingUpdate && { rollingUpdate: strategy.rollingUpdate }) }) as Pace;

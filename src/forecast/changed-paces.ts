import { type PlacementRef, placementKey, type RolloutStrategy, refOf } from '../api/placement.ts';
import type { Fleet } from '../engine/input.ts';
import { canonicalJson } from '../engine/kernel/canonical-json.ts';

type Pace = Pick<RolloutStrategy, 'type' | 'rollingUpdate'>;

/** A placement that a change gives another type of rollout, or other budgets. */
export interface ChangedPace {
  readonly placement: PlacementRef;
  readonly before: Pace;
  readonly after: Pace;
}

/** By name, as they are in the fleet. */
export function changedPaces(before: Fleet, after: Fleet): readonly ChangedPace[] {
  const paceOf = ({ type, rollingUpdate }: RolloutStrategy): Pace =>
    ({ type, ...(rollingUpdate && { rollingUpdate }) }) as Pace;
  const known = new Map(
    before.placements.map((placement) => [placementKey(refOf(placement)), paceOf(placement.spec.strategy)]),
  );
  return after.placements.flatMap((placement): ChangedPace[] => {
    const ref = refOf(placement);
    const [was, is] = [known.get(placementKey(ref)), paceOf(placement.spec.strategy)];
    return was === undefined || canonicalJson(was) === canonicalJson(is)
      ? []
      : [{ placement: ref, before: was, after: is }];
  });
}

import type { PlacementPolicy } from '../../../api/placement.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import { evaluateSpread, type SpreadVerdicts, startSpread } from './spread.ts';

/** The bindings of a placement as one cycle of the scheduler sees them, before it picks. */
export interface Cycle {
  /** The effect of one more copy on topology spread; undefined without constraints. */
  readonly spread: SpreadVerdicts | undefined;
  /** Rows with a binding of an older policy. */
  readonly obsolete: ReadonlySet<number>;
  /** Rows with a binding of the current policy; absent where it is not needed, as for unselected clusters. */
  readonly live?: ReadonlySet<number>;
}

/** The cycle of PickAll, whose filters do not depend on bindings. */
export const noBindings: Cycle = { spread: undefined, obsolete: new Set() };

/** A cycle over the present bindings, on the rows `live`, for plans in which none ran. */
export function presentCycle(policy: PlacementPolicy, index: FleetIndex, live: Iterable<number>): Cycle {
  const spread = startSpread(policy, index, live);
  return { spread: spread && evaluateSpread(spread), obsolete: new Set() };
}

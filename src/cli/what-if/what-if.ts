import type { PlanInput } from '../../engine/input.ts';
import { type PlanResult, planFleet } from '../../engine/plan.ts';
import { withRecordedStatus } from '../plan/recorded-status.ts';
import { changesOf, type WhatIfFlags } from './changes.ts';
import { compare, type WhatIf } from './compare.ts';
import { suppose } from './suppose.ts';

/** Whether some what-if flag is set. */
export const isSupposed = (flags: WhatIfFlags): boolean =>
  [flags.taint, flags.withoutCluster, flags.property, flags.label].some((list) => (list?.length ?? 0) > 0);

/**
 * The plan of a fleet with changed clusters, and how it differs from the plan without the changes. Both are made from the
 * recorded state, so the result is what would happen next, not a first placement.
 */
export function whatIf(input: PlanInput, flags: WhatIfFlags): { readonly result: PlanResult; readonly whatIf: WhatIf } {
  const present = withRecordedStatus(input);
  const supposed = suppose(present, changesOf(flags));
  const result = planFleet(supposed.input);
  return {
    result,
    whatIf: compare({
      before: planFleet(present).plan,
      after: result.plan,
      input: supposed.input,
      changes: supposed.changes,
    }),
  };
}

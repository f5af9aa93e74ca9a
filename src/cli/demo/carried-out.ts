import type { PassResult } from '../../daemon/pass/pass-result.ts';
import type { Plan } from '../../engine/plan-document.ts';

/** How the fleet is after a pass, given how it was: of a refused plan nothing is carried out, it only says why. */
export function carriedOut(before: Plan | undefined, { kind, plan }: Extract<PassResult, { plan: Plan }>): Plan {
  if (kind !== 'refused') return plan;
  const { guard, problems } = plan;
  return { ...(before ?? nothingOf(plan)), guard, problems };
}

const nothingOf = (plan: Plan): Plan => ({
  ...plan,
  placements: [],
  targets: [],
  runs: [],
  approvals: [],
  evictions: [],
  holds: [],
  record: new Map(),
});

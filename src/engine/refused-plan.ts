import type { PlanInput } from './input.ts';
import { canonicalJson } from './kernel/canonical-json.ts';
import type { AllowedRemoval, GuardFinding, Plan } from './plan-document.ts';

/**
 * A plan with what the guard finds. The record of a refused plan is not published, so the instants at which its changes would
 * start are new in every plan. Its digest therefore covers the commit and the findings only: one digest for each refusal.
 */
export function withFindings(
  plan: Plan,
  {
    findings: guard,
    removal,
  }: { readonly findings: readonly GuardFinding[]; readonly removal: AllowedRemoval | undefined },
  digest: PlanInput['digest'],
): Plan {
  if (guard.length === 0) return plan;
  return {
    ...plan,
    guard,
    ...(removal && !removal.isGiven && { removals: removal.reviewed }),
    digest: `sha256:${digest(canonicalJson({ commit: plan.commit, guard }))}`,
  };
}

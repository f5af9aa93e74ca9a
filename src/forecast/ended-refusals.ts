import type { RemovalApproval } from '../api/gitfleet.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { GuardFinding } from '../engine/plan-document.ts';
import type { ForecastStep } from './steps.ts';

/**
 * Findings of the guard that refuse everything `now`, and nothing in the steps of a change, although none of its approvals (`given`)
 * allows that: it raises a limit, or lets less go at once. None where the first of the steps is refused, too.
 */
export function endedRefusals(
  now: PlanResult,
  steps: readonly ForecastStep[],
  given: readonly RemovalApproval[],
): readonly GuardFinding[] {
  const { guard } = now.plan;
  const digests = new Set(given.map(({ spec }) => spec.removalDigest));
  const isGiven = guard.some(({ removalDigest = '' }) => digests.has(removalDigest));
  if (guard.length === 0 || isGiven || steps[0]!.result.plan.guard.length > 0) return [];
  const later = new Set(steps.flatMap(({ result }) => result.plan.guard.map(idOf)));
  return guard.some((finding) => later.has(idOf(finding))) ? [] : guard;
}

const idOf = ({ rule, removalDigest, message }: GuardFinding): string => `${rule} ${removalDigest ?? message}`;

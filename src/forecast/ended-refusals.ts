import type { RemovalApproval } from '../api/gitfleet.ts';
import { placementKey } from '../api/placement.ts';
import type { Fleet } from '../engine/input.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { GuardFinding, Plan } from '../engine/plan-document.ts';
import { recordedObjects } from '../repo/record/recorded-objects.ts';
import type { ForecastStep } from './steps.ts';

/** A finding of the guard that refuses everything now, and no longer with a change. */
export interface EndedRefusal extends GuardFinding {
  /** The approval that allows what the change leaves to be removed; it is in the repo without the change. Absent = none is needed. */
  readonly allowedBy?: string;
}

/**
 * Findings of the guard that refuse everything `now`, and nothing in the steps of a change, although none of its approvals (`given`)
 * allows that: it raises a limit, lets less go at once, or leaves what another approval allows. None where the first of the steps is
 * refused, too. `fleet`: with the change.
 */
export function endedRefusals(
  now: PlanResult,
  steps: readonly ForecastStep[],
  { given, fleet }: { readonly given: readonly RemovalApproval[]; readonly fleet: Fleet },
): readonly EndedRefusal[] {
  const { guard } = now.plan;
  const first = steps[0]!.result.plan;
  const digests = new Set(given.map(({ spec }) => spec.removalDigest));
  const isGiven = guard.some(({ removalDigest = '' }) => digests.has(removalDigest));
  if (guard.length === 0 || isGiven || first.guard.length > 0) return [];
  const later = new Set(steps.flatMap(({ result }) => result.plan.guard.map(idOf)));
  if (guard.some((finding) => later.has(idOf(finding)))) return [];
  const started = startedRemovals(first).difference(startedRemovals(now.plan));
  const approval = fleet.removalApprovals.find(({ spec }) => started.has(spec.removalDigest));
  return guard.map((finding) => ({ ...finding, ...(approval && { allowedBy: placementKey(approval.metadata) }) }));
}

const idOf = ({ rule, removalDigest, message }: GuardFinding): string => `${rule} ${removalDigest ?? message}`;

/** Digests of the approved removals that a plan starts or continues. */
const startedRemovals = (plan: Plan): ReadonlySet<string> =>
  new Set([...recordedObjects('removals', plan).values()].map(({ value: { spec } }) => spec.removalDigest));

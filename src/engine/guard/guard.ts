import type { FleetRecord, PlanInput } from '../input.ts';
import type { GuardFinding, Plan } from '../plan-document.ts';
import { blastRadius } from './blast-radius.ts';
import { budgetsKept } from './budgets.ts';
import { compare } from './comparison.ts';
import { fleetInEffect } from './fleet-in-effect.ts';
import { absenceIsBelievable, removalsHaveFooting, targetsAreUnique } from './footing.ts';
import { freezeKept } from './freeze.ts';
import { removalsGoOn } from './going.ts';
import { findRemovals } from './removals.ts';
import { runOrderKept } from './run-order.ts';
import { versionsGoForward } from './versions.ts';

export interface GuardRequest {
  /** As it was written: the guard reads for itself what is in effect. */
  readonly input: PlanInput;
  /** The record that the plan was made from, and whether the one of the input was lost. */
  readonly recovered: { readonly record: FleetRecord; readonly lost: boolean };
  readonly plan: Plan;
}

/**
 * Reads a plan as a stranger would and says what must not happen. Shares no code with what planned: a rule both got from
 * the same line would not be a check. Non-empty = the plan is refused. Findings that carry a `removalDigest` pass once a
 * RemovalApproval of that digest is on main; the others never do.
 */
export function guard({ input: written, recovered, plan }: GuardRequest): GuardFinding[] {
  const input: PlanInput = { ...written, fleet: fleetInEffect(written), record: recovered.record };
  const compared = compare(input, plan);
  const removals = findRemovals(input, plan, compared);
  return [
    ...targetsAreUnique(plan),
    ...absenceIsBelievable(input, compared),
    ...removalsHaveFooting(input, compared),
    ...removalsGoOn(input, plan),
    ...versionsGoForward(input, plan, compared),
    ...budgetsKept(input, plan, compared),
    ...runOrderKept(input, plan),
    ...freezeKept(input, plan, compared),
    ...blastRadius(input, compared, removals),
  ];
}

import { currentCondition } from '../binding-health.ts';
import { type BudgetInForce, bindsRollouts, budgetAllows } from '../evict/budget.ts';
import type { BindingStep, PlacementWork } from '../working.ts';
import type { Classified } from './classify.ts';

export interface WithinBudget {
  readonly allowed: ReadonlySet<Classified>;
  /** Why the disruption budget keeps the others back. */
  readonly denials: ReadonlyMap<Classified, string>;
}

/**
 * Of the bindings that a rollout picked, those that the placement's disruption budget lets it disturb; only a budget
 * annotated `gitfleet.dev/budget-scope: all` speaks to rollouts (docs/compatibility.md). What is not available is not
 * disturbed, and an addition disturbs nothing. Each one let through counts against those after it.
 */
export function withinBudget(
  work: PlacementWork,
  all: readonly Classified[],
  chosen: ReadonlySet<Classified>,
  budget: BudgetInForce,
): WithinBudget {
  if (budget === undefined || !bindsRollouts(budget)) return { allowed: chosen, denials: new Map() };
  const allowed = new Set<Classified>();
  const denials = new Map<Classified, string>();
  const steps = new Map<Classified, BindingStep>(all.map((entry) => [entry, entry.step]));
  for (const entry of chosen) {
    const { binding } = entry.step;
    if (entry.candidate === 'bind' || currentCondition(binding, 'Available')?.status !== 'True') {
      allowed.add(entry);
      continue;
    }
    const verdict = budgetAllows({ ...work, bindings: [...steps.values()] }, budget);
    if (!verdict.allowed) denials.set(entry, verdict.message);
    else {
      allowed.add(entry);
      steps.set(entry, { ...entry.step, binding: { ...binding, conditions: [] } });
    }
  }
  return { allowed, denials };
}

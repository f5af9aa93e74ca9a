import {
  asksBudget,
  type BudgetInForce,
  bindsRollouts,
  budgetVerdicts,
  countBindings,
  isAvailable,
} from '../evict/budget.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { Classified } from './classify.ts';

export interface WithinBudget {
  readonly allowed: ReadonlySet<Classified>;
  /** Why the disruption budget keeps the others back. */
  readonly denials: ReadonlyMap<Classified, string>;
}

/**
 * Of the bindings that a rollout picked, those that the placement's disruption budget lets it disturb; only a budget
 * annotated `gitfleet.dev/budget-scope: all` speaks to rollouts (docs/compatibility.md). An addition disturbs nothing. Each
 * available one let through counts against those after it; the others were never counted.
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
  const verdictOn = budgetVerdicts(work, budget);
  let count = countBindings(all.map(({ step }) => step));
  for (const entry of chosen) {
    const { binding } = entry.step;
    if (asksBudget(binding)) {
      const verdict = verdictOn(count);
      if (!verdict.allowed) {
        denials.set(entry, verdict.message);
        continue;
      }
      if (isAvailable(binding)) count = { ...count, available: count.available - 1 };
    }
    allowed.add(entry);
  }
  return { allowed, denials };
}

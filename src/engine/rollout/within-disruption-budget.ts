import { allowanceOf, needsBudget } from '../budget/allowance.ts';
import { budgetOfRollouts, type PlacementBudget } from '../budget/placement-budget.ts';
import { onItsWayOut, type PlacementWork } from '../placement-work.ts';
import type { Classified } from './classify.ts';

export interface WithinBudget {
  readonly allowed: ReadonlySet<Classified>;
  /** Why the disruption budget keeps the others back. */
  readonly denials: ReadonlyMap<Classified, string>;
}

/**
 * Of the bindings that a rollout picked, those that the placement's disruption budget lets it disturb. An addition disturbs
 * nothing. Each available one let through counts against those after it; the others were never counted.
 */
export function withinDisruptionBudget(of: {
  readonly work: PlacementWork;
  readonly all: readonly Classified[];
  readonly chosen: ReadonlySet<Classified>;
  readonly budget: PlacementBudget;
}): WithinBudget {
  const { work, all, chosen } = of;
  const budget = budgetOfRollouts(of.budget);
  if (budget === undefined) return { allowed: chosen, denials: new Map() };
  const allowed = new Set<Classified>();
  const denials = new Map<Classified, string>();
  let allowance = allowanceOf({ work, bindings: all.map(({ step }) => step), budget, isCounted: () => true });
  for (const entry of chosen) {
    const { step } = entry;
    if (needsBudget(step.binding)) {
      const { verdict } = allowance;
      if (!verdict.allowed) {
        denials.set(entry, verdict.message);
        continue;
      }
      allowance = allowance.after([step], [onItsWayOut(step.binding)]);
    }
    allowed.add(entry);
  }
  return { allowed, denials };
}

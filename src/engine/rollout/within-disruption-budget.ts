import type { ClusterName } from '../../api/meta.ts';
import { allowanceOf, needsBudget } from '../budget/allowance.ts';
import { budgetOfRollouts, type PlacementBudget } from '../budget/placement-budget.ts';
import { markedForRemoval, type PlacementWork } from '../placement-work.ts';
import type { Classified } from './classify.ts';

export interface WithinBudget {
  readonly allowed: ReadonlySet<Classified>;
  /** Why the disruption budget holds the others. */
  readonly denials: ReadonlyMap<Classified, string>;
}

/**
 * Which selected bindings the placement's disruption budget allows a rollout to disrupt. An addition disrupts nothing. Each
 * allowed binding that was available counts against the budget for those after it.
 */
export function withinDisruptionBudget(of: {
  readonly work: PlacementWork;
  readonly all: readonly Classified[];
  readonly chosen: ReadonlySet<Classified>;
  readonly budget: PlacementBudget;
  readonly isUnavailable: (cluster: ClusterName) => boolean;
}): WithinBudget {
  const { work, all, chosen, isUnavailable } = of;
  const budget = budgetOfRollouts(of.budget);
  if (budget === undefined) return { allowed: chosen, denials: new Map() };
  const allowed = new Set<Classified>();
  const denials = new Map<Classified, string>();
  const bindings = all.map(({ step }) => step);
  let allowance = allowanceOf({ work, bindings, budget, isCounted: () => true, isUnavailable });
  for (const entry of chosen) {
    const { step } = entry;
    if (needsBudget(step.binding)) {
      const { verdict } = allowance;
      if (!verdict.allowed) {
        denials.set(entry, verdict.message);
        continue;
      }
      allowance = allowance.after([step], [markedForRemoval(step.binding)]);
    }
    allowed.add(entry);
  }
  return { allowed, denials };
}

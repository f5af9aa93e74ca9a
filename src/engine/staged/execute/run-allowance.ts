import { refOf } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { type Allowance, allowanceOf, needsBudget } from '../../budget/allowance.ts';
import { budgetOfRollouts, placementBudget } from '../../budget/placement-budget.ts';
import type { PlacementWork } from '../../placement-work.ts';
import { presentClusters } from '../left-clusters.ts';
import type { RunContext } from '../step.ts';

/** What the disruption budget of the placement allows a run, before it changes anything. */
export function runAllowance(work: PlacementWork, { input }: RunContext): Allowance {
  const present = presentClusters(input.clusters);
  return allowanceOf({
    work,
    bindings: work.bindings,
    budget: budgetOfRollouts(placementBudget(refOf(work.placement), input)),
    isCounted: (cluster) => present.has(cluster),
    isUnavailable: input.isUnavailable,
  });
}

/** Why the run may not change a binding now; undefined = it may. */
export function denialOf(binding: Binding, { verdict }: Allowance): string | undefined {
  if (verdict.allowed || !needsBudget(binding)) return undefined;
  return `${binding.targetCluster} is waiting for the disruption budget: ${verdict.message}`;
}

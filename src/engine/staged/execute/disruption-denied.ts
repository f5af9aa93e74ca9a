import { refOf } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { asksBudget, bindsRollouts, budgetAllows, budgetInForce } from '../../evict/budget.ts';
import { presentClusters } from '../left-clusters.ts';
import type { RunContext, RunStep } from '../step.ts';

/** Why a run may not touch a cluster now: a budget with scope `all` binds runs as it binds rollouts. */
export function disruptionDenied(step: RunStep, { input }: RunContext, binding: Binding): string | undefined {
  if (!asksBudget(binding)) return undefined;
  const { budgets = [], refused = [] } = input;
  const budget = budgetInForce(refOf(step.work.placement), { budgets, refused });
  if (budget === undefined || !bindsRollouts(budget)) return undefined;
  const present = presentClusters(input.clusters);
  const verdict = budgetAllows(step.work, budget, (cluster) => present.has(cluster));
  return verdict.allowed ? undefined : `${binding.targetCluster} waits for the disruption budget: ${verdict.message}`;
}

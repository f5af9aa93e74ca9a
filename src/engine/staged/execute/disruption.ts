import { refOf } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import {
  asksBudget,
  type BindingCount,
  bindsRollouts,
  budgetInForce,
  budgetVerdicts,
  countBindings,
} from '../../evict/budget.ts';
import type { BindingStep, PlacementWork } from '../../placement-work.ts';
import { presentClusters } from '../left-clusters.ts';
import type { RunContext } from '../step.ts';

/** What a budget with scope `all`, which binds runs as it binds rollouts, lets one do to cluster after cluster. */
export interface Disruption {
  /** Why the run may not touch a binding now. */
  readonly denies: (binding: Binding) => string | undefined;
  /** The same once bindings are others. */
  readonly after: (before: readonly BindingStep[], after: readonly BindingStep[]) => Disruption;
}

/** Before the run touches anything. */
export function disruptionOf(work: PlacementWork, { input }: RunContext): Disruption {
  const { budgets, refused } = input;
  const budget = budgetInForce(refOf(work.placement), { budgets, refused });
  if (budget === undefined || !bindsRollouts(budget)) return free;
  const present = presentClusters(input.clusters);
  const countOf = (bindings: readonly BindingStep[]): BindingCount =>
    countBindings(bindings, (cluster) => present.has(cluster));
  const verdictOn = budgetVerdicts(work, budget);
  const by = (count: BindingCount): Disruption => ({
    denies(binding) {
      if (!asksBudget(binding)) return undefined;
      const { allowed, message } = verdictOn(count);
      return allowed ? undefined : `${binding.targetCluster} waits for the disruption budget: ${message}`;
    },
    after(before, after) {
      const [was, is] = [countOf(before), countOf(after)];
      return by({
        total: count.total - was.total + is.total,
        available: count.available - was.available + is.available,
      });
    },
  });
  return by(countOf(work.bindings));
}

const free: Disruption = { denies: () => undefined, after: () => free };

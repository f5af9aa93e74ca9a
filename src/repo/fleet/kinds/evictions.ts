import type { DisruptionBudget } from '../../../api/disruption-budget.ts';
import type { Eviction } from '../../../api/eviction.ts';
import { budgetScopeAnnotation } from '../../../engine/budget/placement-budget.ts';
import { conditionIs } from '../../../engine/kernel/condition.ts';
import type { FleetRows } from './row.ts';

export const evictionRows: FleetRows<Eviction | DisruptionBudget> = {
  ClusterResourcePlacementEviction: {
    in: 'evictions',
    references: ({ spec }, names) => [
      { ...names.placement(spec.placementName, undefined), path: 'spec.placementName' },
      { ...names.cluster(spec.clusterName), path: 'spec.clusterName' },
    ],
    hasFoundAll: ({ name }, { evictions }) => conditionIs(evictions.get(name)?.status?.conditions, 'Valid', 'True'),
  },
  ClusterResourcePlacementDisruptionBudget: {
    in: 'budgets',
    annotations: { [budgetScopeAnnotation]: 'all' },
    // A budget is that of the placement of its name.
    references: ({ metadata: { name } }, names) => [{ ...names.placement(name, undefined), path: 'metadata.name' }],
  },
};

import type { PlannedPool } from '../../../api/nodes/node-plan.ts';
import { limitedReasons } from '../../../engine/node-pools/budgets.ts';
import { bindingBudget, type FleetBudget } from '../../../engine/nodes/fleet-budgets.ts';
import { table } from '../../terminal/table.ts';

export const fleetBudgetTable = (budgets: readonly FleetBudget[]): string =>
  table(
    ['BUDGET', 'CLUSTERS', 'NODES', 'REASONS', 'SCHEDULE', 'DURATION', 'TIME-ZONE', 'ACTIVE', 'NEXT-CHANGE', 'ALLOWS'],
    budgets.map(({ index, clusters, nodes, reasons, schedule, duration, timeZone, allows, changesAt }) => [
      index,
      clusters,
      nodes,
      reasons?.join(',') ?? 'all',
      schedule ?? 'always',
      duration,
      timeZone,
      allows === undefined ? 'no' : 'yes',
      changesAt,
      allows,
    ]),
  );

/** `Empty: budget 0 of the fleet allows 1 node, fewer than the pool`, for each reason for which one does. */
export function bindingLines(pool: Pick<PlannedPool, 'nodes' | 'allowed'>, budgets: readonly FleetBudget[]): string[] {
  const binding = limitedReasons.flatMap((reason) => {
    const budget = bindingBudget(reason, pool, budgets);
    return budget === undefined ? [] : [{ reason, budget }];
  });
  return [...Map.groupBy(binding, ({ budget }) => budget)].map(
    ([{ index, allows }, of]) =>
      `${of.map(({ reason }) => reason).join(', ')}: budget ${index} of the fleet allows ${allows} ${allows === 1 ? 'node' : 'nodes'} of the cluster, fewer than those of the pool`,
  );
}

import type { BudgetReason } from '../../node-pools/budgets.ts';
import type { Pool } from '../../node-pools/pool.ts';
import { addsDisruption } from '../cluster/pool-counts.ts';
import type { PlanState } from './plan-state.ts';

/** What commands that are found together take of the budgets of pools. */
export interface Spending {
  /** Whether the budgets allow these nodes as well. */
  readonly bears: (nodes: readonly number[]) => boolean;
  readonly spend: (nodes: readonly number[]) => void;
}

/** Every node of a command takes its share of what is left; after the command one that was disrupted before counts once. */
export function openSpending({ cluster, remaining }: PlanState, reason: BudgetReason): Spending {
  const spent = new Map<string, number>();
  const poolOf = (at: number) => cluster.nodes[at]!.pool!;
  return {
    bears: (nodes) =>
      [...Map.groupBy(nodes, poolOf)].every(
        ([pool, own]) => own.length <= remaining(pool, reason) - (spent.get(pool.name) ?? 0),
      ),
    spend(nodes) {
      for (const at of nodes) {
        const { name } = poolOf(at);
        if (addsDisruption(cluster.nodes[at]!)) spent.set(name, (spent.get(name) ?? 0) + 1);
      }
    },
  };
}

/** As many of the nodes, in their order, as the budgets of their pools bear in one command. */
export function borne(nodes: readonly number[], state: PlanState, reason: BudgetReason): readonly number[] {
  const left = new Map<Pool, number>();
  return nodes.filter((at) => {
    const pool = state.cluster.nodes[at]!.pool!;
    const before = left.get(pool) ?? state.remaining(pool, reason);
    left.set(pool, before - 1);
    return before > 0;
  });
}

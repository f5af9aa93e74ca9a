import type { BudgetReason } from '../../node-pools/budgets.ts';
import type { PlanState } from './plan-state.ts';

/** What commands that are found together take of the budgets of pools. */
export interface Spending {
  /** Whether the budgets allow these nodes as well. */
  readonly bears: (nodes: readonly number[]) => boolean;
  readonly spend: (nodes: readonly number[]) => void;
}

/** A node that is not ready is counted already, but goes only where something is left. */
export function openSpending({ cluster, remaining }: PlanState, reason: BudgetReason): Spending {
  const spent = new Map<string, number>();
  const poolOf = (at: number) => cluster.nodes[at]!.pool!;
  const readyOf = (nodes: readonly number[], pool: string): number =>
    nodes.filter((at) => poolOf(at).name === pool && cluster.nodes[at]!.isReady).length;
  return {
    bears(nodes) {
      for (const pool of new Set(nodes.map(poolOf))) {
        const left = remaining(pool, reason) - (spent.get(pool.name) ?? 0);
        if (left <= 0 || readyOf(nodes, pool.name) > left) return false;
      }
      return true;
    },
    spend(nodes) {
      for (const { name } of new Set(nodes.map(poolOf))) spent.set(name, (spent.get(name) ?? 0) + readyOf(nodes, name));
    },
  };
}

/** As many of the nodes, in their order, as the budgets of their pools bear. */
export function borne(nodes: readonly number[], state: PlanState, reason: BudgetReason): readonly number[] {
  const { bears, spend } = openSpending(state, reason);
  return nodes.filter((at) => {
    const isBorne = bears([at]);
    if (isBorne) spend([at]);
    return isBorne;
  });
}

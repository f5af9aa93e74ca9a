import { bySavings, isConsolidatable, isFree, noteOverBudget, type PlanState } from './plan-state.ts';

/** A node is empty where moving its pods costs nothing: pods that need no other node do not count. */
export const isEmpty = ({ disruptionCost }: { readonly disruptionCost: number }): boolean => disruptionCost <= 1;

/** All empty nodes that the budgets bear, in one command, under every policy. No simulation. */
export function removeEmpty(state: PlanState): void {
  const { cluster, now } = state;
  const { nodes } = cluster;
  const candidates = [...nodes.keys()]
    .filter((at) => {
      const node = nodes[at]!;
      return isEmpty(node) && isConsolidatable(node, now) && isFree(state, at) && state.blockers(at) === undefined;
    })
    .sort(bySavings(nodes));
  const spent = new Map<string, number>();
  const taken = candidates.filter((at) => {
    const pool = nodes[at]!.pool!;
    const used = spent.get(pool.name) ?? 0;
    if (state.remaining(pool, 'Empty') <= used) {
      noteOverBudget(state, pool.name, at);
      return false;
    }
    // One that is not ready counts as disrupting already.
    spent.set(pool.name, used + (nodes[at]!.isReady ? 1 : 0));
    return true;
  });
  if (taken.length === 0) return;
  for (const at of taken) state.scheduling.commit([at], { ok: true, landed: new Map(), newNodes: [] });
  const pods = taken.flatMap((at) => nodes[at]!.pods.filter(({ isReschedulable }) => isReschedulable));
  state.take({
    method: 'Emptiness',
    reason: 'Empty',
    nodes: taken,
    replacements: [],
    moves: pods.map((pod) => ({ pod, to: undefined })),
  });
}

import { bySavings, isConsolidatable, isFree, noteOverBudget, type PlanState } from './plan-state.ts';
import { borne } from './spending.ts';

/** A node is empty where moving its pods costs nothing: pods that need no other node do not count. */
export const isEmpty = ({ disruptionCost }: { readonly disruptionCost: number }): boolean => disruptionCost <= 1;

export function isEmptyCandidate(state: PlanState, at: number): boolean {
  const node = state.cluster.nodes[at]!;
  return isEmpty(node) && isConsolidatable(node, state.now) && isFree(state, at) && state.blockers(at) === undefined;
}

/** All empty nodes that the budgets bear, but not more than `most`, in one command, under every policy. No simulation. */
export function removeEmpty(state: PlanState, most = Number.POSITIVE_INFINITY): void {
  if (most === 0) return;
  const { nodes } = state.cluster;
  const candidates = [...nodes.keys()].filter((at) => isEmptyCandidate(state, at)).sort(bySavings(nodes));
  const allowed = borne(candidates, state, 'Empty');
  const isAllowed = new Set(allowed);
  for (const at of candidates) if (!isAllowed.has(at)) noteOverBudget(state, nodes[at]!.pool!.name, at);
  const taken = allowed.slice(0, most);
  if (taken.length === 0) return;
  for (const at of taken) state.scheduling.leaves(at);
  const pods = taken.flatMap((at) => nodes[at]!.pods.filter(({ isReschedulable }) => isReschedulable));
  state.take({
    method: 'Emptiness',
    reason: 'Empty',
    nodes: taken,
    replacements: [],
    moves: pods.map((pod) => ({ pod, to: undefined })),
  });
}

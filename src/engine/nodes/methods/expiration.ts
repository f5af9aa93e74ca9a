import { replaceOneByOne } from './graceful.ts';
import type { PlanState } from './plan-state.ts';

/**
 * Nodes past their age. Forceful, as since Karpenter v1: at once, without budget and replacement, whatever protects the node. Graceful,
 * where a file writes expireAfter in the old place: like drift, within budgets.
 */
export function expire(state: PlanState, mostNew: number): void {
  const { cluster, scheduling, now } = state;
  const due = cluster.nodes
    .flatMap((node, at) => {
      const { claim, pool, isMarked, isDeleting } = node;
      if (claim?.expireAfterMs === undefined || pool === undefined || isMarked || isDeleting || state.isTaken(at))
        return [];
      const dueAt = claim.createdAt + claim.expireAfterMs;
      return dueAt <= now ? [{ at, pool, dueAt }] : [];
    })
    .sort((a, b) => a.dueAt - b.dueAt || a.at - b.at);
  const graceful: number[] = [];
  for (const { at, pool } of due) {
    if (pool.profile === 'karpenter-v1beta1') {
      if (state.blockers(at) === undefined) graceful.push(at);
      continue;
    }
    const pods = cluster.nodes[at]!.pods.filter(({ isReschedulable }) => isReschedulable);
    state.take({
      method: 'Expiration',
      reason: 'Expired',
      nodes: [at],
      replacements: [],
      moves: pods.map((pod) => ({ pod, to: undefined })),
    });
    scheduling.leaves(at);
  }
  replaceOneByOne(graceful, { method: 'Expiration', reason: 'Expired', mostNew }, state);
}

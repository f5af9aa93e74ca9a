import type { Instant } from '../../kernel/instant.ts';
import type { ClusterNode } from '../cluster/cluster-nodes.ts';
import { replaceOneByOne } from './graceful.ts';
import type { PlanState } from './plan-state.ts';

/** When the claim of a node is past its age, and whether it goes by force then, as NodeClaims of unknown pools do. */
export function expiryOf({
  claim,
  pool,
}: ClusterNode): { readonly at: Instant; readonly isForced: boolean } | undefined {
  if (claim?.expireAfterMs === undefined || (pool === undefined && claim.manifest === undefined)) return undefined;
  return { at: claim.createdAt + claim.expireAfterMs, isForced: pool?.profile !== 'karpenter-v1beta1' };
}

/**
 * Nodes past their age. Forceful, as since Karpenter v1: at once, without budget and replacement, whatever protects the node. Graceful,
 * where a file writes expireAfter in the old place: like drift, within budgets, and not more than `most`.
 */
export function expire(state: PlanState, mostNew: number, most: number): void {
  const { cluster, scheduling, now } = state;
  const due = cluster.nodes
    .flatMap((node, at) => {
      const expiry = expiryOf(node);
      if (expiry === undefined || expiry.at > now || node.isDeleting || cluster.removing.has(node.name)) return [];
      return state.isTaken(at) ? [] : [{ at, dueAt: expiry.at, isForced: expiry.isForced }];
    })
    .sort((a, b) => a.dueAt - b.dueAt || a.at - b.at);
  const graceful: number[] = [];
  for (const { at, isForced } of due) {
    if (!isForced) {
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
  replaceOneByOne(graceful, { method: 'Expiration', reason: 'Expired', mostNew, most }, state);
}

import type { Instant } from '../../kernel/instant.ts';
import type { ClusterNode } from '../cluster/cluster-nodes.ts';
import { replaceStatic } from './drift.ts';
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

/** Nodes past their age that go by force, as since Karpenter v1: at once, without budget and replacement, whatever protects the node. */
export function expireByForce(state: PlanState): void {
  const { cluster, scheduling } = state;
  for (const at of expired(state, true)) {
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
}

/**
 * Those of pools whose file writes expireAfter in the old place: like drift, within budgets, and not more than `most`. Static pools keep
 * their number: each of their nodes gets one of its own pool.
 */
export function expireGracefully(state: PlanState, mostNew: number, most: number): void {
  const due = expired(state, false).filter((at) => state.blockers(at) === undefined);
  const before = state.drafts.length;
  const scaled = due.filter((at) => state.cluster.nodes[at]!.pool!.replicas === undefined);
  replaceOneByOne(scaled, { method: 'Expiration', reason: 'Expired', mostNew, most }, state);
  if (mostNew === 0) return;
  replaceStatic(state, {
    method: 'Expiration',
    reason: 'Expired',
    most: most - (state.drafts.length - before),
    dueOf: (pool) => due.filter((at) => state.cluster.nodes[at]!.pool === pool),
  });
}

/** The longest expired first. */
const expired = (state: PlanState, byForce: boolean): readonly number[] =>
  state.cluster.nodes
    .flatMap((node, at) => {
      const expiry = expiryOf(node);
      if (expiry === undefined || expiry.at > state.now || expiry.isForced !== byForce) return [];
      if (node.isDeleting || state.cluster.removing.has(node.name) || state.isTaken(at)) return [];
      return [{ at, dueAt: expiry.at }];
    })
    .sort((a, b) => a.dueAt - b.dueAt || a.at - b.at)
    .map(({ at }) => at);

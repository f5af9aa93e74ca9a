import type { NodeFailure } from '../../api/nodes/node-plan.ts';
import { type Instant, parseInstant } from '../kernel/instant.ts';
import { typeCheckedAt } from './candidates/drift.ts';
import type { ClusterNodes } from './cluster/cluster-nodes.ts';
import { protectionOf } from './cluster/pod.ts';
import type { Market } from './launch/market.ts';
import { forgottenAt } from './lifecycle.ts';

/**
 * Every instant at which time alone may change what is planned for the nodes of a cluster, apart from windows of budgets and the phases
 * of commands: a node may be consolidated or takes in pods again, expires, is old enough for its type to be looked up, or cools down no
 * longer; a pod is no longer protected. Some are over, some change nothing.
 */
export function planTimes(
  { nodes, claimsWithoutNode }: ClusterNodes,
  {
    failures,
    market: { types },
    now,
  }: { readonly failures: readonly NodeFailure[]; readonly market: Market; readonly now: Instant },
): readonly Instant[] {
  const claims = [...nodes.flatMap(({ claim }) => claim ?? []), ...claimsWithoutNode];
  return [
    ...nodes.flatMap(({ consolidatableAt }) => consolidatableAt ?? []),
    ...nodes.flatMap(({ pods }) => pods.flatMap((pod) => protectionOf(pod, now)?.until ?? [])).map(Math.ceil),
    ...claims.flatMap((claim) => [
      ...(claim.expireAfterMs === undefined || claim.isDeleting ? [] : [claim.createdAt + claim.expireAfterMs]),
      ...(types === undefined ? [] : [typeCheckedAt(claim)]),
    ]),
    ...failures.flatMap((failure) => [parseInstant(failure.until) ?? 0, forgottenAt(failure)]),
  ];
}

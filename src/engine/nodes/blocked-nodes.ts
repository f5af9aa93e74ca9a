import type { BlockedNode, BlockReason } from '../../api/nodes/node-plan.ts';
import { formatInstant, type Instant } from '../kernel/instant.ts';
import { isTypeKnown } from './methods/attempt.ts';
import type { PlanState } from './methods/plan-state.ts';

/** Why nodes may not go, one entry each, and when time ends it. `busy`: nodes of commands, which have none. */
export function blockedNodes(
  state: PlanState,
  busy: ReadonlySet<string>,
): { readonly blocked: readonly BlockedNode[]; readonly wakes: readonly Instant[] } {
  const { cluster } = state;
  const entries = [
    ...cluster.nodes.flatMap((node, at) => (busy.has(node.name) ? [] : (entryOf(at, state) ?? []))),
    ...cluster.claimsWithoutNode.map(
      ({ name, poolName }): Entry => ({
        node: name,
        pool: poolName,
        reason: 'NoNode',
        message: `NodeClaim ${name} has no node`,
      }),
    ),
  ];
  return {
    blocked: entries
      .map(
        ({ node, pool, reason, message, reasons, until }): BlockedNode => ({
          node,
          ...(pool === undefined ? {} : { pool }),
          reason,
          message,
          ...(reasons === undefined ? {} : { reasons: [...reasons] }),
          ...(until === undefined ? {} : { until: formatInstant(until) }),
        }),
      )
      .sort((a, b) => (a.node < b.node ? -1 : a.node > b.node ? 1 : 0)),
    wakes: entries.flatMap(({ until }) => until ?? []),
  };
}

interface Entry {
  readonly node: string;
  readonly pool: string | undefined;
  readonly reason: BlockReason;
  readonly message: string;
  readonly reasons?: readonly string[];
  readonly until?: Instant;
}

const graceful = ['Empty', 'Underutilized'] as const;

function entryOf(at: number, state: PlanState): Entry | undefined {
  const { cluster, now } = state;
  const node = cluster.nodes[at]!;
  const { name, poolName: pool, claim, consolidatableAt } = node;
  if (claim === undefined && !(pool !== undefined && cluster.hasNodeClaims)) return undefined;
  const blocker = state.blockers(at);
  if (blocker !== undefined) {
    const { reason, message, until, isOfPod } = blocker;
    const isForgiven = isOfPod && claim?.terminationGraceMs !== undefined;
    const ofPool = node.pool?.profile === 'karpenter-v1beta1' ? [...graceful, 'Expired'] : graceful;
    return {
      node: name,
      pool,
      reason,
      message,
      ...(isForgiven ? { reasons: ofPool } : {}),
      ...(until === undefined ? {} : { until }),
    };
  }
  if (node.pool?.replicas === undefined && consolidatableAt !== undefined && consolidatableAt > now)
    return {
      node: name,
      pool,
      reason: 'ConsolidateAfter',
      message: `pods of node ${name} changed within consolidateAfter, which ends at ${formatInstant(consolidatableAt)}`,
      reasons: graceful,
      until: consolidatableAt,
    };
  if (node.pool?.replicas === undefined && node.pool?.consolidateAfterMs !== undefined && !isTypeKnown(state, at))
    return {
      node: name,
      pool,
      reason: 'InstanceTypeUnknown',
      message:
        node.instanceType === undefined
          ? `node ${name} has no label of its instance type`
          : `instance type ${node.instanceType} of node ${name}, its zone or its capacity type is not known`,
      reasons: ['Underutilized'],
    };
  const unplaced = state.unplaced.get(at);
  if (unplaced !== undefined)
    return { node: name, pool, reason: unplaced.why, message: unplaced.message, reasons: ['Drifted'] };
  const coolDown = state.coolDownOf(node);
  return coolDown === undefined
    ? undefined
    : {
        node: name,
        pool,
        reason: 'CoolDown',
        message: `a command for node ${name} was rolled back; it is tried again from ${formatInstant(coolDown)}`,
        until: coolDown,
      };
}

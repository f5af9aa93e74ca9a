import type { BlockedNode, BlockReason } from '../../api/nodes/node-plan.ts';
import { formatInstant, type Instant } from '../kernel/instant.ts';
import type { Blocker } from './candidates/blockers.ts';
import type { ClusterNode } from './cluster/cluster-nodes.ts';
import { isTypeKnown } from './methods/attempt.ts';
import type { PlanState } from './methods/plan-state.ts';

/** Why nodes may not go, one entry each, and when time ends it. `busy`: nodes of commands, which have none. */
export function blockedNodes(state: PlanState, busy: ReadonlySet<string>): readonly BlockedNode[] {
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
  return entries
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
    .sort((a, b) => (a.node < b.node ? -1 : a.node > b.node ? 1 : 0));
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

/** What a rule found: `reasons` that it stops (absent = all), and when time ends it. */
export type Kept = Pick<Entry, 'message' | 'reasons' | 'until'>;

/** A reason that keeps a node which nothing blocks, or keeps it from some disruptions only. */
export interface KeepRule {
  readonly reason: BlockReason;
  readonly find: (at: number, state: PlanState) => Kept | undefined;
}

/** In the order in which they are looked for, after the blockers. */
export const keepRules: readonly KeepRule[] = [
  { reason: 'ConsolidateAfter', find: withinConsolidateAfter },
  { reason: 'InstanceTypeUnknown', find: ofUnknownType },
  { reason: 'NoPlaceForPods', find: unplacedFor('NoPlaceForPods') },
  { reason: 'PoolLimit', find: unplacedFor('PoolLimit') },
  { reason: 'CoolDown', find: coolingDown },
];

function entryOf(at: number, state: PlanState): Entry | undefined {
  const { cluster } = state;
  const { name: node, poolName: pool, claim } = cluster.nodes[at]!;
  if (claim === undefined && !(pool !== undefined && cluster.hasNodeClaims)) return undefined;
  const blocker = state.blockers(at);
  if (blocker !== undefined) {
    const { reason, message, until } = blocker;
    const stops = stoppedBy(blocker, cluster.nodes[at]!);
    return {
      node,
      pool,
      reason,
      message,
      ...(stops ? { reasons: stops } : {}),
      ...(until === undefined ? {} : { until }),
    };
  }
  for (const { reason, find } of keepRules) {
    const kept = find(at, state);
    if (kept !== undefined) return { node, pool, reason, ...kept };
  }
  return undefined;
}

/** What a blocker stops; undefined = everything. A drain with a deadline ends what pods have against it, except where it is graceful. */
export function stoppedBy(
  { isOfPod }: Pick<Blocker, 'isOfPod'>,
  { claim, pool }: ClusterNode,
): readonly string[] | undefined {
  if (!isOfPod || claim?.terminationGraceMs === undefined) return undefined;
  return pool?.profile === 'karpenter-v1beta1' ? [...graceful, 'Expired'] : graceful;
}

const scales = ({ pool }: ClusterNode): boolean => pool?.replicas === undefined;

function withinConsolidateAfter(at: number, { cluster, now }: PlanState): Kept | undefined {
  const node = cluster.nodes[at]!;
  const { name, consolidatableAt } = node;
  if (!scales(node) || consolidatableAt === undefined || consolidatableAt <= now) return undefined;
  return {
    message: `pods of node ${name} changed within consolidateAfter, which ends at ${formatInstant(consolidatableAt)}`,
    reasons: graceful,
    until: consolidatableAt,
  };
}

function ofUnknownType(at: number, state: PlanState): Kept | undefined {
  const node = state.cluster.nodes[at]!;
  if (!scales(node) || node.pool?.consolidateAfterMs === undefined || isTypeKnown(state, at)) return undefined;
  return { message: unknownType(node), reasons: ['Underutilized'] };
}

function unknownType({ name, instanceType, zone, capacityType }: ClusterNode): string {
  const missing = [
    instanceType === undefined && 'node.kubernetes.io/instance-type',
    zone === undefined && 'topology.kubernetes.io/zone',
    capacityType === undefined && 'karpenter.sh/capacity-type',
  ].filter((label) => label !== false);
  return missing.length > 0
    ? `node ${name} has no label ${missing.join(', ')}`
    : `instance type ${instanceType} of node ${name} is in no InstanceCatalog for its cluster: add it to one`;
}

function unplacedFor(wanted: 'NoPlaceForPods' | 'PoolLimit'): KeepRule['find'] {
  return (at, { unplaced, driftOf, cluster, now, market }) => {
    const found = unplaced.get(at);
    if (found?.why !== wanted) return undefined;
    const { claim, pool } = cluster.nodes[at]!;
    const { expireAfterMs = Number.POSITIVE_INFINITY, createdAt = now } = claim ?? {};
    const expires = pool?.profile === 'karpenter-v1beta1' && createdAt + expireAfterMs <= now;
    const reasons = [...(driftOf(at) === undefined ? [] : ['Drifted']), ...(expires ? ['Expired'] : [])];
    return { message: `${found.message}${wanted === 'NoPlaceForPods' ? whyNoneIsNew(market) : ''}`, reasons };
  };
}

/** Follows what says that there is no place. */
export const whyNoneIsNew = ({ types }: PlanState['market']): string =>
  types === undefined ? ', and without an InstanceCatalog for its cluster plans launch no node' : '';

function coolingDown(at: number, state: PlanState): Kept | undefined {
  const node = state.cluster.nodes[at]!;
  const until = state.coolDownOf(node);
  if (until === undefined) return undefined;
  return {
    message: `a command for node ${node.name} was rolled back; it is retried from ${formatInstant(until)}`,
    until,
  };
}

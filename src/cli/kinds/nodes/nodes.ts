import type { NodePlan } from '../../../api/nodes/node-plan.ts';
import { unbounded } from '../../../engine/node-pools/budgets.ts';
import type { Status } from '../../status/open-status.ts';
import { namesOfKind } from '../kind-words.ts';
import { type Listing, listing } from '../listing.ts';
import { nodePage, nodePoolPage } from './page.ts';

interface PlannedNode {
  readonly plan: NodePlan;
  readonly cluster: string;
  readonly name: string;
  readonly pool: string | undefined;
  readonly type?: string | undefined;
  readonly zone?: string | undefined;
  readonly capacityType?: string | undefined;
  readonly price?: number | undefined;
  readonly state: string;
  readonly until?: string | undefined;
}

const plans = ({ record }: Status): readonly NodePlan[] => [...record.nodes.values()];

/** Nodes that the status branch has a word about: those of claims, of commands and blocked ones. */
export const nodes: Listing = listing<PlannedNode>({
  names: namesOfKind('nodes'),
  folders: ['nodes'],
  items: (status) => plans(status).flatMap(nodesOf),
  describe: ({ plan: _, ...node }) => ({
    name: `${node.cluster}/${node.name}`,
    value: { apiVersion: 'gitfleet.dev/v1alpha1', kind: 'PlannedNode', ...node },
  }),
  page: ({ plan, name }, status) => nodePage(plan, name, status),
  columns: [
    { heading: 'POOL', cell: ({ pool }) => pool },
    { heading: 'TYPE', cell: ({ type }) => type },
    { heading: 'ZONE', cell: ({ zone }) => zone },
    { heading: 'CAPACITY', cell: ({ capacityType }) => capacityType },
    { heading: 'PRICE', cell: ({ price }) => price },
    { heading: 'STATE', cell: ({ state }) => state },
    { heading: 'UNTIL', cell: ({ until }) => until },
  ],
});

function nodesOf(plan: NodePlan): PlannedNode[] {
  const { metadata, claims, commands, blocked } = plan;
  const cluster = metadata.name;
  const found = new Map<string, PlannedNode>();
  for (const { name, node = name, pool } of claims) found.set(node, { plan, cluster, name: node, pool, state: 'Idle' });
  for (const { node, pool, reason, until } of blocked)
    found.set(node, { plan, cluster, name: node, pool, state: reason, until });
  for (const { method, nodes: own } of commands)
    for (const { name, pool, instanceType, zone, capacityType, price } of own)
      found.set(name, { plan, cluster, name, pool, type: instanceType, zone, capacityType, price, state: method });
  return [...found.values()];
}

interface PlannedNodePool {
  readonly plan: NodePlan;
  readonly cluster: string;
  readonly pool: NodePlan['pools'][number];
}

const limit = (allowed: number): string | number => (allowed === unbounded ? 'unbounded' : allowed);

export const nodePools: Listing = listing<PlannedNodePool>({
  names: namesOfKind('nodePools'),
  folders: ['nodes'],
  items: (status) =>
    plans(status).flatMap((plan) => plan.pools.map((pool) => ({ plan, cluster: plan.metadata.name, pool }))),
  describe: ({ cluster, pool }) => ({
    name: `${cluster}/${pool.name}`,
    value: { apiVersion: 'gitfleet.dev/v1alpha1', kind: 'PlannedNodePool', clusterName: cluster, ...pool },
  }),
  page: ({ plan, pool }, status) => nodePoolPage(plan, pool, status),
  columns: [
    { heading: 'NODES', cell: ({ pool }) => pool.nodes },
    { heading: 'DISRUPTING', cell: ({ pool }) => pool.disrupting },
    { heading: 'EMPTY', cell: ({ pool }) => limit(pool.allowed.Empty) },
    { heading: 'DRIFTED', cell: ({ pool }) => limit(pool.allowed.Drifted) },
    { heading: 'UNDERUTILIZED', cell: ({ pool }) => limit(pool.allowed.Underutilized) },
    { heading: 'NEXT-CHANGE', cell: ({ pool }) => pool.changesAt },
  ],
});

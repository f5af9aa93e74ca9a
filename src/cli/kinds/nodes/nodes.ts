import type { NodeCommand, NodePlan, PlannedPool } from '../../../api/nodes/node-plan.ts';
import { shortList } from '../../../engine/kernel/short-list.ts';
import { unbounded } from '../../../engine/node-pools/budgets.ts';
import type { ClusterNode } from '../../../engine/nodes/cluster/cluster-nodes.ts';
import { explainNode } from '../../../engine/nodes/explain-node.ts';
import type { NodesInPlan, Status } from '../../status/open-status.ts';
import { namesOfKind } from '../kind-words.ts';
import { type Listing, listing } from '../listing.ts';
import { bindingLines } from './fleet-budgets.ts';
import { eventsOfNode, nodePage } from './page.ts';
import { commandsOf, nodePoolPage, poolDetails } from './pool-page.ts';

interface PlannedNode {
  readonly plan: NodePlan;
  readonly cluster: string;
  readonly name: string;
  readonly pool: string | undefined;
  readonly type?: string | undefined;
  readonly zone?: string | undefined;
  readonly capacityType?: string | undefined;
  readonly price?: number | undefined;
  /** That run on it now; known where the plan is made now. */
  readonly pods?: number | undefined;
  /** The method that takes it, what keeps it, or Idle. */
  readonly state: string;
  readonly until?: string | undefined;
  /** Of the command that takes it: its id, and how far it is. */
  readonly command?: string;
  readonly phase?: NodeCommand['phase'];
}

const plans = ({ record }: Status): readonly NodePlan[] => [...record.nodes.values()];

const clusters = ({ record }: Status): readonly string[] => [
  ...new Set([...record.nodes.keys(), ...record.clusters.keys()]),
];

/** The status branch has these fields only of nodes of commands, and no plan knows a price that no PriceList has. */
const unknown = '<unknown>';

/** Nodes that a plan has a word about: those of claims, of commands and blocked ones. */
export const nodes: Listing = listing<PlannedNode>({
  names: namesOfKind('nodes'),
  none: 'No nodes: they are planned for clusters with a NodePool or the annotation gitfleet.dev/node-disruption, once they are observed (--observed for a plan).',
  folders: ['nodes'],
  isOfClusters: true,
  isNamedByColumns: true,
  owners: clusters,
  items: (status) => plans(status).flatMap((plan) => nodesOf(plan, status)),
  describe: ({ plan: { mode }, cluster, ...node }) => ({
    name: `${cluster}/${node.name}`,
    cluster,
    value: { apiVersion: 'gitfleet.dev/v1alpha1', kind: 'PlannedNode', clusterName: cluster, mode, ...node },
  }),
  details: ({ plan: recorded, cluster, name }, status) => {
    const plan = status.nodes?.get(cluster)?.plan;
    const explanation = plan && explainNode(plan, name);
    return explanation === undefined ? {} : { explanation, events: eventsOfNode(recorded, name, status) };
  },
  page: ({ plan, name }, status) => nodePage(plan, name, status),
  note: (status) =>
    status.nodes === undefined && plans(status).some(({ claims, blocked }) => claims.length + blocked.length > 0)
      ? 'type, zone, capacity, price and pods are recorded for nodes of commands only: gitfleet observe --out DIR, then --observed DIR here, show them for all'
      : undefined,
  columns: [
    { heading: 'CLUSTER', cell: ({ cluster }) => cluster },
    { heading: 'NODE', cell: ({ name }) => name },
    { heading: 'POOL', cell: ({ pool }) => pool },
    { heading: 'TYPE', cell: ({ type = unknown }) => type },
    { heading: 'ZONE', cell: ({ zone = unknown }) => zone },
    { heading: 'CAPACITY', cell: ({ capacityType = unknown }) => capacityType },
    { heading: 'PRICE', cell: ({ price = unknown }) => price },
    { heading: 'PODS', cell: ({ pods = unknown }) => pods },
    { heading: 'STATE', cell: ({ state }) => state },
    { heading: 'UNTIL', cell: ({ until }) => until },
    { heading: 'MODE', cell: ({ plan }) => plan.mode },
    { heading: 'PHASE', cell: ({ phase }) => phase },
    { heading: 'COMMAND', wide: true, cell: ({ command }) => command },
  ],
});

function nodesOf(plan: NodePlan, { nodes: known }: Status): PlannedNode[] {
  const { metadata, claims, commands, blocked } = plan;
  const cluster = metadata.name;
  const seen = new Map(known?.get(cluster)?.plan?.cluster.nodes.map((node) => [node.name, node]));
  const found = new Map<string, PlannedNode>();
  for (const { name, node = name, pool } of claims) found.set(node, { plan, cluster, name: node, pool, state: 'Idle' });
  for (const { node, pool, reason, until } of blocked)
    found.set(node, { plan, cluster, name: node, pool, state: reason, until });
  for (const { id: command, method: state, phase, nodes: own } of commands)
    for (const { name, pool, instanceType: type, zone, capacityType, price } of own)
      found.set(name, { plan, cluster, name, pool, type, zone, capacityType, price, state, command, phase });
  return [...found.values()].map((node) => ({ ...node, ...shownBy(seen.get(node.name)) }));
}

const shownBy = (node: ClusterNode | undefined): Partial<PlannedNode> =>
  node === undefined
    ? {}
    : {
        type: node.instanceType,
        zone: node.zone,
        capacityType: node.capacityType,
        price: node.price,
        pods: node.pods.filter(({ isTerminal }) => !isTerminal).length,
      };

interface PlannedNodePool {
  readonly plan: NodePlan;
  readonly cluster: string;
  readonly pool: PlannedPool;
}

/** NodePools that the cluster shows and this plan does not have. */
const poolsOfOthers = ({ pools, live }: NodesInPlan): string[] =>
  live.flatMap(({ kind, metadata: { name } }) => (kind === 'NodePool' && !pools.has(name) ? [name] : []));

/** `Launching 1, Proposed 2`. */
const phasesText = (commands: readonly NodeCommand[]): string =>
  [...Map.groupBy(commands, ({ phase }) => phase)].map(([phase, of]) => `${phase} ${of.length}`).join(', ');

const limit = (allowed: number): string | number => (allowed === unbounded ? 'unbounded' : allowed);

function ofOthers({ nodes }: Status): string[] {
  const others = [...(nodes ?? [])].flatMap(([cluster, seen]) =>
    poolsOfOthers(seen).map((name) => `${cluster}/${name}`),
  );
  return others.length === 0
    ? []
    : [`nothing is planned for the nodes of NodePools that the fleet repo does not place: ${shortList(others)}`];
}

/** Budgets of the fleet that leave fewer nodes than the table has: those that keep commands, where a status branch is all that is known. */
const ofFleet = (status: Status): string[] =>
  status.nodes === undefined
    ? status.holds
        .filter(({ reason }) => reason === 'FleetNodeBudget')
        .map(({ subject, message }) => `${subject.name}: ${message}`)
    : plans(status).flatMap(({ metadata: { name }, pools }) =>
        pools.flatMap((pool) =>
          bindingLines(pool, status.nodes?.get(name)?.fleetBudgets ?? []).map(
            (line) => `${name}/${pool.name}: ${line}`,
          ),
        ),
      );

export const nodePools: Listing = listing<PlannedNodePool>({
  names: namesOfKind('nodePools'),
  folders: ['nodes'],
  isOfClusters: true,
  isNamedByColumns: true,
  owners: clusters,
  items: (status) =>
    plans(status).flatMap((plan) => plan.pools.map((pool) => ({ plan, cluster: plan.metadata.name, pool }))),
  describe: ({ plan, cluster, pool }) => ({
    name: `${cluster}/${pool.name}`,
    cluster,
    value: {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'PlannedNodePool',
      clusterName: cluster,
      mode: plan.mode,
      ...pool,
      commands: commandsOf(plan, pool).map(({ id, phase }) => ({ id, phase })),
    },
  }),
  details: ({ cluster, pool }, status) => poolDetails(cluster, pool, status) ?? {},
  page: ({ plan, pool }, status) => nodePoolPage(plan, pool, status),
  note: (status) => {
    const notes = [...ofOthers(status), ...ofFleet(status)];
    return notes.length === 0 ? undefined : notes.join('\nnote: ');
  },
  columns: [
    { heading: 'CLUSTER', cell: ({ cluster }) => cluster },
    { heading: 'POOL', cell: ({ pool }) => pool.name },
    { heading: 'NODES', cell: ({ pool }) => pool.nodes },
    { heading: 'DISRUPTING', cell: ({ pool }) => pool.disrupting },
    { heading: 'ALLOWED-EMPTY', cell: ({ pool }) => limit(pool.allowed.Empty) },
    { heading: 'ALLOWED-DRIFTED', cell: ({ pool }) => limit(pool.allowed.Drifted) },
    { heading: 'ALLOWED-UNDERUTILIZED', cell: ({ pool }) => limit(pool.allowed.Underutilized) },
    { heading: 'NEXT-CHANGE', cell: ({ pool }) => pool.changesAt },
    { heading: 'MODE', cell: ({ plan }) => plan.mode },
    { heading: 'COMMANDS', cell: ({ plan, pool }) => phasesText(commandsOf(plan, pool)) },
  ],
});

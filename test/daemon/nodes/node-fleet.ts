import type { NodePlan } from '../../../src/api/nodes/node-plan.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { customDefinition } from '../../support/custom-definition.ts';
import { nodeMember, nodePool, smallMarket } from '../../support/node-world.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';

const json = (value: unknown): string => JSON.stringify(value);

/** One member whose NodePool is placed by the fleet, with prices and what can be launched. */
export const nodeFiles = (
  mode: string,
  pool: Parameters<typeof nodePool>[1] = {},
  more: Readonly<Record<string, string>> = {},
): Record<string, string> => ({
  'clusters/eu-1.yaml': nodeMember('eu-1', mode, {}, { 'gitfleet.dev/upgrade-provider': 'simulated' }),
  'placements/pools.yaml': json({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterResourcePlacement',
    metadata: { name: 'pools' },
    spec: {
      resourceSelectors: [{ group: 'karpenter.sh', version: 'v1', kind: 'NodePool', name: 'default' }],
      policy: { placementType: 'PickAll' },
    },
  }),
  'resources/pool.yaml': json(
    nodePool('default', { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] }, ...pool }),
  ),
  ...smallMarket,
  ...more,
});

export interface NodesGiven {
  readonly count: number;
  readonly type?: string;
  readonly cpu?: string;
  readonly prefix?: string;
}

/** A simulated member that serves NodePools, with nodes of its pool and these objects. */
export const nodeMemberSpec = (nodes: readonly NodesGiven[], objects: readonly object[] = [], more: object = {}) => ({
  name: 'eu-1',
  nodes: nodes.map(({ count, type = 'D8', cpu = '8', prefix = type.toLowerCase() }) => ({
    count,
    prefix,
    instanceType: type,
    capacityType: 'on-demand' as const,
    zones: ['eu-1a'],
    cpu,
    memory: `${Number(cpu) * 4}Gi`,
    pods: 110,
    labels: { 'karpenter.sh/nodepool': 'default' },
    taints: [],
    used: { cpu: '0', memory: '0' },
  })),
  objects: [nodePoolDefinition, ...objects] as never,
  ...more,
});

const nodePoolDefinition = customDefinition('NodePool', { group: 'karpenter.sh', scope: 'Cluster' });

/** A Deployment, whose pods each request so much cpu. */
export const workload = (name: string, replicas: number, cpu: string, pod: object = {}, annotations: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, annotations },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu, memory: '1Gi' } } }],
        ...pod,
      },
    },
  },
});

/** The published plan of the member. */
export async function published(fleet: VirtualFleet): Promise<NodePlan | undefined> {
  const files = await fleet.repo.files('fleet-status');
  return readRecord(new Map(Object.entries(files))).record.nodes.get('eu-1');
}

export const nodeNames = (fleet: VirtualFleet): string[] =>
  fleet.members
    .get('eu-1')!
    .cluster.store.list('/nodes')
    .map(({ metadata }) => metadata.name)
    .sort();

/** Nodes with our taint. */
export const taintsOf = (fleet: VirtualFleet): string[] =>
  fleet.members
    .get('eu-1')!
    .cluster.store.list('/nodes')
    .filter(({ spec }) => JSON.stringify(spec).includes('gitfleet.dev/disrupted'))
    .map(({ metadata }) => metadata.name);

/** `node phase` of every pod that a scheduler has placed. */
export const podsOf = (fleet: VirtualFleet): string[] =>
  fleet.members
    .get('eu-1')!
    .cluster.store.list('/pods')
    .map((pod) => {
      const { spec, status } = pod as unknown as { spec: { nodeName?: string }; status: { phase: string } };
      return `${spec.nodeName} ${status.phase}`;
    });

/** A command under way that no daemon made, on these nodes. */
export const forgedCommand = (since: string, names: readonly string[], more: object = {}) => ({
  id: 'aaaaaaaaaaaa',
  method: 'Expiration',
  reason: 'Expired',
  phase: 'Removing',
  since,
  startedAt: since,
  nodes: names.map((name) => ({ name, pool: 'default', disruptionCost: 1 })),
  replacements: [],
  priceAfter: 0,
  ...more,
});

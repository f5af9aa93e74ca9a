/** A cluster of simulated nodes, as a ClusterObservation shows it. */
export interface NodeWorld {
  readonly nodes: readonly object[];
  readonly pods?: readonly object[];
  readonly extras?: readonly object[];
  readonly launches?: readonly object[];
  readonly podEvents?: Readonly<Record<string, string>>;
}

const flow = (value: unknown): string => JSON.stringify(value);
const long = '2026-11-01T00:00:00Z';

export const observedNodes = (name: string, world: NodeWorld): string =>
  flow({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'ClusterObservation',
    metadata: { name },
    observedAt: '2026-11-20T10:00:00Z',
    reachable: true,
    memberStatus: {},
    ...world,
  });

export const nodeMember = (
  name: string,
  mode: string,
  labels: Readonly<Record<string, string>> = {},
  annotations: Readonly<Record<string, string>> = {},
): string =>
  flow({
    apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
    kind: 'MemberCluster',
    metadata: { name, labels, annotations: { 'gitfleet.dev/node-disruption': mode, ...annotations } },
    spec: {},
  });

/** A NodePool karpenter.sh/v1; `disruption` and `more` replace fields of its spec. */
export const nodePool = (
  name: string,
  {
    disruption,
    more,
    template,
    requirements,
  }: {
    readonly disruption?: object;
    readonly more?: object;
    readonly template?: object;
    readonly requirements?: readonly object[];
  } = {},
) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    template: {
      spec: {
        requirements: requirements ?? [],
        nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
        expireAfter: 'Never',
        ...template,
      },
    },
    ...(disruption ? { disruption } : {}),
    ...more,
  },
});

export interface NodeSpec {
  readonly pool?: string | undefined;
  readonly type?: string;
  readonly zone?: string;
  readonly capacityType?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  readonly ready?: boolean;
  readonly initialized?: boolean;
  readonly createdAt?: string;
}

export function node(name: string, of: NodeSpec = {}) {
  const { pool = 'default', type = 'D8', zone = 'eu-1a', capacityType = 'on-demand', cpu = '8', memory = '32Gi' } = of;
  const amounts = { cpu, memory, pods: '110' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: of.createdAt ?? long,
      labels: {
        'kubernetes.io/hostname': name,
        'node.kubernetes.io/instance-type': type,
        'topology.kubernetes.io/zone': zone,
        'karpenter.sh/capacity-type': capacityType,
        'karpenter.sh/nodepool': pool,
        ...(of.initialized === false ? {} : { 'karpenter.sh/initialized': 'true' }),
        ...of.labels,
      },
      annotations: of.annotations ?? {},
    },
    spec: { taints: of.taints ?? [] },
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [{ type: 'Ready', status: of.ready === false ? 'False' : 'True' }],
    },
  };
}

/** The NodeClaim of a node. */
export const claim = (
  of: ReturnType<typeof node>,
  { spec, status, metadata }: { readonly spec?: object; readonly status?: object; readonly metadata?: object } = {},
) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: {
    name: `${of.metadata.name}-claim`,
    uid: `uid-${of.metadata.name}-claim`,
    creationTimestamp: of.metadata.creationTimestamp,
    labels: of.metadata.labels,
    ...metadata,
  },
  spec: { expireAfter: 'Never', ...spec },
  status: {
    nodeName: of.metadata.name,
    conditions: [{ type: 'Initialized', status: 'True', lastTransitionTime: of.metadata.creationTimestamp }],
    ...status,
  },
});

export interface PodSpec {
  readonly cpu?: string;
  readonly memory?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: { readonly apiVersion: string; readonly kind: string };
  readonly spec?: object;
  readonly status?: object;
}

/** A running pod of a ReplicaSet. */
export const pod = (name: string, nodeName: string | undefined, of: PodSpec = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: of.namespace ?? 'shop',
    uid: `uid-${name}`,
    creationTimestamp: long,
    labels: of.labels ?? {},
    annotations: of.annotations ?? {},
    ownerReferences: [{ name: 'owner', uid: 'u', ...(of.owner ?? { apiVersion: 'apps/v1', kind: 'ReplicaSet' }) }],
  },
  spec: {
    ...(nodeName === undefined ? {} : { nodeName }),
    containers: [{ name: 'app', resources: { requests: { cpu: of.cpu ?? '1', memory: of.memory ?? '1Gi' } } }],
    ...of.spec,
  },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...of.status },
});

export interface TypeSpec {
  readonly name: string;
  readonly cpu: number;
  readonly price: number;
  readonly zones?: readonly string[];
  readonly spot?: number;
}

/** The files of an InstanceCatalog and a PriceList with these types, of 4 Gi for each core. */
export const market = (types: readonly TypeSpec[]): Record<string, string> => ({
  'nodes/catalog.yaml': flow({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'InstanceCatalog',
    metadata: { name: 'all' },
    spec: {
      instanceTypes: types.map(({ name, cpu, zones = ['eu-1a'], spot }) => ({
        name,
        labels: { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' },
        capacity: { cpu: String(cpu), memory: `${cpu * 4}Gi`, pods: '110' },
        offerings: [
          { capacityType: 'on-demand', zones },
          ...(spot === undefined ? [] : [{ capacityType: 'spot', zones }]),
        ],
      })),
    },
  }),
  'nodes/prices.yaml': flow({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'PriceList',
    metadata: { name: 'all' },
    spec: {
      currency: 'EUR',
      prices: types.flatMap(({ name, price, spot }) => [
        { instanceType: name, capacityType: 'on-demand', perHour: price },
        ...(spot === undefined ? [] : [{ instanceType: name, capacityType: 'spot', perHour: spot }]),
      ]),
    },
  }),
});

/** Places the NodePool `default` on all clusters. */
export const poolPlacement = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata: {name: pools}
spec:
  resourceSelectors: [{group: karpenter.sh, version: v1, kind: NodePool, name: default}]
  policy: {placementType: PickAll}
`;

export const smallMarket = market([
  { name: 'D2', cpu: 2, price: 0.1 },
  { name: 'D4', cpu: 4, price: 0.2 },
  { name: 'D8', cpu: 8, price: 0.4 },
]);

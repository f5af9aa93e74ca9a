import type { NodePool, SimulatedMemberSpec } from '../api/simulated-fleet.ts';
import type { WantedLaunch } from '../members/nodes/wanted-nodes.ts';
import type { Fields } from './schema/schema.ts';

/** Of nodes whose pool names no node image. */
export const simulatedImage = 'Simulated Linux';

/** Default nodes of a member: enough for the workloads of the demo. */
const usualPools: readonly NodePool[] = [
  {
    count: 3,
    instanceType: 'simulated',
    capacityType: 'on-demand',
    zones: [],
    cpu: '4',
    memory: '16Gi',
    pods: 110,
    labels: {},
    taints: [],
    used: { cpu: '0', memory: '0' },
  },
];

const regionLabel = 'topology.kubernetes.io/region';

/** Nothing is routed there, but `kubectl get nodes -o wide` shows it. At most 65,535 nodes. */
const nodeAddress = (number: number): string => `10.0.${number >> 8}.${number & 255}`;

/** The nodes of a member, and for each one its lease and a pod that represents other workloads. */
export function nodesOf(
  member: Pick<SimulatedMemberSpec, 'nodes' | 'region'>,
  about: { readonly version: string; readonly timestamp: string },
): { readonly node: Fields; readonly lease: Fields; readonly load: Fields | undefined }[] {
  let nodes = 0;
  return (member.nodes ?? usualPools).flatMap((pool, at) => {
    const prefix = pool.prefix ?? (at === 0 ? 'node' : `pool${at}`);
    return Array.from({ length: pool.count }, (_, index) => {
      const name = `${prefix}-${index}`;
      const zone = pool.zones[index % Math.max(pool.zones.length, 1)];
      return {
        node: nodeObject(name, zone, pool, { ...about, region: member.region, address: nodeAddress(++nodes) }),
        lease: leaseOf(name),
        load: loadPod(name, pool, about.timestamp),
      };
    });
  });
}

/** A node that was launched, ready from the start. */
export function launchedNode(
  {
    name,
    labels,
    annotations,
    taints,
    capacity,
    allocatable,
  }: Omit<WantedLaunch, 'instanceType' | 'zone' | 'capacityType'>,
  about: { readonly version: string; readonly region: string | undefined; readonly timestamp: string },
): Fields {
  const node = nodeObject(name, undefined, usualPools[0]!, { ...about, address: '10.1.0.1' });
  const { metadata, spec, status } = node as { metadata: Fields; spec: Fields; status: Fields };
  return {
    ...node,
    metadata: {
      ...metadata,
      labels: {
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...(about.region === undefined ? {} : { [regionLabel]: about.region }),
        ...labels,
      },
      annotations,
    },
    spec: { ...spec, ...(taints.length > 0 ? { taints } : {}) },
    status: { ...status, capacity, allocatable },
  };
}

function nodeObject(
  name: string,
  zone: string | undefined,
  pool: NodePool,
  about: {
    readonly region: string | undefined;
    readonly address: string;
    readonly version: string;
    readonly timestamp: string;
  },
): Fields {
  const { region, address, version, timestamp } = about;
  const amounts = { cpu: pool.cpu, memory: pool.memory, pods: String(pool.pods) };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': pool.instanceType,
        'karpenter.sh/capacity-type': pool.capacityType,
        ...(region === undefined ? {} : { [regionLabel]: region }),
        ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }),
        ...pool.labels,
      },
    },
    spec: { providerID: `simulated://${name}`, ...(pool.taints.length > 0 ? { taints: pool.taints } : {}) },
    status: {
      capacity: amounts,
      allocatable: amounts,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: {
        machineID: name,
        systemUUID: name,
        bootID: name,
        kernelVersion: 'simulated',
        osImage: pool.image ?? simulatedImage,
        containerRuntimeVersion: 'simulated://1',
        kubeletVersion: version,
        kubeProxyVersion: version,
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
      conditions: [
        ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
        ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
        ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
        ['Ready', 'True', 'KubeletReady', 'the simulated node is ready'],
      ].map(([type, status, reason, message]) => ({
        type,
        status,
        reason,
        message,
        lastHeartbeatTime: timestamp,
        lastTransitionTime: timestamp,
      })),
    },
  };
}

/** The lease is never renewed, so that an idle member does nothing. */
const leaseOf = (nodeName: string): Fields => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: nodeName, namespace: 'kube-node-lease' },
  spec: { holderIdentity: nodeName, leaseDurationSeconds: 40 },
});

/** It runs from the start, so that the first reading of free capacity is correct. */
function loadPod(nodeName: string, { used }: NodePool, timestamp: string): Fields | undefined {
  if (used.cpu === '0' && used.memory === '0') return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `other-work-${nodeName}`, namespace: 'kube-system', labels: { app: 'other-work' } },
    spec: {
      nodeName,
      containers: [
        { name: 'work', image: 'other-work:1', resources: { requests: { cpu: used.cpu, memory: used.memory } } },
      ],
      tolerations: [{ operator: 'Exists' }],
    },
    status: {
      phase: 'Running',
      startTime: timestamp,
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: timestamp,
      })),
      containerStatuses: [
        {
          name: 'work',
          image: 'other-work:1',
          imageID: '',
          ready: true,
          started: true,
          restartCount: 0,
          state: { running: { startedAt: timestamp } },
        },
      ],
    },
  };
}

import type { PriceList } from '../api/gitfleet.ts';
import type { MemberClusterStatus } from '../api/member-cluster.ts';
import { messageOf } from '../api/message-of.ts';
import type { Manifest } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { parseQuantity } from '../api/quantity.ts';
import { isFields } from '../engine/kernel/fields.ts';
import { ApiError, UnreachableError } from './api-server/api-error.ts';
import type { MemberClient } from './api-server/client.ts';

export interface Properties {
  readonly status: Pick<MemberClusterStatus, 'conditions' | 'properties' | 'resourceUsage'>;
  readonly versions: ClusterObservation['versions'];
}

interface NodeObject extends Manifest {
  readonly spec?: { readonly providerID?: string };
  readonly status?: { readonly capacity?: Record<string, string>; readonly allocatable?: Record<string, string> };
}
/** What is kept of a node. */
interface Node {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly onAzure: boolean;
  readonly capacity: Usage;
  readonly allocatable: Usage;
}
interface PodObject extends Manifest {
  readonly spec?: {
    readonly containers?: readonly PodContainer[];
    readonly initContainers?: readonly PodContainer[];
    readonly nodeName?: string;
  };
  readonly status?: { readonly phase?: string };
}
interface PodContainer {
  readonly resources?: { readonly requests?: Record<string, string> };
}

/**
 * What KubeFleet's property providers collect (pkg/propertyprovider, docs/compatibility.md): node count, on Azure by size too,
 * capacity, allocatable and available cpu and memory, the Kubernetes version, and costs from the price lists.
 */
export async function collectProperties(input: {
  readonly client: MemberClient;
  readonly priceLists: readonly PriceList[];
  /** What was collected before: it stays where the member refuses a list. */
  readonly before: Properties | undefined;
}): Promise<Properties> {
  const [lists, version] = await Promise.all([
    listsOf(input.client).catch(refusal),
    input.client.json({ method: 'GET', path: '/version' }),
  ]);
  const gitVersion = isFields(version) && typeof version['gitVersion'] === 'string' ? version['gitVersion'] : undefined;
  if (lists instanceof ApiError) return withVersion(withoutResponse(input.before, lists), gitVersion);
  const [nodes, pods] = lists;
  const capacity = nodes.items.map((node) => node.capacity).reduce(plus, nothing);
  const allocatable = nodes.items.map((node) => node.allocatable).reduce(plus, nothing);
  const requested = pods.items.reduce(plus, nothing);
  const available = {
    cpu: Math.max(allocatable.cpu - requested.cpu, 0),
    memory: Math.max(allocatable.memory - requested.memory, 0),
  };
  const cost = costs(nodes.items, input.priceLists);
  return {
    status: {
      properties: {
        'kubernetes-fleet.io/node-count': { value: String(nodes.items.length) },
        ...sizes(nodes.items),
        ...(gitVersion ? { 'k8s.io/k8s-version': { value: gitVersion } } : {}),
        ...(cost.ok
          ? {
              'kubernetes.azure.com/per-cpu-core-cost': { value: cost.perCore },
              'kubernetes.azure.com/per-gb-memory-cost': { value: cost.perGb },
            }
          : {}),
      },
      resourceUsage: {
        capacity: quantities(capacity),
        allocatable: quantities(allocatable),
        available: quantities(available),
      },
      conditions: [
        { type: 'ClusterPropertyProviderStarted', status: 'True', reason: 'Started' },
        { type: 'ClusterPropertyCollectionSucceeded', status: 'True', reason: 'Succeeded' },
        ...(cost.ok || cost.message === undefined
          ? []
          : [
              {
                type: 'AKSClusterCostPropertiesCollectionSucceeded',
                status: 'False' as const,
                reason: 'CostsCalculationFailed',
                message: cost.message,
              },
            ]),
      ],
    },
    versions: { controlPlane: gitVersion, nodes: nodes.items.length },
  };
}

const listsOf = (client: MemberClient) =>
  Promise.all([
    client.list('/api/v1/nodes', {}, { keep: nodeOf }),
    client.list('/api/v1/pods', { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' }, { keep: usageOf }),
  ]);

/** A member may let us read its version and not its nodes or pods. Other errors are not about a list. */
function refusal(error: unknown): ApiError {
  if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return error;
  throw error;
}

const withVersion = ({ status, versions }: Properties, gitVersion: string | undefined): Properties =>
  gitVersion === undefined
    ? { status, versions }
    : {
        status: { ...status, properties: { ...status.properties, 'k8s.io/k8s-version': { value: gitVersion } } },
        versions: { ...versions, controlPlane: gitVersion },
      };

interface Usage {
  /** Millicores. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
}

/** The earlier properties, with the condition that collection failed (KubeFleet, ClusterPropertyCollectionSucceeded). */
export function withoutResponse(before: Properties | undefined, error: unknown): Properties {
  // A member that sometimes fails to respond must not change the record each time.
  if (before && error instanceof UnreachableError) return before;
  const message = messageOf(error);
  return {
    versions: before?.versions,
    status: {
      ...before?.status,
      conditions: [
        { type: 'ClusterPropertyProviderStarted', status: 'True', reason: 'Started' },
        { type: 'ClusterPropertyCollectionSucceeded', status: 'False', reason: 'Failed', message },
      ],
    },
  };
}

/** In multiples of `unit` billionths, rounded up. Exact, because 1.1 × 1000 exceeds 1100 in a float64. */
const amount = (text: string | undefined, unit: bigint): number =>
  Number((BigInt(parseQuantity(text ?? '')?.nanos ?? 0) + unit - 1n) / unit);

const usage = (list: Record<string, string> | undefined): Usage => ({
  cpu: amount(list?.['cpu'], 1_000_000n),
  memory: amount(list?.['memory'], 1_000_000_000n),
});

const plus = (a: Usage, b: Usage): Usage => ({ cpu: a.cpu + b.cpu, memory: a.memory + b.memory });
const most = (a: Usage, b: Usage): Usage => ({ cpu: Math.max(a.cpu, b.cpu), memory: Math.max(a.memory, b.memory) });
const nothing: Usage = { cpu: 0, memory: 0 };

function nodeOf({ metadata, spec, status }: NodeObject): Node {
  const labels = Object.entries(metadata.labels ?? {}).filter(([name]) => keptLabels.has(name));
  return {
    name: metadata.name,
    labels: Object.fromEntries(labels),
    onAzure: spec?.providerID?.startsWith('azure://') ?? false,
    capacity: usage(status?.capacity),
    allocatable: usage(status?.allocatable),
  };
}

/** What a pod on a node requests: its containers together, or its largest init container if that is more. */
function usageOf({ spec }: PodObject): Usage {
  if (spec?.nodeName === undefined) return nothing;
  const requests = ({ resources }: PodContainer): Usage => usage(resources?.requests);
  const containers = (spec.containers ?? []).map(requests).reduce(plus, nothing);
  return most(containers, (spec.initContainers ?? []).map(requests).reduce(most, nothing));
}

const quantities = ({ cpu, memory }: Usage): Record<string, string> => ({
  cpu: cpu % 1000 === 0 ? String(cpu / 1000) : `${cpu}m`,
  memory: memory % 1024 === 0 ? `${memory / 1024}Ki` : String(memory),
});

const instanceTypeLabel = 'node.kubernetes.io/instance-type';
const zoneLabel = 'topology.kubernetes.io/zone';
const capacityTypeLabel = 'karpenter.sh/capacity-type';
const keptLabels: ReadonlySet<string> = new Set([instanceTypeLabel, zoneLabel, capacityTypeLabel]);

/** How many nodes of each size an Azure cluster has; elsewhere KubeFleet has no provider for it. */
function sizes(nodes: readonly Node[]): Record<string, { readonly value: string }> {
  const azure = nodes.filter(({ onAzure }) => onAzure);
  const types = azure.flatMap(({ labels }) => labels[instanceTypeLabel] ?? []).sort();
  return Object.fromEntries(
    [...Map.groupBy(types, (type) => type)].map(([type, { length }]) => [
      `kubernetes.azure.com/vm-sizes/${type}/count`,
      { value: String(length) },
    ]),
  );
}

/** Three decimals, as KubeFleet's Azure provider publishes them; one instance type without a price means no cost at all. */
function costs(
  nodes: readonly Node[],
  lists: readonly PriceList[],
): { ok: true; perCore: string; perGb: string } | { ok: false; message?: string } {
  const prices = lists.flatMap((list) => list.spec.prices);
  if (prices.length === 0 || nodes.length === 0) return { ok: false };
  let hourly = 0;
  for (const { name, labels } of nodes) {
    const type = labels[instanceTypeLabel];
    const zone = labels[zoneLabel];
    const capacityType = labels[capacityTypeLabel] ?? 'on-demand';
    const fitting = prices.filter((price) => price.instanceType === type && price.capacityType === capacityType);
    const price =
      fitting.find((candidate) => candidate.zone === zone) ?? fitting.find((candidate) => candidate.zone === undefined);
    if (!price)
      return {
        ok: false,
        message: `no price for instance type ${type ?? '(none)'} (${capacityType}) of node ${name}`,
      };
    hourly += price.perHour;
  }
  const capacity = nodes.map((node) => node.capacity).reduce(plus, nothing);
  if (capacity.cpu === 0 || capacity.memory === 0) return { ok: false, message: 'the nodes report no capacity' };
  return {
    ok: true,
    perCore: (hourly / (capacity.cpu / 1000)).toFixed(3),
    perGb: (hourly / (capacity.memory / 2 ** 30)).toFixed(3),
  };
}

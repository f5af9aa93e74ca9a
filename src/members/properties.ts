import type { PriceList } from '../api/gitfleet.ts';
import type { MemberClusterStatus } from '../api/member-cluster.ts';
import { messageOf } from '../api/message-of.ts';
import type { Manifest } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { parseQuantity } from '../api/quantity.ts';
import { conditionIs } from '../engine/kernel/condition.ts';
import { isFields } from '../engine/kernel/fields.ts';
import { ApiError, UnreachableError } from './api-server/api-error.ts';
import type { MemberClient } from './api-server/client.ts';
import { memberLimits } from './api-server/member-limits.ts';
import type { List } from './api-server/pages.ts';
import { type RestartedPod, restartedPod, restartsOf } from './restarts.ts';
import type { KeptBytes } from './watch/kept-bytes.ts';

export interface Properties {
  readonly status: Pick<MemberClusterStatus, 'conditions' | 'properties' | 'resourceUsage'>;
  readonly versions: ClusterObservation['versions'];
  readonly restarts?: ClusterObservation['restarts'];
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
/** Nodes and pods as they were listed. */
export interface Listed {
  readonly nodes: List<Node>;
  readonly podsVersion: string;
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
  readonly kept: KeptBytes;
  readonly priceLists: readonly PriceList[];
  /** What was collected before: it stays where the member refuses a list. */
  readonly before: Properties | undefined;
  /** Hears when both lists are there. */
  readonly listed: (of: Listed) => void;
}): Promise<Properties> {
  const [lists, version] = await Promise.all([
    listsOf(input).catch(refusal),
    input.client.json({ method: 'GET', path: '/version' }),
  ]);
  const gitVersion = versionIn(version);
  if (lists instanceof ApiError) return withVersion(withoutResponse(input.before, lists), gitVersion);
  const [nodes, pods] = lists;
  input.listed({ nodes, podsVersion: pods.resourceVersion });
  const capacity = nodes.items.map((node) => node.capacity).reduce(plus, nothing);
  const allocatable = nodes.items.map((node) => node.allocatable).reduce(plus, nothing);
  const requested = pods.items.reduce(plus, nothing);
  const available = {
    cpu: Math.max(allocatable.cpu - requested.cpu, 0),
    memory: Math.max(allocatable.memory - requested.memory, 0),
  };
  const cost = costs(nodes.items, input.priceLists);
  const { named, leftOut } = sizes(nodes.items);
  return {
    status: {
      properties: {
        'kubernetes-fleet.io/node-count': { value: String(nodes.items.length) },
        ...named,
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
        {
          type: 'ClusterPropertyCollectionSucceeded',
          status: 'True',
          reason: 'Succeeded',
          ...(leftOut > 0 && {
            message: `nodes have more than ${memberLimits.instanceTypes} instance types: ${leftOut} of them are left out`,
          }),
        },
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
    restarts: restartsOf(pods.items.flatMap(({ restarted }) => restarted ?? [])),
  };
}

const listsOf = (from: Pick<Parameters<typeof collectProperties>[0], 'client' | 'kept'>) =>
  Promise.all([
    listOf('/api/v1/nodes', {}, nodeOf, from),
    listOf('/api/v1/pods', { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' }, podOf, from),
  ]);

/** What is kept of a list counts as long as it is read. */
async function listOf<T extends object>(
  path: string,
  query: Readonly<Record<string, string>>,
  keepOf: (item: Manifest) => T,
  { client, kept }: Pick<Parameters<typeof collectProperties>[0], 'client' | 'kept'>,
) {
  const bytes = kept.open();
  let [read, weight] = [0, 0];
  try {
    return await client.list(path, query, {
      keep(item) {
        const part = keepOf(item);
        weight += bytes.weigh(part) ?? 0;
        return part;
      },
      reading(parsedBytes) {
        // The list has begun anew.
        if (parsedBytes < read) weight = 0;
        read = parsedBytes;
        bytes.reading(weight);
      },
    });
  } finally {
    bytes.end();
  }
}

function versionIn(response: unknown): string | undefined {
  const version = isFields(response) ? response['gitVersion'] : undefined;
  return typeof version === 'string' && version.length <= longestName ? version : undefined;
}

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

/** False when some of it could not be read. */
export const isCollected = ({ status }: Properties): boolean =>
  conditionIs(status.conditions, 'ClusterPropertyCollectionSucceeded', 'True');

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

/** Throws for a name or a label that no API server accepts. */
export function nodeOf({ metadata, spec, status }: NodeObject): Node {
  const labels = Object.entries(metadata.labels ?? {}).filter(([name]) => keptLabels.has(name));
  if (metadata.name.length > longestName || labels.some(([, value]) => value.length > longestLabel))
    throw new RangeError('the name or a label of a node is too long');
  return {
    name: metadata.name,
    labels: Object.fromEntries(labels),
    onAzure: spec?.providerID?.startsWith('azure://') ?? false,
    capacity: usage(status?.capacity),
    allocatable: usage(status?.allocatable),
  };
}

/** What is kept of a pod: of most only what it requests, as there may be very many. */
function podOf(pod: PodObject): Usage & { readonly restarted?: RestartedPod } {
  const restarted = restartedPod(pod);
  return restarted === undefined ? usageOf(pod) : { ...usageOf(pod), restarted };
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

/** Characters, as Kubernetes validates them. */
const longestName = 253;
const longestLabel = 63;

/** How many nodes of each size an Azure cluster has, of the most frequent ones; elsewhere KubeFleet has no provider for it. */
function sizes(nodes: readonly Node[]): {
  readonly named: Readonly<Record<string, { readonly value: string }>>;
  readonly leftOut: number;
} {
  const azure = nodes.filter(({ onAzure }) => onAzure);
  const types = azure.flatMap(({ labels }) => labels[instanceTypeLabel] ?? []).sort();
  const counts = [...Map.groupBy(types, (type) => type)].map(([type, { length }]) => ({ type, length }));
  const most = counts.toSorted((a, b) => b.length - a.length).slice(0, memberLimits.instanceTypes);
  const named = new Set(most);
  return {
    named: Object.fromEntries(
      counts
        .filter((count) => named.has(count))
        .map(({ type, length }) => [`kubernetes.azure.com/vm-sizes/${type}/count`, { value: String(length) }]),
    ),
    leftOut: counts.length - named.size,
  };
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

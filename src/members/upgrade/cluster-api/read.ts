import { parseVersion, reaches } from '../../../api/kubernetes-version.ts';
import type { Manifest } from '../../../api/meta.ts';
import type { ObservedPool } from '../../../api/observed-versions.ts';
import { ApiError } from '../../api-server/api-error.ts';
import type { MemberClient } from '../../api-server/client.ts';
import { conditionIs, fieldAt, listAt, numberAt, textAt } from '../fields.ts';
import { operationOf } from '../merge-patch.ts';
import { poolsOf } from '../node-pools.ts';
import type { SeenCluster } from '../provider.ts';

/** Where a Cluster is: `namespace/name` of the management cluster. */
export interface ClusterRef {
  readonly namespace: string;
  readonly name: string;
}

/** The control plane, a MachineDeployment or a MachinePool of a Cluster. */
export interface Part {
  readonly object: Manifest;
  readonly path: string;
  /** As gitfleet names the pool: of a topology the name in the topology. */
  readonly pool: string;
  /** That it is to run. */
  readonly wanted: string | undefined;
  /** The oldest that its machines run; undefined = not reported. */
  readonly runs: string | undefined;
}

export interface SeenClusterApi extends SeenCluster {
  readonly cluster: Manifest;
  readonly path: string;
  readonly hasTopology: boolean;
  readonly controlPlane: Part | undefined;
  readonly pools: readonly Part[];
}

export const core = '/apis/cluster.x-k8s.io/v1beta2';

/** Reads a Cluster with its control plane and pools from the management cluster, from nothing but the objects' status. */
export async function readCluster(client: MemberClient, ref: ClusterRef): Promise<SeenClusterApi> {
  const path = `${core}/namespaces/${ref.namespace}/clusters/${ref.name}`;
  const cluster = await client
    .object({ method: 'GET', path, tried: `read Cluster ${ref.namespace}/${ref.name}` })
    .catch(explained);
  const [controlPlane, pools, machines] = await Promise.all([
    readControlPlane(client, cluster, ref),
    readPools(client, cluster, ref),
    client.list(`${core}/namespaces/${ref.namespace}/machines`, ofCluster(ref), { keep: machineOf }),
  ]);
  const kubelets = new Map(
    poolsOf(machines.items.map(({ owner, kubelet }) => ({ pool: owner, kubernetes: kubelet, image: undefined }))).map(
      ({ name, kubernetes }) => [name, kubernetes],
    ),
  );
  const seen = {
    cluster,
    path,
    hasTopology: fieldAt(cluster, 'spec', 'topology') !== undefined,
    controlPlane: controlPlane && { ...controlPlane, runs: controlPlane.runs ?? kubelets.get('') },
    pools: pools.map((part) => ({ ...part, runs: part.runs ?? kubelets.get(part.object.metadata.name) })),
    lastOperation: operationOf(cluster),
  };
  const unsettled = unsettledParts(seen);
  return {
    ...seen,
    versions: {
      ...(seen.controlPlane?.runs !== undefined && { controlPlane: seen.controlPlane.runs }),
      pools: seen.pools.map((part) => poolOf(part, seen.hasTopology)),
    },
    running: unsettled.length === 0 ? undefined : { operationId: seen.lastOperation, message: progressOf(unsettled) },
  };
}

function explained(error: unknown): never {
  if (error instanceof ApiError && error.status === 404 && error.message.includes('404 page not found'))
    throw new Error(
      `the management cluster does not serve cluster.x-k8s.io/v1beta2: Cluster API 1.11 or later is needed`,
      {
        cause: error,
      },
    );
  throw error;
}

export const ofCluster = ({ name }: ClusterRef) => ({ labelSelector: `cluster.x-k8s.io/cluster-name=${name}` });

async function readControlPlane(client: MemberClient, cluster: Manifest, ref: ClusterRef): Promise<Part | undefined> {
  const [group, kind, name] = ['apiGroup', 'kind', 'name'].map((key) =>
    textAt(cluster, 'spec', 'controlPlaneRef', key),
  );
  if (group === undefined || kind === undefined || name === undefined) return undefined;
  const found = await client.json({ method: 'GET', path: `/apis/${group}`, tried: `discover ${group}` });
  const version = textAt(found, 'preferredVersion', 'version') ?? 'v1beta2';
  // Cluster API finds the definitions of other providers by this form of their name, too.
  const path = `/apis/${group}/${version}/namespaces/${ref.namespace}/${kind.toLowerCase()}s/${name}`;
  const object = await client.object({ method: 'GET', path, tried: `read ${kind} ${ref.namespace}/${name}` });
  return { object, path, pool: '', wanted: textAt(object, 'spec', 'version'), runs: oldestVersion(object) };
}

async function readPools(client: MemberClient, cluster: Manifest, ref: ClusterRef): Promise<readonly Part[]> {
  const lists = await Promise.all(
    ['machinedeployments', 'machinepools'].map(async (plural) => {
      const path = `${core}/namespaces/${ref.namespace}/${plural}`;
      const { items } = await client.list(path, ofCluster(ref));
      return items.map((object): Part => {
        const { name, labels } = object.metadata;
        const inTopology = plural === 'machinepools' ? 'pool-name' : 'deployment-name';
        return {
          object,
          path: `${path}/${name}`,
          pool: labels?.[`topology.cluster.x-k8s.io/${inTopology}`] ?? name,
          wanted:
            textAt(object, 'spec', 'template', 'spec', 'version') ?? textAt(cluster, 'spec', 'topology', 'version'),
          runs: oldestVersion(object),
        };
      });
    }),
  );
  return lists.flat().sort((a, b) => (a.pool < b.pool ? -1 : 1));
}

/** `status.versions` is sorted, oldest first; `status.version`, where there is none, is the oldest too. */
function oldestVersion(object: Manifest): string | undefined {
  const [oldest] = listAt(object, 'status', 'versions');
  return (
    textAt(oldest, 'version') ??
    (typeof oldest === 'string' ? oldest : undefined) ??
    textAt(object, 'status', 'version')
  );
}

/** The empty name: the control plane. */
const machineOf = ({
  metadata,
  ...machine
}: Manifest): { readonly owner: string; readonly kubelet: string | undefined } => ({
  owner: metadata.labels?.['cluster.x-k8s.io/deployment-name'] ?? metadata.labels?.['cluster.x-k8s.io/pool-name'] ?? '',
  kubelet: textAt(machine, 'status', 'nodeInfo', 'kubeletVersion'),
});

/** Without a topology, the name of the machine template is the node image. In a topology images are part of its class. */
function poolOf({ object, pool, runs }: Part, hasTopology: boolean): ObservedPool {
  const image = hasTopology ? undefined : templateOf(object);
  const count = numberAt(object, 'status', 'replicas');
  return {
    name: pool,
    ...(runs !== undefined && { kubernetes: runs }),
    ...(image !== undefined && isRolledOut(object) && { image }),
    ...(count !== undefined && { count }),
  };
}

export const templateOf = (object: Manifest): string | undefined =>
  textAt(object, 'spec', 'template', 'spec', 'infrastructureRef', 'name');

/** All machines are as the object says, and available. What an older Cluster API does not report is not asked for. */
export function isRolledOut(object: Manifest): boolean {
  const { generation } = object.metadata as { readonly generation?: number };
  const observed = numberAt(object, 'status', 'observedGeneration');
  const replicas = numberAt(object, 'status', 'replicas') ?? 0;
  const desired = numberAt(object, 'spec', 'replicas') ?? replicas;
  const isAll = (field: string): boolean => (numberAt(object, 'status', field) ?? desired) === desired;
  return (
    (observed === undefined || generation === undefined || observed >= generation) &&
    replicas === desired &&
    isAll('upToDateReplicas') &&
    isAll('availableReplicas') &&
    !conditionIs(object, 'RollingOut', 'True')
  );
}

export const isAt = (text: string | undefined, wanted: string | undefined): boolean => {
  const [version, to] = [parseVersion(text ?? ''), parseVersion(wanted ?? '')];
  return version !== undefined && to !== undefined && reaches(version, to);
};

/** It runs what it is to run, on all its machines. */
export const isSettled = (part: Part): boolean =>
  isRolledOut(part.object) && (part.runs === undefined || part.wanted === undefined || isAt(part.runs, part.wanted));

const deferring = ['topology.cluster.x-k8s.io/defer-upgrade', 'topology.cluster.x-k8s.io/hold-upgrade-sequence'];

/** Pools of the topology of which the upgrade is put off, by an annotation of the pool or of one before it. */
export function deferredPools(cluster: Manifest): ReadonlySet<string> {
  const [deployments, pools] = ['machineDeployments', 'machinePools'].map((list) =>
    listAt(cluster, 'spec', 'topology', 'workers', list),
  );
  const has = (entry: unknown, annotation: string): boolean =>
    fieldAt(entry, 'metadata', 'annotations', annotation) !== undefined;
  const heldFrom = deployments!.findIndex((entry) => has(entry, deferring[1]!));
  const deferred = [
    ...deployments!.filter((entry, at) => has(entry, deferring[0]!) || (heldFrom >= 0 && at >= heldFrom)),
    ...pools!.filter((entry) => has(entry, deferring[0]!)),
  ];
  return new Set(deferred.flatMap((entry) => textAt(entry, 'name') ?? []));
}

/** Parts that are being changed, or that the topology is still to change. */
function unsettledParts(
  seen: Pick<SeenClusterApi, 'cluster' | 'hasTopology' | 'controlPlane' | 'pools'>,
): readonly Part[] {
  const { cluster, hasTopology, controlPlane, pools } = seen;
  const parts = [...(controlPlane ? [controlPlane] : []), ...pools];
  if (!hasTopology) return parts.filter((part) => !isSettled(part));
  const version = textAt(cluster, 'spec', 'topology', 'version');
  const deferred = deferredPools(cluster);
  return parts.filter((part) => !isSettled(part) || (!deferred.has(part.pool) && !isAt(part.wanted, version)));
}

function progressOf(parts: readonly Part[]): string {
  const texts = parts.map(({ object, pool }) => {
    const [done, all] = [numberAt(object, 'status', 'upToDateReplicas') ?? 0, numberAt(object, 'spec', 'replicas')];
    return `${pool === '' ? 'control plane' : pool}: ${done} of ${all ?? '?'} machines`;
  });
  return texts.join(', ');
}

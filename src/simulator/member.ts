import type { SimulatedFault, SimulatedMemberSpec } from '../api/simulated-fleet.ts';
import type { SimClock } from './clock.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { establishAll } from './controllers/custom-resources.ts';
import { startControllers } from './controllers/start.ts';
import { serveWithFaults } from './faults.ts';
import { nodesOf } from './nodes.ts';
import type { Fields } from './schema/schema.ts';
import { serve } from './serve/api-server.ts';
import type { SimRequest, SimResponse } from './serve/http.ts';
import { create } from './storage/write.ts';

/** One simulated member: an API server with the controllers of a cluster behind it. */
export interface SimulatedMember {
  readonly name: string;
  readonly cluster: Cluster;
  /** How far its clock is ahead of the fleet's, milliseconds. */
  readonly skewMs: number;
  /** Rejects only where a connection would fail or its request was aborted. */
  readonly request: (request: SimRequest) => Promise<SimResponse>;
  /** Replaces the faults; their seconds count from now. */
  readonly setFaults: (faults: readonly SimulatedFault[]) => void;
  /** Ends the timers of its controllers. */
  readonly close: () => void;
}

const usualVersion = '1.32.4';

/** Throws when one of its `objects` cannot be created, with the message of the API server. */
export async function openMember(
  spec: Omit<SimulatedMemberSpec, 'metadata'>,
  clock: SimClock,
): Promise<SimulatedMember> {
  const skewMs = (spec.clockSkewSeconds ?? 0) * 1000;
  const kubernetesVersion = `v${spec.kubernetesVersion ?? usualVersion}`;
  const cluster = openCluster({
    name: spec.name,
    clock: skewMs === 0 ? clock : { ...clock, now: () => clock.now() + skewMs },
    kubernetesVersion,
    region: spec.region,
    delays: spec.readySeconds ?? {},
    upgrades: spec.upgrades,
    requestedApis: spec.requestedApis,
    launches: spec.launches,
  });
  startControllers(cluster);
  const about = { version: kubernetesVersion, timestamp: cluster.timestamp() };
  for (const { node, lease, load } of nodesOf(spec, about)) {
    create(cluster, cluster.registry.stored('/nodes')!, node, {});
    create(cluster, cluster.registry.stored('coordination.k8s.io/leases')!, lease, {});
    if (load) create(cluster, cluster.registry.stored('/pods')!, load, {});
  }
  for (const manifest of spec.objects ?? []) {
    await createAsUser(cluster, manifest as Fields);
    establishAll(cluster);
  }

  let faults: readonly SimulatedFault[] = spec.faults ?? [];
  let since = clock.now();
  return {
    name: spec.name,
    cluster,
    skewMs,
    request: (request) => serveWithFaults(cluster, faults, clock.now() - since, request),
    setFaults(next) {
      faults = next;
      since = clock.now();
    },
    close: () => cluster.queue.stop(),
  };
}

async function createAsUser(cluster: Cluster, manifest: Fields): Promise<void> {
  const {
    apiVersion,
    kind: kindName,
    metadata,
  } = manifest as {
    apiVersion: string;
    kind: string;
    metadata: { name: string; namespace?: string };
  };
  const kind = cluster.registry.byKind(apiVersion, kindName);
  if (!kind) throw new Error(`member ${cluster.name}: no kind ${kindName} in ${apiVersion} is served`);
  const namespace = kind.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
  const root = kind.group === '' ? '/api/v1' : `/apis/${apiVersion}`;
  const { status, body } = await serve(cluster, {
    method: 'POST',
    path: `${root}${namespace}/${kind.plural}`,
    query: new URLSearchParams({ fieldManager: 'kubectl-create', fieldValidation: 'Strict' }),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(manifest),
  });
  if (status < 300) return;
  const { message } = JSON.parse(String(body)) as { message: string };
  throw new Error(`member ${cluster.name}: ${kindName} ${metadata.name} cannot be created: ${message}`);
}

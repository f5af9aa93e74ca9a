import { compareVersions, formatVersion, parseVersion, reaches } from '../../api/kubernetes-version.ts';
import type { ObservedVersions } from '../../api/observed-versions.ts';
import { fieldsAt, textAt } from '../../engine/kernel/at.ts';
import { poolsOf } from '../../members/upgrade/node-pools.ts';
import type { Cluster, SimulatedUpgrade } from '../cluster.ts';
import { simulatedImage } from '../nodes.ts';
import type { Stored } from '../object.ts';
import { replace, writeStatus } from '../storage/write.ts';
import { parseObject } from './body.ts';
import { json, type SimRequest, type SimResponse } from './http.ts';
import { badRequest, notAllowed, StatusError } from './status-error.ts';

/**
 * GET: what the cluster runs, and the last upgrade. PUT: starts one, once for each operationId. What a cloud does behind its own API:
 * first the control plane, then node by node.
 */
export async function serveUpgrade(cluster: Cluster, request: SimRequest): Promise<SimResponse> {
  if (request.method === 'PUT') begin(cluster, (await parseObject(request)) as unknown as Wanted);
  else if (request.method !== 'GET') throw notAllowed();
  return json(200, { versions: versionsOf(cluster), operation: cluster.upgrade });
}

interface Wanted {
  readonly operationId: string;
  readonly controlPlane?: string;
  readonly pools?: readonly { readonly name: string; readonly kubernetes?: string; readonly image?: string }[];
}

/** Nodes have the names `<pool>-<number>`. */
const poolOf = (node: Stored): string => node.metadata.name.replace(/-\d+$/, '');

function versionsOf(cluster: Cluster): ObservedVersions {
  const nodes = cluster.store.list('/nodes');
  const { region } = cluster;
  const pools = poolsOf(
    nodes.map((node) => {
      const image = textAt(node, 'status', 'nodeInfo', 'osImage');
      return {
        pool: poolOf(node),
        kubernetes: textAt(node, 'status', 'nodeInfo', 'kubeletVersion'),
        image: image === simulatedImage ? undefined : image,
      };
    }),
  );
  return { controlPlane: cluster.kubernetesVersion, ...(region !== undefined && { region }), pools };
}

function begin(cluster: Cluster, wanted: Wanted): void {
  const { operationId, controlPlane, pools = [] } = wanted;
  if (typeof operationId !== 'string' || operationId === '') throw badRequest('operationId is missing');
  const { upgrade } = cluster;
  if (upgrade?.operationId === operationId) return;
  if (upgrade?.phase === 'Running')
    throw new StatusError(409, 'Conflict', `operation ${upgrade.operationId} is in progress`);
  const target = controlPlane === undefined ? undefined : parseVersion(controlPlane);
  const current = parseVersion(cluster.kubernetesVersion)!;
  if (target && compareVersions(target, current) < 0 && !reaches(current, target))
    throw badRequest(`${controlPlane} is older than ${cluster.kubernetesVersion}: a cluster is never downgraded`);
  cluster.upgradesBegun++;
  carryOut(cluster, {
    pools,
    version: target && !reaches(current, target) ? formatVersion(target) : undefined,
    step(phase, message) {
      cluster.upgrade = { operationId, phase, message };
    },
  });
}

function carryOut(
  cluster: Cluster,
  {
    pools,
    version,
    step,
  }: {
    readonly pools: NonNullable<Wanted['pools']>;
    /** That the control plane is to get. */
    readonly version: string | undefined;
    readonly step: (phase: SimulatedUpgrade['phase'], message: string) => void;
  },
): void {
  const { controlPlaneSeconds, nodeSeconds, outcome } = cluster.upgrades;
  const after = (seconds: number, run: () => void): void => cluster.queue.after(seconds * 1000, 'upgrade', run);
  const nodes = cluster.store.list('/nodes').flatMap((node) => {
    const pool = pools.find(({ name }) => name === poolOf(node));
    return pool ? [{ name: node.metadata.name, pool }] : [];
  });

  function replaceNodes(done: number): void {
    const node = nodes[done];
    if (node === undefined) {
      step('Succeeded', 'done');
      return;
    }
    step('Running', `${done} of ${nodes.length} nodes`);
    changeNode(cluster, node.name, { unschedulable: true });
    after(nodeSeconds, () => {
      changeNode(cluster, node.name, { ...node.pool, unschedulable: false });
      replaceNodes(done + 1);
    });
  }

  step('Running', version === undefined ? 'nodes' : 'control plane');
  if (outcome === 'Hangs') return;
  if (outcome === 'Fails') after(controlPlaneSeconds, () => step('Failed', 'simulated failure'));
  else if (version === undefined) replaceNodes(0);
  else
    after(controlPlaneSeconds, () => {
      cluster.kubernetesVersion = wholeVersion(version);
      replaceNodes(0);
    });
}

/** The first patch of a minor is the one that is there. */
function wholeVersion(text: string): string {
  const version = parseVersion(text);
  return version === undefined ? text : formatVersion({ ...version, patch: version.patch ?? 0 });
}

function changeNode(
  cluster: Cluster,
  name: string,
  to: { readonly kubernetes?: string; readonly image?: string; readonly unschedulable: boolean },
): void {
  const kind = cluster.registry.stored('/nodes')!;
  const live = cluster.store.get('/nodes', { name });
  if (!live) return;
  const { unschedulable: _, ...spec } = fieldsAt(live, 'spec');
  const next = { ...live, spec: to.unschedulable ? { ...spec, unschedulable: true } : spec };
  const stored = replace(cluster, kind, live, next, {});
  const status = fieldsAt(stored, 'status');
  const kubernetes = to.kubernetes === undefined ? undefined : wholeVersion(to.kubernetes);
  const nodeInfo = {
    ...fieldsAt(status, 'nodeInfo'),
    ...(kubernetes === undefined ? {} : { kubeletVersion: kubernetes, kubeProxyVersion: kubernetes }),
    ...(to.image === undefined ? {} : { osImage: to.image }),
  };
  writeStatus(cluster, kind, stored, { ...status, nodeInfo });
}

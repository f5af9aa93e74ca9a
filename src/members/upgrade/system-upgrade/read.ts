import type { Manifest } from '../../../api/meta.ts';
import { lastOperationOf } from '../../../engine/upgrade/operation-id.ts';
import { ApiError } from '../../api-server/api-error.ts';
import type { MemberClient } from '../../api-server/client.ts';
import { conditionIs, listAt, textAt } from '../fields.ts';
import { operationOf } from '../merge-patch.ts';
import { poolsOf } from '../node-pools.ts';
import type { SeenCluster } from '../provider.ts';
import { nodesOf, type SeenJob, type SeenNode, type SeenWork, type Side } from './nodes.ts';
import { type Progress, progressOf } from './progress.ts';

export interface SeenPlan {
  readonly object: Manifest;
  /** The operation that wrote it; undefined = it is not gitfleet's. */
  readonly operationId: string | undefined;
  readonly progress: Progress;
}

export interface SeenSystemUpgrade extends SeenCluster, SeenWork {
  readonly namespace: string;
  readonly distribution: Distribution | undefined;
  readonly plans: ReadonlyMap<string, SeenPlan>;
}

export const distributions = ['k3s', 'rke2'] as const;
export type Distribution = (typeof distributions)[number];

const markPrefix = 'plan.upgrade.cattle.io/';

/** Reads nodes, Plans and their Jobs from the member. The control plane runs what its nodes run: in k3s and RKE2 both are one program. */
export async function readSystemUpgrade(client: MemberClient, namespace: string): Promise<SeenSystemUpgrade> {
  const [nodes, plans, jobs] = await Promise.all([
    client.list('/api/v1/nodes', {}, { keep: nodeOf }),
    client.list(`/apis/upgrade.cattle.io/v1/namespaces/${namespace}/plans`).catch(explained),
    client.list(
      `/apis/batch/v1/namespaces/${namespace}/jobs`,
      { labelSelector: 'upgrade.cattle.io/plan' },
      { keep: jobOf },
    ),
  ]);
  const seen = {
    namespace,
    nodes: nodes.items,
    jobs: jobs.items,
    distribution: distributions.find((name) => nodes.items.some(({ kubelet }) => kubelet?.includes(name))),
  };
  const found = new Map(
    plans.items.map((object) => [
      object.metadata.name,
      { object, operationId: operationOf(object), progress: progressOf(object, seen) },
    ]),
  );
  const lastOperation = lastOperationOf([...found.values()].flatMap(({ operationId }) => operationId ?? []));
  return { ...seen, plans: found, versions: versionsOf(seen.nodes), running: runningOf(found), lastOperation };
}

function explained(error: unknown): never {
  if (error instanceof ApiError && error.status === 404 && error.message.includes('404 page not found'))
    throw new Error('the member does not serve upgrade.cattle.io/v1: install system-upgrade-controller', {
      cause: error,
    });
  throw error;
}

/** Of servers; also the selector of their Plan. */
export const serverLabel = 'node-role.kubernetes.io/control-plane';

function nodeOf({ metadata: { name, labels = {} }, ...node }: Manifest): SeenNode {
  const marks = Object.entries(labels).filter(([key]) => key.startsWith(markPrefix));
  return {
    name,
    side: serverLabel in labels ? 'servers' : 'agents',
    kubelet: textAt(node, 'status', 'nodeInfo', 'kubeletVersion'),
    region: labels['topology.kubernetes.io/region'],
    marks: Object.fromEntries(marks.map(([key, value]) => [key.slice(markPrefix.length), value])),
  };
}

function jobOf({ metadata: { name, labels = {} }, ...job }: Manifest): SeenJob {
  const state = conditionIs(job, 'Failed', 'True')
    ? 'failed'
    : conditionIs(job, 'Complete', 'True')
      ? 'complete'
      : 'active';
  return { name, plan: labels['upgrade.cattle.io/plan'] ?? '', state };
}

function versionsOf(nodes: readonly SeenNode[]): SeenSystemUpgrade['versions'] {
  const ofSide = (side: Side) =>
    poolsOf(nodesOf({ nodes }, side).map(({ kubelet }) => ({ pool: side, kubernetes: kubelet, image: undefined })));
  const controlPlane = ofSide('servers')[0]?.kubernetes;
  const region = nodes[0]?.region;
  return {
    ...(controlPlane !== undefined && { controlPlane }),
    ...(region !== undefined && { region }),
    pools: ofSide('agents'),
  };
}

function runningOf(plans: SeenSystemUpgrade['plans']): SeenCluster['running'] {
  for (const [name, { object, operationId, progress }] of plans) {
    if (operationId !== undefined && progress.phase === 'running') return { operationId, message: progress.message };
    const applying = listAt(object, 'status', 'applying');
    if (operationId === undefined && applying.length > 0)
      return { operationId: undefined, message: `Plan ${name} is applied to ${applying.join(', ')}` };
  }
  return undefined;
}

import type { MemberClient } from '../../api-server/client.ts';
import { operationAnnotation } from '../merge-patch.ts';
import { planOf, type SeenJob, type Side } from './nodes.ts';
import { type Distribution, type SeenPlan, serverLabel } from './read.ts';

const path = (namespace: string): string => `/apis/upgrade.cattle.io/v1/namespaces/${namespace}/plans`;

const json = { 'content-type': 'application/json' };

/** Enough to drain a node whose pods take long to end. The controller's own is ten minutes. */
const jobDeadlineSeconds = 3_600;

export interface WantedPlan {
  readonly namespace: string;
  readonly side: Side;
  readonly distribution: Distribution;
  /** With its build: `v1.31.5+k3s1`. */
  readonly version: string;
  readonly operationId: string;
}

/** Node after node, first cordoned and, where workloads are, drained. */
export async function createPlan(client: MemberClient, wanted: WantedPlan): Promise<void> {
  const { namespace, side, distribution, version, operationId } = wanted;
  const name = planOf[side];
  const isServers = side === 'servers';
  const plan = {
    apiVersion: 'upgrade.cattle.io/v1',
    kind: 'Plan',
    metadata: {
      name,
      namespace,
      labels: { 'app.kubernetes.io/managed-by': 'gitfleet' },
      annotations: { [operationAnnotation]: operationId },
    },
    spec: {
      concurrency: 1,
      version,
      nodeSelector: {
        matchExpressions: [{ key: serverLabel, operator: isServers ? 'Exists' : 'DoesNotExist' }],
      },
      serviceAccountName: 'system-upgrade',
      tolerations: [{ operator: 'Exists' }],
      cordon: true,
      ...(!isServers && { drain: { ignoreDaemonSets: true } }),
      upgrade: { image: `rancher/${distribution}-upgrade` },
      jobActiveDeadlineSecs: jobDeadlineSeconds,
    },
  };
  await client.send({
    method: 'POST',
    path: `${path(namespace)}?fieldManager=gitfleet`,
    headers: json,
    body: JSON.stringify(plan),
    tried: `create Plan ${namespace}/${name}`,
  });
}

/** A Plan that someone changed since it was read stays, with a 409. */
export async function removePlan(client: MemberClient, namespace: string, { object }: SeenPlan): Promise<void> {
  const { name, uid, resourceVersion } = object.metadata as { name: string; uid: string; resourceVersion: string };
  await client.send({
    method: 'DELETE',
    path: `${path(namespace)}/${name}`,
    headers: json,
    body: JSON.stringify({ preconditions: { uid, resourceVersion } }),
    tried: `replace Plan ${namespace}/${name}`,
  });
}

/** A failed Job would count as a failure of the next Plan of its name. */
export async function removeJob(client: MemberClient, namespace: string, { name }: SeenJob): Promise<void> {
  await client.send({
    method: 'DELETE',
    path: `/apis/batch/v1/namespaces/${namespace}/jobs/${name}?propagationPolicy=Background`,
    tried: `remove the failed Job ${namespace}/${name}`,
  });
}

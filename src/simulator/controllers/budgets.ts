import { at, fieldsAt, numberAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import type { Stored } from '../object.ts';
import { writeStatus } from '../storage/write.ts';
import { isTrue, withCondition } from './conditions.ts';
import { nodesWanted } from './daemon-sets/daemon-sets.ts';
import { controllerOf } from './owners/owner-reference.ts';
import { resolveCount } from './resolve-count.ts';
import { selects } from './selects.ts';

const key = 'policy/poddisruptionbudgets';

/** PodDisruptionBudgets that cover a pod. */
export const budgetsOf = (cluster: Cluster, pod: Stored): Stored[] =>
  cluster.store
    .list(key, pod.metadata.namespace)
    .filter((budget) => selects(at(budget, 'spec', 'selector'), pod.metadata.labels ?? {}));

/** Updates the status of budgets when pods change. */
export function runBudgets(cluster: Cluster): void {
  const count = (namespace = '') => cluster.queue.soon(`${key} ${namespace}`, () => countBudgets(cluster, namespace));
  cluster.store.subscribe(key, ({ type, object }) => {
    if (type !== 'DELETED') count(object.metadata.namespace);
  });
  for (const counted of ['/pods', 'apps/replicasets', 'apps/statefulsets']) {
    cluster.store.subscribe(counted, ({ object: { metadata } }) => {
      if (cluster.store.list(key).some((budget) => budget.metadata.namespace === metadata.namespace))
        count(metadata.namespace);
    });
  }
}

/** Computes the disruptions that each budget of a namespace allows. */
function countBudgets(cluster: Cluster, namespace: string): void {
  const kind = cluster.registry.stored(key)!;
  for (const budget of cluster.store.list(key, namespace)) {
    const pods = cluster.store
      .list('/pods', namespace)
      .filter((pod) => selects(at(budget, 'spec', 'selector'), pod.metadata.labels ?? {}));
    const expected = expectedPods(cluster, namespace, pods);
    const healthy = pods.filter((pod) => isTrue(pod, 'Ready') && pod.metadata.deletionTimestamp === undefined).length;
    const minAvailable = at(budget, 'spec', 'minAvailable');
    // Both percentages round up, as in Kubernetes' disruption controller.
    const desired =
      minAvailable !== undefined
        ? resolveCount(minAvailable, expected, 'up')
        : Math.max(0, expected - resolveCount(at(budget, 'spec', 'maxUnavailable'), expected, 'up'));
    const allowed = Math.max(0, healthy - desired);
    const enough = allowed > 0 ? 'True' : 'False';
    writeStatus(cluster, kind, budget, {
      ...fieldsAt(budget, 'status'),
      observedGeneration: budget.metadata.generation,
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      conditions: withCondition(cluster, budget, {
        type: 'DisruptionAllowed',
        status: enough,
        reason: enough === 'True' ? 'SufficientPods' : 'InsufficientPods',
        message: '',
      }),
    });
  }
}

/** The desired replicas of the owners of the pods; pods without an owner count themselves. */
function expectedPods(cluster: Cluster, namespace: string, pods: readonly Stored[]): number {
  const owners = new Map<string, number>();
  let alone = 0;
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (!owner) alone++;
    else if (!owners.has(owner.uid))
      owners.set(owner.uid, scaleOfOwner(cluster, namespace, owner.kind, owner.name) ?? 0);
  }
  return alone + [...owners.values()].reduce((sum, count) => sum + count, 0);
}

function scaleOfOwner(cluster: Cluster, namespace: string, kind: string, name: string): number | undefined {
  const key = { ReplicaSet: 'apps/replicasets', StatefulSet: 'apps/statefulsets' }[kind];
  if (key !== undefined) return numberAt(cluster.store.get(key, { namespace, name }), 'spec', 'replicas');
  return kind === 'DaemonSet'
    ? nodesWanted(cluster, cluster.store.get('apps/daemonsets', { namespace, name }))
    : undefined;
}

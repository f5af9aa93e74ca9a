import { at, fieldsAt, numberAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import { isFinished } from '../../pod-phase.ts';
import { remove } from '../../storage/remove.ts';
import { writeStatus } from '../../storage/write.ts';
import { isTrue } from '../conditions.ts';
import { later, runController } from '../controller.ts';
import { recordEvent } from '../events.ts';
import { makePod } from '../make-object.ts';
import { adopt } from '../owners/adopt.ts';
import type { Dependents } from '../owners/dependents.ts';
import { countReady } from '../pods/ready.ts';

const key = 'apps/replicasets';

/** Keeps the desired number of pods of each ReplicaSet. */
export function runReplicaSets(cluster: Cluster, dependents: Dependents): void {
  const kind = cluster.registry.stored(key)!;
  const pods = cluster.registry.stored('/pods')!;

  function reconcile(set: Stored): void {
    adopt(cluster, dependents, set, '/pods');
    if (set.metadata.deletionTimestamp === undefined) scale(set);
    const alive = activePods(dependents, set);
    const minReadySeconds = numberAt(set, 'spec', 'minReadySeconds');
    const { ready, available, nextMs } = countReady(cluster, alive, minReadySeconds);
    writeStatus(cluster, kind, set, {
      replicas: alive.length,
      ...present({ fullyLabeledReplicas: alive.length, readyReplicas: ready, availableReplicas: available }),
      observedGeneration: set.metadata.generation,
    });
    later(cluster, key, set, { ms: nextMs, reconcile });
  }

  function scale(set: Stored): void {
    const alive = activePods(dependents, set);
    const wanted = numberAt(set, 'spec', 'replicas');
    for (let missing = wanted - alive.length; missing > 0; missing--) {
      const pod = makePod(cluster, set, {});
      if (pod) event(set, 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
    }
    if (alive.length <= wanted) return;
    for (const pod of [...alive].sort(cheapestFirst).slice(0, alive.length - wanted)) {
      remove(cluster, pods, pod, { propagation: 'Background' });
      event(set, 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
    }
  }

  const event = (set: Stored, reason: string, message: string) =>
    recordEvent(cluster, set, { type: 'Normal', reason, message, from: 'replicaset-controller' });

  runController(cluster, { key, makes: ['/pods'], reconcile });
}

/** Active pods: neither finished nor being deleted. */
export const activePods = (dependents: Dependents, owner: Stored): Stored[] =>
  dependents
    .controlled(owner, '/pods')
    .filter((pod) => pod.metadata.deletionTimestamp === undefined && !isFinished(pod));

/** Kubernetes omits counts of 0. */
export const present = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

/** Order of deletion: no node, then pending, then not ready, then the youngest (controller_utils.go, ActivePods). */
function cheapestFirst(a: Stored, b: Stored): number {
  return worth(a) - worth(b) || b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp);
}

const worth = (pod: Stored): number =>
  (at(fieldsAt(pod, 'spec'), 'nodeName') === undefined ? 0 : 4) +
  (textAt(pod, 'status', 'phase') === 'Running' ? 2 : 0) +
  (isTrue(pod, 'Ready') ? 1 : 0);

import { at, listAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import { remove } from '../../storage/remove.ts';
import { writeStatus } from '../../storage/write.ts';
import { recordEvent } from '../events.ts';
import { controllerOf } from '../owners/owner-reference.ts';
import {
  containersOf,
  endedStatus,
  failingStatus,
  failureOf,
  mostRestarts,
  readyStatus,
  startingStatus,
} from './status.ts';

const key = '/pods';

/** The kubelets of all nodes: pods start, become ready, finish, fail according to their annotation, and are deleted. */
export function runPods(cluster: Cluster): void {
  const kind = cluster.registry.stored(key)!;

  cluster.store.subscribe(key, ({ type, object, before }) => {
    const { uid } = object.metadata;
    if (type === 'DELETED') return stop(uid);
    if (object.metadata.deletionTimestamp !== undefined) {
      if (before?.metadata.deletionTimestamp !== undefined) return;
      cluster.queue.cancel(`pod ${uid}`);
      const seconds = Math.min(cluster.delayOf('Termination'), object.metadata.deletionGracePeriodSeconds ?? 0);
      cluster.queue.after(seconds * 1000, `end ${uid}`, () => withPod(object, vanish));
    } else if (at(before, 'spec', 'nodeName') === undefined && textAt(object, 'spec', 'nodeName') !== '') {
      cluster.queue.soon(`pod ${uid}`, () => withPod(object, start));
    }
  });
  cluster.store.subscribe('/nodes', ({ type, object }) => {
    if (type !== 'DELETED') return;
    for (const pod of cluster.store.list(key)) {
      if (textAt(pod, 'spec', 'nodeName') === object.metadata.name)
        remove(cluster, kind, pod, { gracePeriodSeconds: 0 });
    }
  });

  function stop(uid: string): void {
    cluster.queue.cancel(`pod ${uid}`);
    cluster.queue.cancel(`end ${uid}`);
  }

  /** Skips the work if the pod was replaced since. */
  function withPod(pod: Stored, work: (live: Stored) => void): void {
    const live = cluster.store.get(key, pod.metadata);
    if (live?.metadata.uid === pod.metadata.uid) work(live);
  }

  const afterSeconds = (pod: Stored, seconds: number, work: (live: Stored) => void) =>
    cluster.queue.after(seconds * 1000, `pod ${pod.metadata.uid}`, () => withPod(pod, work));

  function start(pod: Stored): void {
    // A pod that existed before its node's kubelet keeps its own status.
    if (textAt(pod, 'status', 'phase') !== 'Pending') return;
    const starting = writeStatus(cluster, kind, pod, startingStatus(cluster, pod));
    const failure = failureOf(pod);
    if (failure === 'ImagePullBackOff' || failure === 'CrashLoopBackOff')
      afterSeconds(starting, 1, (live) => fail(live, 1));
    else if (runsToItsEnd(pod)) afterSeconds(starting, 0, runOnce);
    else afterSeconds(starting, cluster.delayOf(delayKind(cluster, pod)), run);
  }

  function run(pod: Stored): void {
    writeStatus(cluster, kind, pod, readyStatus(cluster, pod, failureOf(pod) !== 'NotReady'));
    for (const { name, image } of containersOf(pod)) {
      emitEvent(pod, 'Normal', 'Pulled', `Container image "${image}" already present on machine`);
      emitEvent(pod, 'Normal', 'Started', `Started container ${name}`);
    }
    if (failureOf(pod) === 'NotReady') emitEvent(pod, 'Warning', 'Unhealthy', 'Readiness probe failed: simulated');
  }

  function runOnce(pod: Stored): void {
    run(pod);
    afterSeconds(pod, cluster.delayOf('Job'), (live) =>
      writeStatus(cluster, kind, live, endedStatus(cluster, live, 'Succeeded')),
    );
  }

  /** Retries with growing pauses, as kubelets do, but not for ever: an idle member has no timers. */
  function fail(pod: Stored, attempt: number): void {
    const failure = failureOf(pod);
    const image = containersOf(pod)[0]?.image ?? '';
    if (failure === 'CrashLoopBackOff' && textAt(pod, 'spec', 'restartPolicy') === 'Never') {
      writeStatus(cluster, kind, pod, endedStatus(cluster, pod, 'Failed'));
      return;
    }
    writeStatus(cluster, kind, pod, failingStatus(cluster, pod, attempt));
    if (failure === 'ImagePullBackOff')
      emitEvent(pod, 'Warning', 'Failed', `Failed to pull image "${image}": simulated: not found`);
    else emitEvent(pod, 'Warning', 'BackOff', `Back-off restarting failed container in pod ${pod.metadata.name}`);
    if (attempt < mostRestarts)
      afterSeconds(pod, Math.min(300, 10 * 2 ** (attempt - 1)), (live) => fail(live, attempt + 1));
  }

  const emitEvent = (pod: Stored, type: 'Normal' | 'Warning', reason: string, message: string) =>
    recordEvent(cluster, pod, { type, reason, message, from: 'kubelet' });

  function vanish(pod: Stored): void {
    remove(cluster, kind, pod, { gracePeriodSeconds: 0 });
  }
}

/** Whether a pod runs once, as those of Jobs: it is not restarted when it ends. */
const runsToItsEnd = (pod: Stored): boolean => textAt(pod, 'spec', 'restartPolicy') !== 'Always';

/** The kind whose delay applies until a pod is ready. */
function delayKind(cluster: Cluster, pod: Stored): string {
  const owner = controllerOf(pod);
  if (!owner) return 'Pod';
  if (owner.kind !== 'ReplicaSet') return owner.kind;
  const set = cluster.store.get('apps/replicasets', { name: owner.name, namespace: pod.metadata.namespace });
  return (set && controllerOf(set)?.kind) ?? 'Deployment';
}

export const claimsOf = (pod: Stored): string[] =>
  listAt(pod, 'spec', 'volumes')
    .map((volume) => textAt(volume, 'persistentVolumeClaim', 'claimName'))
    .filter((name) => name !== '');

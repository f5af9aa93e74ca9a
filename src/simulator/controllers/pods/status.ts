import { at, fieldsAt, listAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import type { Fields } from '../../schema/schema.ts';

/** Annotation on a pod, usually from the template of its workload: how it fails. */
export const failAnnotation = 'simulator.gitfleet.dev/fail';

const failures = ['ImagePullBackOff', 'CrashLoopBackOff', 'NotReady'] as const;
export type Failure = (typeof failures)[number];

export const failureOf = (pod: Stored): Failure | undefined =>
  failures.find((failure) => failure === pod.metadata.annotations?.[failAnnotation]);

/** Restarts with growing pauses; then a pod is left alone in its failed state. */
export const mostRestarts = 6;

export const containersOf = (pod: Stored): { readonly name: string; readonly image: string }[] =>
  listAt(pod, 'spec', 'containers').map((item) => ({ name: textAt(item, 'name'), image: textAt(item, 'image') }));

/** Status of a scheduled pod before its containers run. */
export function startingStatus(cluster: Cluster, pod: Stored): Fields {
  return {
    ...fieldsAt(pod, 'status'),
    phase: 'Pending',
    conditions: conditionsOf(cluster, pod, { initialized: true, ready: false, why: notReady(pod) }),
    hostIP: hostOf(cluster, pod),
    startTime: cluster.timestamp(),
    containerStatuses: containersOf(pod).map((container) => ({
      ...container,
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: { reason: 'ContainerCreating' } },
    })),
  };
}

/** The address of its node; a node created by hand may have none. */
function hostOf(cluster: Cluster, pod: Stored): string | undefined {
  const node = cluster.store.get('/nodes', { name: textAt(pod, 'spec', 'nodeName') });
  const internal = node && listAt(node, 'status', 'addresses').find((item) => textAt(item, 'type') === 'InternalIP');
  return internal === undefined ? undefined : textAt(internal, 'address');
}

/** Status of a running pod, ready unless its probe never succeeds. */
export function readyStatus(cluster: Cluster, pod: Stored, ready: boolean): Fields {
  const podIP = textAt(pod, 'status', 'podIP') || cluster.allocate.podIP();
  return {
    ...fieldsAt(pod, 'status'),
    phase: 'Running',
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: conditionsOf(cluster, pod, { initialized: true, ready, why: notReady(pod) }),
    containerStatuses: containersOf(pod).map((container) => ({
      ...container,
      imageID: `${container.image}@simulated`,
      containerID: `simulated://${container.name}`,
      ready,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: cluster.timestamp() } },
    })),
  };
}

/** Status of a pod whose containers ended. */
export function endedStatus(cluster: Cluster, pod: Stored, phase: 'Succeeded' | 'Failed'): Fields {
  const done = phase === 'Succeeded';
  const why = { reason: done ? 'PodCompleted' : 'PodFailed', message: undefined };
  const finishedAt = cluster.timestamp();
  return {
    ...fieldsAt(pod, 'status'),
    phase,
    conditions: conditionsOf(cluster, pod, { initialized: true, ready: false, why }),
    containerStatuses: listAt(pod, 'status', 'containerStatuses').map((status) => ({
      ...(status as Fields),
      ready: false,
      started: false,
      state: {
        terminated: {
          exitCode: done ? 0 : 1,
          reason: done ? 'Completed' : 'Error',
          startedAt: textAt(status, 'state', 'running', 'startedAt') || finishedAt,
          finishedAt,
        },
      },
    })),
  };
}

/** Status of a container that waits between two attempts. */
export function failingStatus(cluster: Cluster, pod: Stored, attempt: number): Fields {
  const reason = failureOf(pod)!;
  const crashed = reason === 'CrashLoopBackOff';
  const finishedAt = cluster.timestamp();
  return {
    ...fieldsAt(pod, 'status'),
    phase: crashed ? 'Running' : 'Pending',
    conditions: conditionsOf(cluster, pod, { initialized: true, ready: false, why: notReady(pod) }),
    containerStatuses: listAt(pod, 'status', 'containerStatuses').map((status) => ({
      ...(status as Fields),
      restartCount: crashed ? attempt : 0,
      state: {
        waiting: {
          reason,
          message: crashed
            ? `back-off restarting failed container=${textAt(status, 'name')} pod=${pod.metadata.name}`
            : `Back-off pulling image "${textAt(status, 'image')}"`,
        },
      },
      ...(crashed ? { lastState: { terminated: { exitCode: 1, reason: 'Error', finishedAt } } } : {}),
    })),
  };
}

const notReady = (pod: Stored): { reason: string; message: string } => ({
  reason: 'ContainersNotReady',
  message: `containers with unready status: [${containersOf(pod)
    .map(({ name }) => name)
    .join(' ')}]`,
});

interface State {
  readonly initialized: boolean;
  readonly ready: boolean;
  readonly why: { readonly reason: string; readonly message: string | undefined };
}

/** The four conditions in the order of a kubelet; each keeps the time of its last transition. */
function conditionsOf(cluster: Cluster, pod: Stored, { initialized, ready, why }: State): unknown[] {
  const condition = (type: string, good: boolean): Fields => {
    const status = good ? 'True' : 'False';
    const old = listAt(pod, 'status', 'conditions').find((item) => textAt(item, 'type') === type);
    const kept = textAt(old, 'status') === status ? at(old, 'lastTransitionTime') : undefined;
    const reasons = good ? {} : { reason: why.reason, ...(why.message === undefined ? {} : { message: why.message }) };
    return { type, status, ...reasons, lastTransitionTime: kept ?? cluster.timestamp() };
  };
  return [
    condition('Initialized', initialized),
    condition('Ready', ready),
    condition('ContainersReady', ready),
    condition('PodScheduled', true),
  ];
}

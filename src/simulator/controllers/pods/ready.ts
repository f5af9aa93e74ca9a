import { listAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';

/** Milliseconds since a pod became ready; undefined while it is not. A pod being deleted stays ready until it is gone. */
export function readyFor(cluster: Cluster, pod: Stored): number | undefined {
  const ready = listAt(pod, 'status', 'conditions').find((item) => textAt(item, 'type') === 'Ready');
  if (textAt(ready, 'status') !== 'True') return undefined;
  return cluster.clock.now() - Date.parse(textAt(ready, 'lastTransitionTime'));
}

/** Ready for at least minReadySeconds of its workload. */
export function isAvailable(cluster: Cluster, pod: Stored, minReadySeconds: number): boolean {
  const since = readyFor(cluster, pod);
  // Transition times are whole seconds in the past, so a pod that just became ready may look a moment older.
  return since !== undefined && (minReadySeconds === 0 || since >= minReadySeconds * 1000);
}

/** Numbers of ready and available pods, and when the next one becomes available (milliseconds from now). */
export function countReady(cluster: Cluster, pods: readonly Stored[], minReadySeconds: number) {
  let ready = 0;
  let available = 0;
  let nextMs: number | undefined;
  for (const pod of pods) {
    const since = readyFor(cluster, pod);
    if (since === undefined) continue;
    ready++;
    const left = minReadySeconds * 1000 - since;
    if (isAvailable(cluster, pod, minReadySeconds)) available++;
    else nextMs = Math.min(nextMs ?? left, left);
  }
  return { ready, available, nextMs };
}

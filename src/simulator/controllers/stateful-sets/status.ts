import { fieldsAt, numberAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import { same } from '../../fields/compare.ts';
import type { Stored } from '../../object.ts';
import type { Fields } from '../../schema/schema.ts';
import { present } from '../deployments/replica-sets.ts';
import { countReady } from '../pods/ready.ts';
import { revisionOf, type Templates } from './pods.ts';

/** The status of a StatefulSet, the same value if nothing changed, and when it changes by time alone. */
export function statefulStatus(
  cluster: Cluster,
  set: Stored,
  pods: readonly Stored[],
  { current, update }: Templates,
): { readonly status: Fields; readonly nextMs: number | undefined } {
  const alive = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const made = (revision: Stored) => alive.filter((pod) => revisionOf(pod) === revision.metadata.name).length;
  const { ready, available, nextMs } = countReady(cluster, alive, numberAt(set, 'spec', 'minReadySeconds'));
  const replicas = numberAt(set, 'spec', 'replicas');
  // A rollout is complete when every pod is new and ready; the update revision then becomes the current one.
  const over =
    textAt(set, 'spec', 'updateStrategy', 'type') !== 'OnDelete' &&
    made(update) === replicas &&
    ready === replicas &&
    pods.length === replicas;
  const now = over ? update : current;
  const status = {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    availableReplicas: available,
    ...present({ readyReplicas: ready, currentReplicas: made(now), updatedReplicas: made(update) }),
    currentRevision: now.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount: 0,
  };
  const before = fieldsAt(set, 'status');
  return { status: same(before, status) ? before : status, nextMs };
}

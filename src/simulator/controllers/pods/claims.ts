import { at, fieldsAt, listAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import { isFinished } from '../../pod-phase.ts';
import { finishDeletion, remove } from '../../storage/remove.ts';
import { writeStatus } from '../../storage/write.ts';
import { runController, soon } from '../controller.ts';
import { makeObject } from '../make-object.ts';
import { claimsOf } from './pods.ts';

const key = '/persistentvolumeclaims';
const volumeKey = '/persistentvolumes';
const protection = 'kubernetes.io/pvc-protection';

/** The storage class of every simulated member: volumes are bound shortly after their claim. */
export const storageClass = 'standard';

/** Binds claims of existing storage classes to new volumes; a claim in use is deleted only after its pods. */
export function runClaims(cluster: Cluster): void {
  const kind = cluster.registry.stored(key)!;
  const volumeKind = cluster.registry.stored(volumeKey)!;

  function reconcile(claim: Stored): void {
    if (claim.metadata.deletionTimestamp !== undefined) release(claim);
    else if (textAt(claim, 'status', 'phase') === 'Bound') grow(claim);
    else provide(claim);
  }

  function provide(claim: Stored): void {
    if (textAt(claim, 'status', 'phase') === '') writeStatus(cluster, kind, claim, { phase: 'Pending' });
    const found = cluster.store.get('storage.k8s.io/storageclasses', {
      name: textAt(claim, 'spec', 'storageClassName'),
    });
    if (found)
      cluster.queue.once(cluster.delayOf('PersistentVolumeClaim') * 1000, `bind ${claim.metadata.uid}`, () => {
        const live = cluster.store.get(key, claim.metadata);
        if (live?.metadata.uid === claim.metadata.uid && live.metadata.deletionTimestamp === undefined) bind(live);
      });
  }

  function bind(claim: Stored): void {
    const volumeName = textAt(claim, 'spec', 'volumeName') || `pvc-${claim.metadata.uid}`;
    makeObject(cluster, volumeKind, {
      metadata: { name: volumeName },
      spec: {
        capacity: capacityOf(claim),
        accessModes: listAt(claim, 'spec', 'accessModes'),
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: textAt(claim, 'spec', 'storageClassName'),
        volumeMode: at(claim, 'spec', 'volumeMode') ?? 'Filesystem',
        claimRef: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: claim.metadata.namespace,
          name: claim.metadata.name,
          uid: claim.metadata.uid,
        },
      },
      status: { phase: 'Bound' },
    });
    const status = { phase: 'Bound', accessModes: at(claim, 'spec', 'accessModes'), capacity: capacityOf(claim) };
    cluster.store.put(key, { ...claim, spec: { ...fieldsAt(claim, 'spec'), volumeName }, status });
  }

  const grow = (claim: Stored) =>
    writeStatus(cluster, kind, claim, { ...fieldsAt(claim, 'status'), capacity: capacityOf(claim) });

  function release(claim: Stored): void {
    const inUse = cluster.store
      .list('/pods', claim.metadata.namespace)
      .some((pod) => !isFinished(pod) && claimsOf(pod).includes(claim.metadata.name));
    const finalizers = claim.metadata.finalizers ?? [];
    if (inUse || !finalizers.includes(protection)) return;
    const { finalizers: _, ...metadata } = claim.metadata;
    const left = finalizers.filter((item) => item !== protection);
    const next = { ...claim, metadata: { ...metadata, ...(left.length > 0 ? { finalizers: left } : {}) } };
    finishDeletion(cluster, kind, cluster.store.put(key, next));
  }

  runController(cluster, { key, reconcile });
  cluster.store.subscribe(key, ({ type, object }) => {
    const volume = type === 'DELETED' && cluster.store.get(volumeKey, { name: textAt(object, 'spec', 'volumeName') });
    if (volume && textAt(volume, 'spec', 'claimRef', 'uid') === object.metadata.uid)
      remove(cluster, volumeKind, volume, {});
  });
  cluster.store.subscribe('/pods', ({ type, object }) => {
    if (type !== 'DELETED' && !isFinished(object)) return;
    for (const name of claimsOf(object)) soon(cluster, key, { name, namespace: object.metadata.namespace }, reconcile);
  });
}

const capacityOf = (claim: Stored) => ({ storage: at(claim, 'spec', 'resources', 'requests', 'storage') });

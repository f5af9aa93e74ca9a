import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import { finishDeletion, remove } from '../../storage/remove.ts';
import type { Dependents } from './dependents.ts';

/** Deletes objects without remaining owners, and completes foreground and orphan deletions. */
export function collectGarbage(cluster: Cluster, dependents: Dependents): void {
  cluster.store.observe(({ type, key, object, before }) => {
    if (type === 'DELETED') {
      for (const owner of before?.metadata.ownerReferences ?? [])
        cluster.queue.soon(`gc-owner/${owner.uid}`, () => releaseOwner(owner.uid));
      if (dependents.of(object.metadata.uid).length > 0)
        cluster.queue.soon(`gc/${object.metadata.uid}`, () => sweep(object));
    } else if (object.metadata.deletionTimestamp !== undefined && held(object) !== undefined) {
      waiting.set(object.metadata.uid, { key, object });
      cluster.queue.soon(`gc-owner/${object.metadata.uid}`, () => releaseOwner(object.metadata.uid));
    }
  });

  const waiting = new Map<string, { key: string; object: Stored }>();
  const held = (object: Stored): string | undefined =>
    object.metadata.finalizers?.find((item) => item === 'foregroundDeletion' || item === 'orphan');

  function current(key: string, object: Stored): Stored | undefined {
    const found = cluster.store.get(key, object.metadata);
    return found?.metadata.uid === object.metadata.uid ? found : undefined;
  }

  /** The owner is gone: deletes its dependents, unless another owner exists. */
  function sweep(owner: Stored): void {
    for (const { key, object } of dependents.of(owner.metadata.uid)) {
      const live = current(key, object);
      const kind = cluster.registry.stored(key);
      if (!live || !kind) continue;
      const others = (live.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== owner.metadata.uid);
      if (others.some((reference) => exists(reference.uid))) drop(key, live, others);
      else remove(cluster, kind, live, { propagation: 'Background' });
    }
  }

  function exists(uid: string): boolean {
    for (const key of cluster.store.keys()) {
      if (cluster.store.list(key).some((object) => object.metadata.uid === uid)) return true;
    }
    return false;
  }

  function drop(key: string, live: Stored, ownerReferences: Stored['metadata']['ownerReferences']): void {
    const { ownerReferences: _, ...metadata } = live.metadata;
    const left = ownerReferences && ownerReferences.length > 0 ? { ownerReferences } : {};
    cluster.store.put(key, { ...live, metadata: { ...metadata, ...left } });
  }

  /** A deleted owner that waits: in foreground for its dependents, with orphans for the removal of their references. */
  function releaseOwner(uid: string): void {
    const entry = waiting.get(uid);
    if (!entry) return;
    const live = current(entry.key, entry.object);
    const finalizer = live && held(live);
    const kind = cluster.registry.stored(entry.key);
    if (!live || !kind || finalizer === undefined) {
      waiting.delete(uid);
      return;
    }
    const owned = dependents.of(uid);
    if (finalizer === 'orphan') {
      for (const { key, object } of owned) {
        const dependent = current(key, object);
        if (dependent)
          drop(
            key,
            dependent,
            dependent.metadata.ownerReferences?.filter((item) => item.uid !== uid),
          );
      }
    } else {
      for (const { key, object } of owned) {
        const dependent = current(key, object);
        const dependentKind = cluster.registry.stored(key);
        if (dependent && dependentKind && dependent.metadata.deletionTimestamp === undefined)
          remove(cluster, dependentKind, dependent, { propagation: 'Foreground' });
      }
      if (dependents.of(uid).length > 0) return;
    }
    waiting.delete(uid);
    const { finalizers, ...metadata } = live.metadata;
    const rest = finalizers?.filter((item) => item !== finalizer) ?? [];
    const next = { ...live, metadata: { ...metadata, ...(rest.length > 0 ? { finalizers: rest } : {}) } };
    finishDeletion(cluster, kind, cluster.store.put(entry.key, next));
  }
}

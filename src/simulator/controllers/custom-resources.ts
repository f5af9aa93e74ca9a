import { at, fieldsAt, listAt, textAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import { kindsOfCrd } from '../kinds/from-crd.ts';
import type { Stored } from '../object.ts';
import { finishDeletion, remove } from '../storage/remove.ts';
import { writeStatus } from '../storage/write.ts';
import { isTrue, withCondition } from './conditions.ts';
import { runController, soon } from './controller.ts';

const key = 'apiextensions.k8s.io/customresourcedefinitions';
const cleanup = 'customresourcecleanup.apiextensions.k8s.io';

/** Serves the kinds of CustomResourceDefinitions after a delay, and deletes their objects before them. */
export function runCustomResources(cluster: Cluster): void {
  const kind = cluster.registry.stored(key)!;
  /** Storage keys of the kinds of definitions being deleted. */
  const terminatingKinds = new Map<string, string>();

  function reconcile(crd: Stored): void {
    if (crd.metadata.deletionTimestamp === undefined) accept(crd);
    else empty(crd);
  }

  function accept(crd: Stored): void {
    const taken = conflictOf(cluster, crd);
    const names = fieldsAt(crd, 'spec', 'names');
    const accepted = withCondition(cluster, crd, {
      type: 'NamesAccepted',
      status: taken === undefined ? 'True' : 'False',
      reason: taken === undefined ? 'NoConflicts' : 'NamesConflict',
      message: taken ?? 'no conflicts found',
    });
    const versions = listAt(crd, 'status', 'storedVersions').map(String);
    const storage = storageVersion(crd);
    const named = writeStatus(cluster, kind, withFinalizer(cluster, crd), {
      ...fieldsAt(crd, 'status'),
      conditions: isTrue(crd, 'Established') || taken !== undefined ? accepted : withInstalling(cluster, crd, accepted),
      ...(taken === undefined ? { acceptedNames: names } : { acceptedNames: fieldsAt(crd, 'status', 'acceptedNames') }),
      storedVersions: versions.includes(storage) ? versions : [...versions, storage],
    });
    if (isTrue(named, 'Established')) cluster.registry.setCustom(storageKeyOf(named), kindsOfCrd(named));
    else if (taken === undefined)
      cluster.queue.once(cluster.delayOf('CustomResourceDefinition') * 1000, `establish ${crd.metadata.uid}`, () => {
        const live = cluster.store.get(key, crd.metadata);
        if (live?.metadata.uid === crd.metadata.uid && isTrue(live, 'NamesAccepted')) establish(cluster, live);
      });
  }

  function empty(crd: Stored): void {
    const contentKey = storageKeyOf(crd);
    terminatingKinds.set(contentKey, crd.metadata.name);
    const contentKind = cluster.registry.stored(contentKey);
    for (const object of cluster.store.list(contentKey)) {
      if (contentKind && object.metadata.deletionTimestamp === undefined) remove(cluster, contentKind, object, {});
    }
    const left = cluster.store.list(contentKey).length;
    const terminating = {
      type: 'Terminating',
      status: 'True',
      reason: left > 0 ? 'InstanceDeletionInProgress' : 'InstanceDeletionCompleted',
      message: left > 0 ? 'CustomResource deletion is in progress' : 'removed all instances',
    } as const;
    const status = { ...fieldsAt(crd, 'status'), conditions: withCondition(cluster, crd, terminating) };
    const updated = writeStatus(cluster, kind, crd, status);
    const finalizers = updated.metadata.finalizers ?? [];
    if (left > 0 || !finalizers.includes(cleanup)) return;
    const { finalizers: _, ...metadata } = updated.metadata;
    const rest = finalizers.filter((item) => item !== cleanup);
    const next = { ...updated, metadata: { ...metadata, ...(rest.length > 0 ? { finalizers: rest } : {}) } };
    finishDeletion(cluster, kind, cluster.store.put(key, next));
  }

  runController(cluster, { key, reconcile });
  cluster.store.observe(({ type, key: changed, object }) => {
    if (type !== 'DELETED') return;
    const name = terminatingKinds.get(changed);
    if (name !== undefined) soon(cluster, key, { name }, reconcile);
    if (changed !== key) return;
    cluster.registry.setCustom(storageKeyOf(object), []);
    terminatingKinds.delete(storageKeyOf(object));
    // A conflicting name may be free now.
    for (const other of cluster.store.list(key)) soon(cluster, key, other.metadata, reconcile);
  });
}

/** Without a delay, for those that a member has from the start. */
export function establishAll(cluster: Cluster): void {
  for (const crd of cluster.store.list(key)) if (!isTrue(crd, 'Established')) establish(cluster, crd);
}

function establish(cluster: Cluster, crd: Stored): void {
  const condition = {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  } as const;
  const status = { ...fieldsAt(crd, 'status'), conditions: withCondition(cluster, crd, condition) };
  // Served first, so that clients that see the condition can use the kind.
  cluster.registry.setCustom(storageKeyOf(crd), kindsOfCrd(crd));
  writeStatus(cluster, cluster.registry.stored(key)!, crd, status);
}

const storageKeyOf = (crd: Stored): string =>
  `${textAt(crd, 'spec', 'group')}/${textAt(crd, 'spec', 'names', 'plural')}`;

const storageVersion = (crd: Stored): string =>
  textAt(
    listAt(crd, 'spec', 'versions').find((version) => at(version, 'storage') === true),
    'name',
  );

function withInstalling(cluster: Cluster, crd: Stored, conditions: readonly unknown[]): readonly unknown[] {
  const accepted = { ...crd, status: { conditions } };
  return withCondition(cluster, accepted, {
    type: 'Established',
    status: 'False',
    reason: 'Installing',
    message: 'the initial names have been accepted',
  });
}

function withFinalizer(cluster: Cluster, crd: Stored): Stored {
  const finalizers = crd.metadata.finalizers ?? [];
  if (finalizers.includes(cleanup)) return crd;
  return cluster.store.put(key, { ...crd, metadata: { ...crd.metadata, finalizers: [...finalizers, cleanup] } });
}

/** Another definition of the same group with the same kind; the older one keeps it. */
function conflictOf(cluster: Cluster, crd: Stored): string | undefined {
  const [group, kind] = [textAt(crd, 'spec', 'group'), textAt(crd, 'spec', 'names', 'kind')];
  const rival = cluster.store
    .list(key)
    .find(
      (other) =>
        other.metadata.uid !== crd.metadata.uid &&
        textAt(other, 'spec', 'group') === group &&
        textAt(other, 'status', 'acceptedNames', 'kind') === kind,
    );
  return rival && `${JSON.stringify(kind)} is already in use`;
}

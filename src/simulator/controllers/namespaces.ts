import { fieldsAt, listAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import { same } from '../fields/compare.ts';
import type { Stored } from '../object.ts';
import type { Fields } from '../schema/schema.ts';
import { finishDeletion, remove } from '../storage/remove.ts';
import { withCondition } from './conditions.ts';
import { runController, soon } from './controller.ts';
import { makeObject } from './make-object.ts';

const key = '/namespaces';

/** Namespaces that every cluster has from the start. */
const systemNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Sets up new namespaces and empties deleted ones. */
export function runNamespaces(cluster: Cluster): void {
  const kind = cluster.registry.stored(key)!;
  const terminating = new Set<string>();

  function reconcile(namespace: Stored): void {
    if (namespace.metadata.deletionTimestamp === undefined) furnish(cluster, namespace);
    else empty(namespace);
  }

  function empty(namespace: Stored): void {
    terminating.add(namespace.metadata.name);
    for (const [contentKey, objects] of contentOf(cluster, namespace)) {
      const contentKind = cluster.registry.stored(contentKey);
      for (const object of objects) {
        if (contentKind && object.metadata.deletionTimestamp === undefined)
          remove(cluster, contentKind, object, { propagation: 'Background' });
      }
    }
    const left = contentOf(cluster, namespace);
    const status = terminatingStatus(cluster, namespace, left);
    const updated = same(status, namespace['status']) ? namespace : cluster.store.put(key, { ...namespace, status });
    if (left.size > 0) return;
    terminating.delete(namespace.metadata.name);
    const finalizers = listAt(updated, 'spec', 'finalizers').filter((item) => item !== 'kubernetes');
    const { finalizers: _, ...spec } = fieldsAt(updated, 'spec');
    const next = { ...updated, spec: { ...spec, ...(finalizers.length > 0 ? { finalizers } : {}) } };
    if (same(next, updated)) return;
    finishDeletion(cluster, kind, cluster.store.put(key, next));
  }

  runController(cluster, { key, reconcile });
  cluster.store.observe(({ type, key: changed, object }) => {
    const { namespace } = object.metadata;
    if (namespace !== undefined && terminating.has(namespace)) soon(cluster, key, { name: namespace }, reconcile);
    else if (namespace !== undefined && type === 'DELETED' && isFurniture(changed, object.metadata.name))
      soon(cluster, key, { name: namespace }, reconcile);
    else if (changed === key && type === 'DELETED') terminating.delete(object.metadata.name);
  });
  for (const name of systemNamespaces)
    furnish(cluster, makeObject(cluster, kind, { metadata: { name }, status: active })!);
}

const active = { phase: 'Active' };
const account = 'default';
const rootCertificate = 'kube-root-ca.crt';

const isFurniture = (key: string, name: string): boolean =>
  (key === '/serviceaccounts' && name === account) || (key === '/configmaps' && name === rootCertificate);

/** Sets up a namespace: phase, default ServiceAccount and the certificate of the API server. */
function furnish(cluster: Cluster, namespace: Stored): void {
  const { name } = namespace.metadata;
  if (fieldsAt(namespace, 'status')['phase'] === undefined)
    cluster.store.put(key, { ...namespace, status: { ...fieldsAt(namespace, 'status'), ...active } });
  makeObject(cluster, cluster.registry.stored('/serviceaccounts')!, { metadata: { name: account, namespace: name } });
  makeObject(cluster, cluster.registry.stored('/configmaps')!, {
    metadata: { name: rootCertificate, namespace: name },
    data: { 'ca.crt': 'a simulated member has no certificate\n' },
  });
}

/** Objects of a namespace by kind; events do not block its deletion and are deleted with it. */
function contentOf(cluster: Cluster, namespace: Stored): Map<string, readonly Stored[]> {
  const content = new Map<string, readonly Stored[]>();
  for (const contentKey of cluster.store.keys()) {
    const objects = cluster.store.list(contentKey, namespace.metadata.name);
    if (objects.length > 0) content.set(contentKey, objects);
  }
  return content;
}

/** The five conditions of a namespace being deleted (namespace/deletion/status_condition_utils.go). */
function terminatingStatus(cluster: Cluster, namespace: Stored, left: ReadonlyMap<string, readonly Stored[]>): Fields {
  const names = [...left].map(([key, objects]) => {
    const { group, plural } = cluster.registry.stored(key) ?? { group: '', plural: key };
    return `${group === '' ? `${plural}.` : `${plural}.${group}`} has ${objects.length} resource instances`;
  });
  const finalizers = new Map<string, number>();
  for (const finalizer of [...left.values()].flat().flatMap((object) => object.metadata.finalizers ?? []))
    finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  const held = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`);
  const conditions: readonly (readonly [string, boolean, string, string])[] = [
    ['NamespaceDeletionDiscoveryFailure', false, 'ResourcesDiscovered', 'All resources successfully discovered'],
    [
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ],
    [
      'NamespaceDeletionContentFailure',
      false,
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ],
    names.length > 0
      ? [
          'NamespaceContentRemaining',
          true,
          'SomeResourcesRemain',
          `Some resources are remaining: ${names.sort().join(', ')}`,
        ]
      : ['NamespaceContentRemaining', false, 'ContentRemoved', 'All content successfully removed'],
    held.length > 0
      ? [
          'NamespaceFinalizersRemaining',
          true,
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${held.sort().join(', ')}`,
        ]
      : ['NamespaceFinalizersRemaining', false, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
  ];
  let next = namespace;
  for (const [type, bad, reason, message] of conditions) {
    const condition = { type, status: bad ? 'True' : 'False', reason, message } as const;
    next = { ...next, status: { ...fieldsAt(next, 'status'), conditions: withCondition(cluster, next, condition) } };
  }
  return { ...fieldsAt(next, 'status'), phase: 'Terminating' };
}

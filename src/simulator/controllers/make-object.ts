import { at, fieldsAt, textAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import { nameSuffix } from '../random.ts';
import type { Fields } from '../schema/schema.ts';
import { create } from '../storage/write.ts';
import { referenceTo } from './owners/owner-reference.ts';

/** Creates on behalf of a controller; undefined when the namespace is being deleted or the name is taken. */
export function makeObject(cluster: Cluster, kind: Kind, body: Fields): Stored | undefined {
  const name = textAt(body, 'metadata', 'name');
  const namespace = textAt(body, 'metadata', 'namespace');
  if (kind.namespaced) {
    const found = cluster.store.get('/namespaces', { name: namespace });
    if (!found || found.metadata.deletionTimestamp !== undefined) return undefined;
  }
  if (cluster.store.get(`${kind.group}/${kind.plural}`, { namespace, name })) return undefined;
  return create(cluster, kind, { ...body, apiVersion: apiVersionOf(kind), kind: kind.kind }, {});
}

/** A pod from the template of its owner, or from another one; without a name it gets one that starts with its owner's. */
export function makePod(
  cluster: Cluster,
  owner: Stored,
  pod: {
    readonly name?: string;
    readonly labels?: Fields;
    readonly annotations?: Fields;
    readonly spec?: Fields;
    readonly template?: Fields;
  },
): Stored | undefined {
  const template = pod.template ?? fieldsAt(owner, 'spec', 'template');
  const metadata = fieldsAt(template, 'metadata');
  const kind = cluster.registry.stored('/pods')!;
  return makeObject(cluster, kind, {
    metadata: {
      name: pod.name ?? `${owner.metadata.name}-${nameSuffix(cluster.random)}`,
      namespace: owner.metadata.namespace,
      labels: { ...fieldsAt(metadata, 'labels'), ...pod.labels },
      annotations: { ...fieldsAt(metadata, 'annotations'), ...pod.annotations },
      ...(at(metadata, 'finalizers') === undefined ? {} : { finalizers: at(metadata, 'finalizers') }),
      ownerReferences: [referenceTo(owner)],
    },
    spec: { ...fieldsAt(template, 'spec'), ...pod.spec },
  });
}

import type { Cluster } from '../cluster.ts';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import { at, fieldsAt, listAt, type OwnerReference, type Stored, textAt } from '../object.ts';
import { letters, nameSuffix } from '../random.ts';
import type { Fields } from '../schema/schema.ts';
import { isFields } from '../schema/schema.ts';
import { create } from '../storage/write.ts';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/** `condition` put among those of `object`; its transition time moves only when its status does. */
export function withCondition(
  cluster: Cluster,
  object: Stored,
  condition: Condition,
  more: Fields = {},
): readonly unknown[] {
  const present = listAt(object, 'status', 'conditions');
  const old = present.find((item) => textAt(item, 'type') === condition.type);
  const now = cluster.timestamp();
  const same = old !== undefined && textAt(old, 'status') === condition.status;
  const next = { ...more, ...condition, lastTransitionTime: same ? at(old, 'lastTransitionTime') : now };
  return old ? present.map((item) => (item === old ? next : item)) : [...present, next];
}

export const isTrue = (object: unknown, type: string): boolean =>
  listAt(object, 'status', 'conditions').some(
    (item) => textAt(item, 'type') === type && textAt(item, 'status') === 'True',
  );

export const controllerOf = (object: Stored): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((reference) => reference.controller);

export const referenceTo = (owner: Stored): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** A pod from the template of its owner, or from another one; without a name it gets one that begins with its owner's. */
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

/** Creates on behalf of a controller; undefined when the namespace is going away or the name is taken. */
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

/** A short name for the content of a pod template (the idea of Kubernetes' pod-template-hash, not its value). */
export function templateHash(template: unknown): string {
  let [high, low] = [2166136261, 40389];
  for (const char of JSON.stringify(sorted(template))) {
    high = Math.imul(high ^ char.charCodeAt(0), 16777619) >>> 0;
    low = Math.imul(low + char.charCodeAt(0), 2654435761) >>> 0;
  }
  let out = '';
  for (let at = 0; at < 10; at++) {
    const from = at < 5 ? high : low;
    out += letters[Math.floor(from / 27 ** (at % 5)) % 27];
  }
  return out;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** A number or a percentage of `total`; percentages of surge round up, those of unavailability down. */
export function resolveCount(value: unknown, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(typeof value === 'string' ? value : '');
  if (!percent) return 0;
  const exact = (Number(percent[1]) * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}

/** Milliseconds since a pod became ready; undefined while it is not. One on its way out stays ready until it is gone. */
export function readyFor(cluster: Cluster, pod: Stored): number | undefined {
  const ready = listAt(pod, 'status', 'conditions').find((item) => textAt(item, 'type') === 'Ready');
  if (textAt(ready, 'status') !== 'True') return undefined;
  return cluster.clock.now() - Date.parse(textAt(ready, 'lastTransitionTime'));
}

/** Ready for as long as its workload asks. */
export function isAvailable(cluster: Cluster, pod: Stored, minReadySeconds: number): boolean {
  const since = readyFor(cluster, pod);
  // Transition times are whole seconds in the past, so a pod that just became ready may look a moment older.
  return since !== undefined && (minReadySeconds === 0 || since >= minReadySeconds * 1000);
}

/** How many pods are ready, how many long enough, and when the next of them will be (milliseconds from now). */
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

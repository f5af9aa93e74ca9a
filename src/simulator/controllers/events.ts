import { numberAt, textAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import type { Stored } from '../object.ts';
import { nameSuffix } from '../random.ts';
import { makeObject } from './make-object.ts';

/** Limit of events per member; the oldest are deleted, so that a long demo does not grow. */
const mostEvents = 200;

/** A core/v1 Event about an object; a repeated one increments its count. */
export function recordEvent(
  cluster: Cluster,
  about: Stored,
  event: {
    readonly type: 'Normal' | 'Warning';
    readonly reason: string;
    readonly message: string;
    readonly from: string;
  },
): void {
  const kind = cluster.registry.stored('/events')!;
  const now = cluster.timestamp();
  const namespace = about.metadata.namespace ?? 'default';
  const all = cluster.store.list('/events');
  const old = all.find(
    (item) =>
      textAt(item, 'involvedObject', 'uid') === about.metadata.uid &&
      textAt(item, 'reason') === event.reason &&
      textAt(item, 'message') === event.message,
  );
  if (old) {
    cluster.store.put('/events', { ...old, count: numberAt(old, 'count') + 1, lastTimestamp: now });
    return;
  }
  makeObject(cluster, kind, {
    metadata: { name: `${about.metadata.name}.${nameSuffix(cluster.random)}${nameSuffix(cluster.random)}`, namespace },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      namespace: about.metadata.namespace,
      name: about.metadata.name,
      uid: about.metadata.uid,
      resourceVersion: about.metadata.resourceVersion,
    },
    reason: event.reason,
    message: event.message,
    source: { component: event.from },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type: event.type,
    reportingComponent: event.from,
    reportingInstance: '',
  });
  if (all.length >= mostEvents) {
    const oldest = all.reduce((a, b) => (textAt(a, 'lastTimestamp') <= textAt(b, 'lastTimestamp') ? a : b));
    cluster.store.delete('/events', oldest);
  }
}

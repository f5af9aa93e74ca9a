import type { Cluster } from '../cluster.ts';
import type { Stored } from '../object.ts';
import type { StoreEvent } from '../storage/event-log.ts';
import { controllerOf } from './owners/owner-reference.ts';

export interface Controller {
  /** The kind it reconciles, as a storage key. */
  readonly key: string;
  /** Kinds that it creates: a change of such an object reconciles its owner. */
  readonly makes?: readonly string[];
  /** Reconciles one object by one step; called again until nothing changes. */
  readonly reconcile: (live: Stored) => void;
}

/** Calls a controller for each object of its kind that changed, or whose dependents changed. */
export function runController(cluster: Cluster, { key, makes, reconcile }: Controller): void {
  cluster.store.subscribe(key, ({ type, object }) => {
    if (type !== 'DELETED') soon(cluster, key, object.metadata, reconcile);
  });
  for (const made of makes ?? []) {
    cluster.store.subscribe(made, ({ object, before }: StoreEvent) => {
      for (const side of before ? [object, before] : [object]) {
        const owner = controllerOf(side);
        if (owner && keyOf(cluster, owner) === key)
          soon(cluster, key, { name: owner.name, namespace: side.metadata.namespace }, reconcile);
      }
    });
  }
}

/** Schedules a reconciliation of one object, which reads its state at that time. */
export function soon(
  cluster: Cluster,
  key: string,
  { name, namespace }: { readonly name: string; readonly namespace?: string | undefined },
  reconcile: (live: Stored) => void,
): void {
  cluster.queue.soon(turn(key, { name, namespace }), () => {
    const live = cluster.store.get(key, { name, namespace });
    if (live) reconcile(live);
  });
}

/** Schedules a reconciliation after some simulated time; the last call counts. */
export function later(
  cluster: Cluster,
  key: string,
  about: Stored,
  wait: { readonly ms: number | undefined; readonly reconcile: (live: Stored) => void },
): void {
  const name = `later ${turn(key, about.metadata)}`;
  if (wait.ms === undefined) cluster.queue.cancel(name);
  else cluster.queue.after(wait.ms, name, () => soon(cluster, key, about.metadata, wait.reconcile));
}

const turn = (
  key: string,
  { name, namespace = '' }: { readonly name: string; readonly namespace?: string | undefined },
) => `${key} ${namespace}/${name}`;

function keyOf(cluster: Cluster, owner: { readonly apiVersion: string; readonly kind: string }): string | undefined {
  const kind = cluster.registry.byKind(owner.apiVersion, owner.kind);
  return kind && `${kind.group}/${kind.plural}`;
}

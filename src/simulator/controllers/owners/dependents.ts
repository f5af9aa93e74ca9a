import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import type { StoreEvent } from '../../storage/event-log.ts';
import { controllerOf } from './owner-reference.ts';

export interface Dependent {
  readonly key: string;
  readonly object: Stored;
}

/** An index of owners and dependents, so that controllers need not read all objects of a cluster. */
export interface Dependents {
  /** Every object with a reference to this owner, oldest first. */
  of(uid: string): readonly Dependent[];
  /** Objects of one kind that this owner controls, oldest first. */
  controlled(owner: Stored, key: string): Stored[];
  /** Objects of one kind in a namespace without a controller. */
  orphans(key: string, namespace: string | undefined): Stored[];
}

/** Must observe the store before its users do. */
export function trackDependents(cluster: Cluster): Dependents {
  const owned = new Map<string, Map<string, Dependent>>();
  const alone = new Map<string, Map<string, Stored>>();

  cluster.store.observe((event) => {
    trackOwners(owned, event);
    trackAlone(alone, event);
  });

  return {
    of: (uid) => [...(owned.get(uid)?.values() ?? [])],
    controlled: (owner, key) =>
      [...(owned.get(owner.metadata.uid)?.values() ?? [])]
        .filter((entry) => entry.key === key && controllerOf(entry.object)?.uid === owner.metadata.uid)
        .map(({ object }) => object),
    orphans: (key, namespace) => [...(alone.get(`${key} ${namespace}`)?.values() ?? [])],
  };
}

function trackOwners(owned: Map<string, Map<string, Dependent>>, { type, key, object, before }: StoreEvent): void {
  const { uid } = object.metadata;
  const owners = type === 'DELETED' ? [] : (object.metadata.ownerReferences ?? []);
  for (const owner of before?.metadata.ownerReferences ?? []) {
    if (owners.some((left) => left.uid === owner.uid)) continue;
    owned.get(owner.uid)?.delete(uid);
    if (owned.get(owner.uid)?.size === 0) owned.delete(owner.uid);
  }
  for (const owner of owners) {
    const entries = owned.get(owner.uid) ?? new Map<string, Dependent>();
    entries.set(uid, { key, object });
    owned.set(owner.uid, entries);
  }
}

/** Kinds that a controller may adopt by their labels. */
const adoptable: ReadonlySet<string> = new Set(['/pods', 'apps/replicasets', 'apps/controllerrevisions']);

function trackAlone(alone: Map<string, Map<string, Stored>>, { type, key, object }: StoreEvent): void {
  if (!adoptable.has(key)) return;
  const place = `${key} ${object.metadata.namespace}`;
  if (type === 'DELETED' || controllerOf(object)) {
    alone.get(place)?.delete(object.metadata.uid);
    if (alone.get(place)?.size === 0) alone.delete(place);
    return;
  }
  const entries = alone.get(place) ?? new Map<string, Stored>();
  entries.set(object.metadata.uid, object);
  alone.set(place, entries);
}

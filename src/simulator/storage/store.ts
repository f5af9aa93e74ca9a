import { sharingParts } from '../../members/equal-parts.ts';
import type { Stored } from '../object.ts';

export interface StoreEvent {
  readonly resourceVersion: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly object: Stored;
  /** The object before the change. */
  readonly before: Stored | undefined;
  /** Milliseconds of simulated time. */
  readonly at: number;
}

/** Events kept for watches that resume and for lists of an older moment; older ones answer 410, as after a compaction in etcd. */
const keptEvents = 4096;

/** All objects of one simulated cluster under one growing resource version. */
export interface Store {
  get(key: string, name: ObjectName): Stored | undefined;
  /** Sorted by namespace, then name, as etcd sorts keys. */
  list(key: string, namespace?: string): readonly Stored[];
  /** The list as it was at a resource version, or undefined when that is forgotten or not reached yet. */
  listAt(key: string, version: number, namespace?: string): readonly Stored[] | undefined;
  /** Writes with the next resource version and returns what was written. */
  put(key: string, object: Stored): Stored;
  delete(key: string, object: Stored): Stored;
  keys(): Iterable<string>;
  version(): number;
  /** Events after `version`, or undefined when some of them are forgotten. */
  since(key: string, version: number): readonly StoreEvent[] | undefined;
  /** The newest version written at or before an instant. */
  versionAt(ms: number): number;
  /** Called for every event, after it is stored. */
  subscribe(key: string, listener: (event: StoreEvent) => void): () => void;
  /** Called for every event of every kind. */
  observe(listener: (event: StoreEvent) => void): void;
  /** Forgets all events, as a compaction does: older watches and continued lists get 410. */
  compact(): void;
}

export interface ObjectName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

const idOf = ({ namespace = '', name }: ObjectName): string => `${namespace}/${name}`;

export function openStore(now: () => number): Store {
  const kinds = new Map<string, Map<string, Stored>>();
  const sorted = new Map<string, readonly Stored[]>();
  const listeners = new Map<string, Set<(event: StoreEvent) => void>>();
  const observers: ((event: StoreEvent) => void)[] = [];
  let log: StoreEvent[] = [];
  let version = 1;
  let forgotten = 1;

  function record(event: StoreEvent): void {
    log.push(event);
    // Cut in halves, not one by one: shifting an array of thousands for each write would cost more than the write.
    if (log.length > keptEvents) {
      forgotten = log[log.length - keptEvents / 2 - 1]!.resourceVersion;
      log = log.slice(-keptEvents / 2);
    }
    for (const listener of [...(listeners.get(event.key) ?? [])]) listener(event);
    for (const observer of observers) observer(event);
  }

  function all(key: string): readonly Stored[] {
    let list = sorted.get(key);
    if (!list) {
      list = [...(kinds.get(key)?.values() ?? [])].sort(byName);
      sorted.set(key, list);
    }
    return list;
  }

  const within = (list: readonly Stored[], namespace: string | undefined): readonly Stored[] =>
    namespace === undefined ? list : list.filter((object) => object.metadata.namespace === namespace);

  return {
    get: (key, name) => kinds.get(key)?.get(idOf(name)),
    list: (key, namespace) => within(all(key), namespace),
    listAt(key, wanted, namespace) {
      if (wanted === version) return within(all(key), namespace);
      if (wanted < forgotten || wanted > version) return undefined;
      const past = new Map(kinds.get(key) ?? []);
      for (let at = log.length - 1; at >= 0 && log[at]!.resourceVersion > wanted; at--) {
        const event = log[at]!;
        if (event.key !== key) continue;
        if (event.before) past.set(idOf(event.before.metadata), event.before);
        else past.delete(idOf(event.object.metadata));
      }
      return within([...past.values()].sort(byName), namespace);
    },
    put(key, object) {
      let objects = kinds.get(key);
      if (!objects) {
        objects = new Map();
        kinds.set(key, objects);
      }
      const id = idOf(object.metadata);
      const before = objects.get(id);
      version++;
      const metadata = { ...object.metadata, resourceVersion: String(version) };
      const written = sharingParts({ ...object, metadata: sharingParts(metadata, sharedMetadata) }, sharedOf(object));
      objects.set(id, written);
      sorted.delete(key);
      const type = before ? 'MODIFIED' : 'ADDED';
      record({ resourceVersion: version, type, key, object: written, before, at: now() });
      return written;
    },
    delete(key, object) {
      const objects = kinds.get(key);
      const before = objects?.get(idOf(object.metadata));
      if (!before) return object;
      version++;
      objects!.delete(idOf(object.metadata));
      if (objects!.size === 0) kinds.delete(key);
      sorted.delete(key);
      const gone = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
      record({ resourceVersion: version, type: 'DELETED', key, object: gone, before, at: now() });
      return gone;
    },
    keys: () => [...kinds.keys()],
    version: () => version,
    since(key, from) {
      if (from < forgotten) return undefined;
      return log.filter((event) => event.resourceVersion > from && event.key === key);
    },
    versionAt(ms) {
      for (let at = log.length - 1; at >= 0; at--) if (log[at]!.at <= ms) return log[at]!.resourceVersion;
      return forgotten;
    },
    subscribe(key, listener) {
      let set = listeners.get(key);
      if (!set) {
        set = new Set();
        listeners.set(key, set);
      }
      set.add(listener);
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(key);
      };
    },
    observe: (listener) => observers.push(listener),
    compact() {
      log = [];
      forgotten = version;
    },
  };
}

/** The log keeps every version of an object, and a thousand members get the same ones. */
const sharedMetadata = ['labels', 'annotations', 'managedFields'];
const sharedOf = (object: Stored): string[] => Object.keys(object).filter((name) => name !== 'metadata');

function byName(a: Stored, b: Stored): number {
  const [left, right] = [idOf(a.metadata), idOf(b.metadata)];
  return left < right ? -1 : left > right ? 1 : 0;
}

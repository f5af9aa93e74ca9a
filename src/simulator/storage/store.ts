import { internParts } from '../../members/intern.ts';
import type { Stored } from '../object.ts';
import { type EventLog, eventLog } from './event-log.ts';

/** All objects of one simulated cluster under one growing resource version. */
export interface Store extends Pick<EventLog, 'since' | 'versionAt' | 'subscribe' | 'observe'> {
  get(key: string, name: ObjectName): Stored | undefined;
  /** Sorted by namespace, then name, as etcd sorts keys. */
  list(key: string, namespace?: string): readonly Stored[];
  /** The list as it was at a resource version, or undefined when it has expired or is in the future. */
  listAt(key: string, version: number, namespace?: string): readonly Stored[] | undefined;
  /** Writes with the next resource version and returns what was written. */
  put(key: string, object: Stored): Stored;
  delete(key: string, object: Stored): Stored;
  keys(): Iterable<string>;
  version(): number;
  /** Drops all events, as a compaction does: older watches and continued lists get 410. */
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
  const log = eventLog(1);
  let version = 1;

  function all(key: string): readonly Stored[] {
    const objects = kinds.get(key);
    if (!objects) return none;
    let list = sorted.get(key);
    if (!list) {
      list = [...objects.values()].sort(byName);
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
      const events = wanted > version ? undefined : log.since(key, wanted);
      if (events === undefined) return undefined;
      const past = new Map(kinds.get(key) ?? []);
      for (const { before, object } of events.toReversed()) {
        if (before) past.set(idOf(before.metadata), before);
        else past.delete(idOf(object.metadata));
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
      const written = internParts({ ...object, metadata: internParts(metadata, sharedMetadata) }, sharedOf(object));
      objects.set(id, written);
      sorted.delete(key);
      const type = before ? 'MODIFIED' : 'ADDED';
      log.record({ resourceVersion: version, type, key, object: written, before, at: now() });
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
      log.record({ resourceVersion: version, type: 'DELETED', key, object: gone, before, at: now() });
      return gone;
    },
    keys: () => [...kinds.keys()],
    version: () => version,
    since: log.since,
    versionAt: log.versionAt,
    subscribe: log.subscribe,
    observe: log.observe,
    compact: () => log.forget(version),
  };
}

const none: readonly Stored[] = [];

/** Interns parts of objects: the log keeps every version of an object, and a thousand members have equal ones. */
const sharedMetadata = ['labels', 'annotations', 'managedFields'];
const sharedOf = (object: Stored): string[] => Object.keys(object).filter((name) => name !== 'metadata');

function byName(a: Stored, b: Stored): number {
  const [left, right] = [idOf(a.metadata), idOf(b.metadata)];
  return left < right ? -1 : left > right ? 1 : 0;
}

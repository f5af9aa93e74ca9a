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

/** The events of one simulated cluster, and their listeners. */
export interface EventLog {
  /** Stores the event, then calls the listeners. */
  record(event: StoreEvent): void;
  /** Events after `version`, oldest first, or undefined when some of them were dropped. */
  since(key: string, version: number): readonly StoreEvent[] | undefined;
  /** The newest version written at or before an instant. */
  versionAt(ms: number): number;
  /** Called for every event, after it is stored. */
  subscribe(key: string, listener: (event: StoreEvent) => void): () => void;
  /** Called for every event of every kind. */
  observe(listener: (event: StoreEvent) => void): void;
  /** Drops all events up to `version`, the newest. */
  forget(version: number): void;
}

/** Number of events kept for resumed watches and lists of older versions; older versions get 410, as after a compaction in etcd. */
const keptEvents = 4096;

/** `version`: the newest before the first event. Versions of events follow each other without a gap. */
export function eventLog(version: number): EventLog {
  const listeners = new Map<string, Set<(event: StoreEvent) => void>>();
  const observers: ((event: StoreEvent) => void)[] = [];
  let kept = columns();
  let forgotten = version;

  const eventAt = (index: number): StoreEvent => ({
    ...kept.what[index]!,
    resourceVersion: forgotten + index + 1,
    object: kept.objects[index]!,
    before: kept.befores[index],
    at: kept.times[index]!,
  });

  return {
    record(event) {
      kept.what.push(whatOf(event));
      kept.objects.push(event.object);
      kept.befores.push(event.before);
      kept.times.push(event.at);
      // Cut in halves, not one by one: shifting an array of thousands for each write would cost more than the write.
      if (kept.objects.length > keptEvents) {
        kept = columns(kept, -keptEvents / 2);
        forgotten = event.resourceVersion - keptEvents / 2;
      }
      for (const listener of [...(listeners.get(event.key) ?? [])]) listener(event);
      for (const observer of observers) observer(event);
    },
    since(key, from) {
      if (from < forgotten) return undefined;
      const events: StoreEvent[] = [];
      for (let index = from - forgotten; index < kept.what.length; index++) {
        if (kept.what[index]!.key === key) events.push(eventAt(index));
      }
      return events;
    },
    versionAt(ms) {
      const index = kept.times.findLastIndex((at) => at <= ms);
      return forgotten + index + 1;
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
    forget(upTo) {
      kept = columns();
      forgotten = upTo;
    },
  };
}

/**
 * The events of a log in one array per field: a fleet of a thousand members keeps a hundred thousand events, and an object for each
 * would take twice the memory.
 */
interface Columns {
  readonly what: What[];
  readonly objects: Stored[];
  readonly befores: (Stored | undefined)[];
  readonly times: number[];
}

/** The events of another log from an index on, or none. */
const columns = (of?: Columns, from = 0): Columns => ({
  what: of?.what.slice(from) ?? [],
  objects: of?.objects.slice(from) ?? [],
  befores: of?.befores.slice(from) ?? [],
  times: of?.times.slice(from) ?? [],
});

type What = Pick<StoreEvent, 'key' | 'type'>;

/** One value for all events of a kind and type, of all clusters. */
function whatOf({ key, type }: What): What {
  let types = whats.get(key);
  if (!types) {
    types = { ADDED: { key, type: 'ADDED' }, MODIFIED: { key, type: 'MODIFIED' }, DELETED: { key, type: 'DELETED' } };
    whats.set(key, types);
  }
  return types[type];
}
const whats = new Map<string, Readonly<Record<StoreEvent['type'], What>>>();

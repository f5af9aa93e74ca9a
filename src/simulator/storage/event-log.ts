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

/** What was written to one simulated cluster, and who is told of it. */
export interface EventLog {
  /** Keeps the event, then tells it to everybody who listens. */
  record(event: StoreEvent): void;
  /** Events after `version`, oldest first, or undefined when some of them are forgotten. */
  since(key: string, version: number): readonly StoreEvent[] | undefined;
  /** The newest version written at or before an instant. */
  versionAt(ms: number): number;
  /** Called for every event, after it is stored. */
  subscribe(key: string, listener: (event: StoreEvent) => void): () => void;
  /** Called for every event of every kind. */
  observe(listener: (event: StoreEvent) => void): void;
  /** Forgets all events up to `version`, the newest. */
  forget(version: number): void;
}

/** Events kept for watches that resume and for lists of an older moment; older ones answer 410, as after a compaction in etcd. */
const keptEvents = 4096;

/** `version`: the newest before the first event. */
export function eventLog(version: number): EventLog {
  const listeners = new Map<string, Set<(event: StoreEvent) => void>>();
  const observers: ((event: StoreEvent) => void)[] = [];
  let log: StoreEvent[] = [];
  let forgotten = version;

  return {
    record(event) {
      log.push(event);
      // Cut in halves, not one by one: shifting an array of thousands for each write would cost more than the write.
      if (log.length > keptEvents) {
        forgotten = log[log.length - keptEvents / 2 - 1]!.resourceVersion;
        log = log.slice(-keptEvents / 2);
      }
      for (const listener of [...(listeners.get(event.key) ?? [])]) listener(event);
      for (const observer of observers) observer(event);
    },
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
    forget(upTo) {
      log = [];
      forgotten = upTo;
    },
  };
}

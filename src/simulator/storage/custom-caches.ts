import type { SimClock } from '../clock.ts';
import { same } from '../fields/compare.ts';
import { StatusError } from '../serve/status-error.ts';
import type { Store } from './store.ts';

/**
 * The cache of each custom resource, from which an API server serves watches and most lists. It is filled at the first request after
 * the definition, and again after each change of the definition (customresource_handler.go: getOrCreateServingInfoFor).
 */
export interface CustomCaches {
  /** Starts to fill the cache of a storage key, unless it is or was filled. */
  begin(key: string): void;
  /** The version after which it has events. Throws 429 while it is being filled (cacher.go, since Kubernetes 1.31). */
  oldest(key: string): number;
  /** Calls `run` when the cache is dropped; returns a function that cancels that. */
  onDrop(key: string, run: () => void): () => void;
}

/** Time to fill an empty cache with one list from etcd. Large schemas were seen to take half a minute. */
const fillMs = 300;
const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

export function customCaches(clock: SimClock, store: Store): CustomCaches {
  const caches = new Map<string, { readonly oldest: number; readonly filledAt: number }>();
  const drops = new Map<string, Set<() => void>>();
  let following = false;

  function follow(): void {
    following = true;
    store.subscribe(definitions, ({ type, object, before }) => {
      if (type === 'ADDED' || (type === 'MODIFIED' && same(before?.['spec'], object['spec']))) return;
      const [plural, ...group] = object.metadata.name.split('.');
      const key = `${group.join('.')}/${plural}`;
      caches.delete(key);
      for (const run of [...(drops.get(key) ?? [])]) run();
    });
  }

  return {
    begin(key) {
      if (!following) follow();
      if (!caches.has(key)) caches.set(key, { oldest: store.version(), filledAt: clock.now() + fillMs });
    },
    oldest(key) {
      const cache = caches.get(key);
      if (cache && cache.filledAt <= clock.now()) return cache.oldest;
      throw new StatusError(429, 'TooManyRequests', 'storage is (re)initializing', { retryAfterSeconds: 1 });
    },
    onDrop(key, run) {
      const runs = drops.get(key) ?? new Set();
      drops.set(key, runs.add(run));
      return () => {
        runs.delete(run);
        if (runs.size === 0) drops.delete(key);
      };
    },
  };
}

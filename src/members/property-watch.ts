import { ApiError } from './api-server/api-error.ts';
import type { WatchEvent } from './api-server/watch-stream.ts';
import type { Connection } from './connection.ts';
import { type Listed, nodeOf } from './properties.ts';

/** Nodes and pods of a member, watched between two readings. Nothing is read by it: it only tells that properties may have changed. */
export interface PropertyWatch {
  /** Whether it has seen everything since the last reading that it follows. */
  isLive(): boolean;
  /** A reading has listed them: watches from there on. What is watched already continues. */
  follow(listed: Listed): void;
  stop(): void;
}

interface Watched {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly accept?: string;
}
/** Pods that count: a pod that gets its node is an addition, and one that ends a deletion. Of each only the metadata. */
const pods: Watched = {
  path: '/api/v1/pods',
  query: { fieldSelector: 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed' },
  accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
};
/** Whole, since nodes change all the time in what no property shows. */
const nodes: Watched = { path: '/api/v1/nodes', query: {} };

/** After a watch that was refused or broke, none is tried for this time, milliseconds. */
const pauseMs = 600_000;
/** Pods whose generation is noted, and characters of a uid. */
const most = { pods: 10_000, uid: 64 };

export function propertyWatch(
  { client, clock, kept }: Pick<Connection, 'client' | 'clock' | 'kept'>,
  changed: () => void,
): PropertyWatch {
  const running = new Map<Watched, AbortController>();
  /** By name, what properties depend on. */
  let known = new Map<string, string>();
  /** By uid, of pods that were changed since they were created: most changes are of the status alone. */
  const generations = new Map<string, number>();
  let bytes: ReturnType<typeof kept.open> | undefined;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  function isNewsOfNode({ type, object }: WatchEvent): boolean {
    const { name } = object.metadata;
    const now = JSON.stringify(nodeOf(object));
    if (type === 'MODIFIED' && known.get(name) === now) return false;
    // So that another change during the next reading is news too. A node that is new is noted by that reading.
    if (known.has(name)) known.set(name, now);
    return true;
  }

  function isNewsOfPod({ type, object: { metadata } }: WatchEvent): boolean {
    const { uid, generation } = metadata as { readonly uid?: unknown; readonly generation?: unknown };
    if (typeof uid !== 'string' || uid.length > most.uid) return true;
    const before = generations.get(uid);
    if (type === 'DELETED') generations.delete(uid);
    else if (typeof generation === 'number' && generation > 1 && generation !== before) {
      if (generations.size >= most.pods) generations.clear();
      generations.set(uid, generation);
      return true;
    }
    return type !== 'MODIFIED';
  }

  async function run(of: Watched, from: string): Promise<void> {
    const stop = new AbortController();
    running.set(of, stop);
    const isNews = of === nodes ? isNewsOfNode : isNewsOfPod;
    let version = from;
    const take = (event: WatchEvent): void => {
      version = (event.object.metadata['resourceVersion'] as string | undefined) ?? version;
      if (event.type !== 'BOOKMARK' && isNews(event)) changed();
    };
    const next = () => client.watch(of.path, { ...of.query, resourceVersion: version }, stop.signal, take, of.accept);
    let isSound = false;
    try {
      let end = await next();
      while (end === 'ended') end = await next();
      isSound = end === 'silent';
    } catch (error) {
      isSound = error instanceof ApiError && error.status === 410;
    }
    if (running.get(of) !== stop) return;
    running.delete(of);
    if (running.size === 0) release();
    if (!isSound) pausedUntil = clock.now() + pauseMs;
    changed();
  }

  function release(): void {
    known.clear();
    generations.clear();
    bytes?.end();
    bytes = undefined;
  }

  return {
    isLive: () => running.has(nodes) && running.has(pods),
    follow(listed) {
      if (clock.now() < pausedUntil) return;
      known = new Map(listed.nodes.items.map((node) => [node.name, JSON.stringify(node)]));
      bytes ??= kept.open();
      bytes.hold(bytes.weigh(Object.fromEntries(known)) ?? 0);
      if (!running.has(nodes)) void run(nodes, listed.nodes.resourceVersion);
      if (!running.has(pods)) void run(pods, listed.podsVersion);
    },
    stop() {
      const stopped = [...running.values()];
      running.clear();
      for (const one of stopped) one.abort();
      release();
      pausedUntil = Number.NEGATIVE_INFINITY;
    },
  };
}

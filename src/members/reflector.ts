import type { Manifest } from '../api/meta.ts';
import { ApiError } from './api-error.ts';
import type { MemberClient } from './client.ts';
import { type Clock, sleep } from './clock.ts';
import { objectKey, pathOf, type ServedKind } from './discovery.ts';

/** Objects of one kind on one member that carry our label, kept up to date by a list and a watch. */
export interface Reflector {
  readonly kind: ServedKind;
  /** By objectKey; without managedFields. */
  readonly objects: ReadonlyMap<string, Manifest>;
  /** True once a whole list was read and the watch has not been broken since for longer than a retry. */
  synced(): boolean;
  /** Resolves after the first whole list, or when stopped. */
  readonly ready: Promise<void>;
  /** Takes in what a request of ours returned, ahead of the watch. */
  put(key: string, object: Manifest): void;
  stop(): void;
}

/** First retry after a broken watch; doubles with jitter up to a minute. */
const firstRetryMs = 500;
const longestRetryMs = 60_000;

export function reflect(input: {
  readonly client: MemberClient;
  readonly kind: ServedKind;
  readonly labelSelector: string;
  readonly clock: Clock;
  /** `manager` is who changed the object last, from managedFields, status writers left out. */
  readonly changed: (object: Manifest, how: 'set' | 'deleted', manager: string | undefined) => void;
  readonly failed: (error: unknown) => void;
}): Reflector {
  const stop = new AbortController();
  const objects = new Map<string, Manifest>();
  const path = pathOf(input.kind, {});
  const query = { labelSelector: input.labelSelector };
  let synced = false;
  let markReady = () => {};
  const ready = new Promise<void>((resolve) => {
    markReady = resolve;
  });

  async function relist(): Promise<string> {
    const page = await input.client.list(path, query);
    const seen = new Set<string>();
    for (const item of page.items) {
      seen.add(keyOf(item));
      set(item);
    }
    for (const [key, gone] of [...objects]) {
      if (seen.has(key)) continue;
      objects.delete(key);
      input.changed(gone, 'deleted', undefined);
    }
    synced = true;
    markReady();
    return page.resourceVersion;
  }

  function keyOf(item: Manifest): string {
    const { name, namespace } = item.metadata;
    return objectKey({ apiVersion: item.apiVersion, kind: item.kind, name, ...(namespace ? { namespace } : {}) });
  }

  function set(item: Manifest): void {
    const before = objects.get(keyOf(item))?.metadata['resourceVersion'];
    if (before !== undefined && !newer(item.metadata['resourceVersion'], before)) return;
    const lean = withoutManagedFields(item);
    objects.set(keyOf(item), lean);
    input.changed(lean, 'set', lastManager(item));
  }

  async function follow(from: string): Promise<string> {
    let version = from;
    for await (const event of input.client.watch(path, { ...query, resourceVersion: version }, stop.signal)) {
      if (event.type === 'ERROR') {
        const { code, message } = event.object;
        throw new ApiError({
          tried: `watch ${path}`,
          status: code ?? 500,
          body: JSON.stringify({ message }),
          retryAfter: undefined,
        });
      }
      version = (event.object.metadata['resourceVersion'] as string | undefined) ?? version;
      if (event.type === 'BOOKMARK') continue;
      const object = { ...event.object, apiVersion: input.kind.apiVersion, kind: input.kind.kind } as Manifest;
      if (event.type === 'DELETED') {
        if (newer(objects.get(keyOf(object))?.metadata['resourceVersion'], version)) continue;
        objects.delete(keyOf(object));
        input.changed(withoutManagedFields(object), 'deleted', undefined);
      } else set(object);
    }
    return version;
  }

  async function run(): Promise<void> {
    let retryMs = firstRetryMs;
    let version: string | undefined;
    while (!stop.signal.aborted) {
      try {
        version ??= await relist();
        synced = true;
        version = await follow(version);
        retryMs = firstRetryMs;
      } catch (error) {
        if (stop.signal.aborted) break;
        // 410: the server no longer knows our version. Everything else: it may, so the cheap way is tried first.
        const expired = error instanceof ApiError && error.status === 410;
        if (expired) version = undefined;
        else {
          synced = false;
          input.failed(error);
        }
        if (error instanceof ApiError && error.status === 404) version = undefined;
        await sleep(input.clock, expired ? 0 : retryMs / 2 + Math.random() * (retryMs / 2), stop.signal);
        retryMs = Math.min(retryMs * 2, longestRetryMs);
      }
    }
    markReady();
  }

  void run();
  return {
    kind: input.kind,
    objects,
    synced: () => synced,
    ready,
    put: (key, object) => objects.set(key, withoutManagedFields(object)),
    stop: () => stop.abort(),
  };
}

interface ManagedFields {
  readonly manager?: string;
  readonly subresource?: string;
  readonly time?: string;
}

/** The watch may lag behind what a request of ours returned. API servers number their versions (Kubernetes 1.35 promises it). */
const newer = (version: unknown, than: unknown): boolean =>
  version !== undefined && version !== than && !(Number(version) < Number(than));

function withoutManagedFields(object: Manifest): Manifest {
  const { managedFields: _, ...metadata } = object.metadata as Manifest['metadata'] & { managedFields?: unknown };
  return { ...object, metadata } as Manifest;
}

function lastManager(object: Manifest): string | undefined {
  const entries = (object.metadata['managedFields'] ?? []) as readonly ManagedFields[];
  const own = entries.filter((entry) => entry.subresource === undefined);
  return own.reduce<ManagedFields | undefined>(
    (last, entry) => ((entry.time ?? '') >= (last?.time ?? '') ? entry : last),
    undefined,
  )?.manager;
}

import type { SimClock } from '../clock.ts';
import type { Cluster } from '../cluster.ts';
import { apiVersionOf, type Kind, storageKey } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import type { StoreEvent } from '../storage/event-log.ts';
import type { SimRequest, SimResponse } from './http.ts';
import { checkListOptions, integerIn } from './list-options.ts';
import { type Form, formOf, presentOne, tableOf } from './present.ts';
import { matcherOf } from './selectors.ts';
import { expired, StatusError } from './status-error.ts';
import { openStream } from './stream.ts';

/**
 * Kubernetes sends a bookmark about every minute, and one shortly before the end of a watch (cacher.go), if anything was written since
 * the watch started. The simulator behaves like a kubeadm cluster, where leases are written all the time and etcd reports its
 * progress every five seconds. Elsewhere a kind without changes has no bookmarks, as with the fault SilentWatch.
 */
const bookmarkMs = 60_000;
const lastBookmarkMs = 2_000;
/** Default timeout of a watch: 30 to 60 minutes in Kubernetes, 30 here. */
const usualTimeoutSeconds = 1_800;

const encoder = new TextEncoder();
const headers = { 'content-type': 'application/json' };

/**
 * Events of one kind after a resource version, as a stream of JSON lines. Throws StatusError before the stream starts. An expired
 * version is reported in the stream, as its only event (cacher.go: newErrWatcher). A future version is waited for without limit
 * (cacheWatcher.process sends only later events).
 */
export function watch(cluster: Cluster, kind: Kind, request: SimRequest, namespace: string | undefined): SimResponse {
  const { query } = request;
  checkListOptions(query, true);
  const key = storageKey(kind);
  const form = formOf(request.headers['accept'], query.get('includeObject'));
  const matches = matcherOf(query, kind);
  const wanted = (object: Stored | undefined): object is Stored =>
    object !== undefined &&
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (!matches || matches(object));

  const from = query.get('resourceVersion') ?? '';
  const fresh = from === '' || from === '0';
  const after = fresh ? 0 : startOf(from);
  const oldest = kind.custom ? cluster.customCaches.oldest(key) : 0;
  const missed = fresh ? [] : after < oldest ? undefined : cluster.store.since(key, after);

  let close = () => {};
  const stream = openStream(() => close(), request.signal);
  const send = (type: string, object: unknown) => stream.write(encoder.encode(`${JSON.stringify({ type, object })}\n`));
  if (!missed) {
    send('ERROR', expired(`too old resource version: ${from} (${cluster.store.version()})`).toStatus());
    stream.end();
    return { status: 200, headers, body: stream.body };
  }
  const forward = (event: StoreEvent) => {
    if (event.resourceVersion <= after) return;
    const change = seenBy(event, wanted);
    if (change) send(change.type, presentOne(change.object, kind, form, cluster.clock.now()));
  };

  if (fresh) {
    for (const object of cluster.store.list(key, namespace)) {
      if (wanted(object)) send('ADDED', presentOne(object, kind, form, cluster.clock.now()));
    }
  }
  for (const event of missed) forward(event);
  const unsubscribe = cluster.store.subscribe(key, forward);
  const sendBookmark = () => {
    if (cluster.store.version() >= after) send('BOOKMARK', bookmark(cluster, kind, form));
  };
  const bookmarks = query.get('allowWatchBookmarks') === 'true';
  const cancelTimes = atTimes(cluster.clock, {
    ms: (integerIn(query, 'timeoutSeconds') || usualTimeoutSeconds) * 1000,
    sendBookmark: bookmarks ? sendBookmark : undefined,
    end: stream.end,
  });
  // A changed or deleted definition ends the watches of its kind.
  const forgetKind = kind.custom ? cluster.customCaches.onDrop(key, stream.end) : undefined;
  close = () => {
    unsubscribe();
    cancelTimes();
    forgetKind?.();
  };
  return { status: 200, headers, body: stream.body };
}

/** An invalid version is a server error here, unlike in lists. */
function startOf(version: string): number {
  if (/^\d+$/.test(version)) return Number(version);
  const why = `resourceVersion: Invalid value: ${JSON.stringify(version)}: strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`;
  throw new StatusError(500, '', why);
}

/** The event for a watch with a selector. */
function seenBy(
  event: StoreEvent,
  wanted: (object: Stored | undefined) => boolean,
): { type: string; object: Stored } | undefined {
  const now = event.type !== 'DELETED' && wanted(event.object);
  const before = wanted(event.before);
  if (event.type === 'DELETED') return before ? { type: 'DELETED', object: event.object } : undefined;
  if (now) return { type: before ? 'MODIFIED' : 'ADDED', object: event.object };
  if (!before) return undefined;
  const { metadata } = event.before!;
  const resourceVersion = event.object.metadata.resourceVersion;
  return { type: 'DELETED', object: { ...event.before!, metadata: { ...metadata, resourceVersion } } };
}

function bookmark(cluster: Cluster, kind: Kind, form: Form): unknown {
  const resourceVersion = String(cluster.store.version());
  if (form.kind === 'table') return tableOf([], kind, form.include, cluster.clock.now(), { resourceVersion });
  const named =
    form.kind === 'metadata'
      ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
      : { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  return { ...named, metadata: { resourceVersion, creationTimestamp: null } };
}

/**
 * Bookmarks, and the end of the watch after `ms`: one timer at a time, since a fleet has ten thousand watches. Returns a function that ends
 * it.
 */
function atTimes(
  clock: SimClock,
  watch: { readonly ms: number; readonly sendBookmark: (() => void) | undefined; readonly end: () => void },
): () => void {
  const { ms, sendBookmark, end } = watch;
  let passed = 0;
  let cancel = () => {};
  /** A bookmark every minute and one shortly before the end, for every timeout. */
  const nextBookmark = () => {
    const regular = (Math.floor(passed / bookmarkMs) + 1) * bookmarkMs;
    const last = ms - lastBookmarkMs;
    return passed < last ? Math.min(regular, last) : regular;
  };
  const wait = () => {
    const until = sendBookmark ? Math.min(nextBookmark(), ms) : ms;
    cancel = clock.after(until - passed, () => {
      passed = until;
      if (passed >= ms) return end();
      sendBookmark?.();
      wait();
    });
  };
  wait();
  return () => cancel();
}

import { placementLabel } from '../../engine/overrides/ownership.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import type { Discovery } from '../api-server/discovery.ts';
import { pathOf, type ServedKind } from '../api-server/served-kind.ts';
import { type Clock, sleep } from '../clock.ts';
import type { Contact } from '../contact.ts';
import { backOff } from './back-off.ts';
import { type Change, objectStore, type Store } from './store.ts';

export type ReflectorState =
  /** The whole list is being read, for the first time or again: what is absent may be there. */
  | { readonly kind: 'listing' }
  | { readonly kind: 'synced' }
  /** No connection: what is shown is what was there before. */
  | { readonly kind: 'broken' }
  /** The server answers with an error, most often 403, which is `lasting`. Tried again all the same. */
  | { readonly kind: 'refused'; readonly message: string; readonly lasting: boolean }
  /** The member does not serve the kind (any more): nothing of it is there. Final. */
  | { readonly kind: 'unserved' };

/** Objects of one kind on one member that carry our label, kept up to date by a list and a watch. */
export interface Reflector {
  readonly kind: ServedKind;
  readonly store: Store;
  readonly state: () => ReflectorState;
  /** Instant up to which everything is told, milliseconds; Infinity while nothing is shown. */
  readonly asOf: () => number;
  /** Resolves at the first answer of the server, or when stopped. */
  readonly answered: Promise<void>;
  stop(): void;
}

/** A watch that lasted less is no success: a server that ends every watch at once must not be asked in a loop. */
const honestWatchMs = 5_000;
/** A list that breaks off this often in a row, on a member that can be reached, has something wrong of its own. */
const mostBreaks = 3;

export interface ReflectorInput {
  readonly client: MemberClient;
  readonly clock: Clock;
  readonly contact: Contact;
  readonly discovery: Discovery;
  /** Lists this often instead of watching, milliseconds: for fleets with more members than sockets. */
  readonly pollMs?: number | undefined;
  readonly changed: (change: Change) => void;
  /** The state is another one; what a sighting says about completeness may change. With a message when a person must act. */
  readonly turned: (message?: string) => void;
}

export function reflect(input: ReflectorInput, kind: ServedKind): Reflector {
  const { client, clock, contact, discovery } = input;
  const stop = new AbortController();
  const store = objectStore(input.changed);
  const path = pathOf(kind, {});
  const query = { labelSelector: placementLabel };
  let state: ReflectorState = { kind: 'listing' };
  const retries = backOff(clock, stop.signal);
  let breaks = 0;
  let asOf = Number.POSITIVE_INFINITY;
  let markAnswered = () => {};
  const answered = new Promise<void>((resolve) => {
    markAnswered = resolve;
  });

  function turn(next: ReflectorState): void {
    const same = next.kind === state.kind;
    state = next;
    if (next.kind !== 'listing' && next.kind !== 'broken') markAnswered();
    if (!same && !stop.signal.aborted) input.turned(next.kind === 'refused' && next.lasting ? next.message : undefined);
  }

  /** Begins from the whole list; ends by throwing, or when the server ended a watch as it should. */
  async function follow(from: string | undefined): Promise<string | undefined> {
    let version = from;
    if (version === undefined) {
      if (state.kind === 'synced') turn({ kind: 'listing' });
      version = await relist();
    }
    if (input.pollMs !== undefined) {
      retries.reset();
      await sleep(clock, input.pollMs * (0.9 + Math.random() * 0.2), stop.signal);
      if (!stop.signal.aborted) await relist();
      return version;
    }
    const began = clock.now();
    version = await watch(version);
    if (clock.now() - began >= honestWatchMs) retries.reset();
    else await retries.pause();
    return version;
  }

  async function relist(): Promise<string> {
    const asked = clock.now();
    const page = await client.list(path, query);
    if (!stop.signal.aborted) {
      breaks = 0;
      asOf = asked;
      store.replace(page.items, page.resourceVersion);
      turn({ kind: 'synced' });
    }
    return page.resourceVersion;
  }

  async function watch(from: string): Promise<string> {
    let version = from;
    for await (const event of client.watch(path, { ...query, resourceVersion: from }, stop.signal)) {
      asOf = clock.now();
      version = (event.object.metadata['resourceVersion'] as string | undefined) ?? version;
      const object = { ...event.object, apiVersion: kind.apiVersion, kind: kind.kind };
      if (event.type === 'BOOKMARK') store.passed(version);
      else if (event.type === 'DELETED') store.remove(object, version);
      else store.set(object);
    }
    return version;
  }

  /** What a failure means. Whatever broke, the next attempt begins from a whole list: only that is certain. */
  async function fail(error: unknown): Promise<void> {
    if (error instanceof ApiError && error.status === 404 && (await isUnserved())) {
      store.empty();
      asOf = Number.POSITIVE_INFINITY;
      turn({ kind: 'unserved' });
      return;
    }
    // 410: the server no longer knows our version. The first time there is no reason to wait.
    const expired = error instanceof ApiError && error.status === 410;
    if (expired) turn({ kind: 'listing' });
    else if (error instanceof ApiError) turn({ kind: 'refused', message: error.message, lasting: !error.transient });
    else if (++breaks >= mostBreaks) turn({ kind: 'refused', message: String(error), lasting: false });
    else turn({ kind: 'broken' });
    if (!(error instanceof ApiError)) contact.doubt();
    await (expired ? retries.pauseUnlessFirst() : retries.pause());
  }

  async function isUnserved(): Promise<boolean> {
    discovery.forget(kind.apiVersion);
    try {
      return (await discovery.find(kind.apiVersion, kind.kind)) === undefined;
    } catch {
      return false;
    }
  }

  async function run(): Promise<void> {
    let version: string | undefined;
    while (!stop.signal.aborted && state.kind !== 'unserved') {
      if (version !== undefined && contact.standing().kind !== 'reachable') {
        // Nothing is told while we wait: what is shown is what was there before, and so it is until the list is read.
        turn({ kind: 'broken' });
        version = undefined;
      }
      await contact.open();
      if (stop.signal.aborted) break;
      try {
        version = await follow(version);
      } catch (error) {
        version = undefined;
        if (!stop.signal.aborted) await fail(error);
      }
    }
    markAnswered();
  }

  void run();
  return {
    kind,
    store,
    state: () => state,
    asOf: () => asOf,
    answered,
    stop: () => stop.abort(),
  };
}

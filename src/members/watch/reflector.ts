import type { ObjectRef } from '../../api/meta.ts';
import { placementLabel } from '../../engine/overrides/ownership.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import type { Discovery } from '../api-server/discovery.ts';
import { pathOf, type ServedKind } from '../api-server/served-kind.ts';
import type { WatchEnd, WatchEvent } from '../api-server/watch-stream.ts';
import { type Clock, sleep } from '../clock.ts';
import type { Contact } from '../contact.ts';
import { backOff } from './back-off.ts';
import { type ByName, byName } from './by-name.ts';
import { type Change, objectStore, type Store } from './store.ts';

export type ReflectorState =
  /** The whole list is being read, for the first time or again: what is absent may be there. */
  | { readonly kind: 'listing' }
  /** `unwatched`: why nothing tells of changes; looked at again and again instead. */
  | { readonly kind: 'synced'; readonly unwatched?: string }
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
  /** Whether the object would be shown if it were there and ours. */
  shows(key: string): boolean;
  /** Whether everything of ours that is there is shown. */
  complete(): boolean;
  /** Instant up to which everything is told, milliseconds; Infinity while nothing is shown. */
  readonly asOf: () => number;
  /** Resolves when what is asked for has been looked at, at the first answer of the server, or when stopped. */
  ready(): Promise<void>;
  /** We changed something there ourselves: where nothing tells what came of it, it is looked at soon. */
  touched(): void;
  stop(): void;
}

/** A watch that lasted less is no success: a server that ends every watch at once must not be asked in a loop. */
const honestWatchMs = 5_000;
/** Objects that may not be listed are read this often in the end: what KubeFleet's slow reconciles are for, which take up to 15 min. */
const longestUnseenMs = 300_000;
/** A list that breaks off this often in a row, on a member that can be reached, has something wrong of its own. */
const mostBreaks = 3;

export interface ReflectorInput {
  readonly client: MemberClient;
  readonly clock: Clock;
  readonly contact: Contact;
  readonly discovery: Discovery;
  /** Lists this often instead of watching, milliseconds: for fleets with more members than sockets. */
  readonly pollMs?: number | undefined;
  /** The objects of a kind that can matter here: all there is to look for where it may not be listed. */
  readonly named: (kind: ServedKind) => readonly ObjectRef[];
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
  /** Where the kind may not be listed, so that only what is asked for by name is known. */
  let unlisted: ByName | undefined;
  /** Why it may not be watched, as far as is known. */
  let unwatched: string | undefined;
  let breaks = 0;
  let asOf = Number.POSITIVE_INFINITY;
  let markAnswered = () => {};
  const answered = new Promise<void>((resolve) => {
    markAnswered = resolve;
  });

  function turn(next: ReflectorState): void {
    const trouble = troubleOf(next);
    const same = next.kind === state.kind && (next.kind !== 'synced' || trouble === troubleOf(state));
    state = next;
    if (next.kind !== 'listing' && next.kind !== 'broken') markAnswered();
    if (!same && !stop.signal.aborted) input.turned(trouble);
  }

  /** Begins from the whole list; ends by throwing, or when the server ended a watch as it should. */
  async function follow(from: string | undefined): Promise<string | undefined> {
    if (from === undefined && state.kind === 'synced' && !isUnwatched(state) && !unwatched) turn({ kind: 'listing' });
    const version = from ?? (await relist());
    if (version === undefined) {
      await retries.pause(longestUnseenMs);
      return undefined;
    }
    if (input.pollMs !== undefined) {
      retries.reset();
      await sleep(clock, input.pollMs * (0.9 + Math.random() * 0.2), stop.signal);
      return stop.signal.aborted ? version : relist();
    }
    const began = clock.now();
    let seen = version;
    let end: WatchEnd;
    try {
      end = await client.watch(path, { ...query, resourceVersion: version }, stop.signal, (event) => {
        seen = take(event, seen);
      });
    } catch (error) {
      if (!isForbidden(error)) throw error;
      unwatched = `${error.message}: ${kind.plural} are listed every minute instead`;
      // Unless the list is no more than an attempt old, and may be refused as well.
      if (isUnwatched(state)) await retries.pause();
      return undefined;
    }
    if (clock.now() - began >= honestWatchMs) retries.reset();
    else await retries.pause();
    // Nothing need be wrong where nothing is told. Only a list can say, and until it fails what is shown stands.
    return end === 'silent' ? relist() : seen;
  }

  /** Undefined where the kind may not be listed: what is asked for has been read by name then. */
  async function relist(): Promise<string | undefined> {
    const asked = clock.now();
    try {
      const page = await client.list(path, query);
      if (stop.signal.aborted) return page.resourceVersion;
      breaks = 0;
      asOf = asked;
      store.replace(page.items, page.resourceVersion);
      unlisted = undefined;
      turn({ kind: 'synced', ...(unwatched === undefined ? {} : { unwatched }) });
      return page.resourceVersion;
    } catch (error) {
      if (!isForbidden(error)) throw error;
      unlisted ??= byName({ client, clock, kind, store, named: () => input.named(kind) });
      await unlisted.read();
      if (stop.signal.aborted) return undefined;
      breaks = 0;
      const often = 'they are read one by one, every 5 minutes in the end';
      turn({ kind: 'synced', unwatched: `${error.message}: ${kind.plural} cannot be watched, ${often}` });
      return undefined;
    }
  }

  /** Returns the version up to which everything has been told then. */
  function take(event: WatchEvent, before: string): string {
    asOf = clock.now();
    if (unwatched !== undefined) turn({ kind: 'synced' });
    unwatched = undefined;
    const version = (event.object.metadata['resourceVersion'] as string | undefined) ?? before;
    const object = { ...event.object, apiVersion: kind.apiVersion, kind: kind.kind };
    if (event.type === 'BOOKMARK') store.passed(version);
    else if (event.type === 'DELETED') store.remove(object, version);
    else store.set(object);
    return version;
  }

  /** What a failure means. Whatever broke, the next attempt begins from a whole list: only that is certain. */
  async function fail(error: unknown): Promise<void> {
    if (error instanceof ApiError && error.status === 404 && (await isUnserved())) {
      store.empty();
      unlisted = undefined;
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
    shows: (key) => isSettled(state) && (!unlisted || unlisted.shows(key)),
    complete: () => isSettled(state) && (!unlisted || unlisted.complete()),
    asOf: () => (unlisted ? unlisted.asOf() : asOf),
    async ready() {
      await answered;
      if (!unlisted || stop.signal.aborted) return;
      try {
        await unlisted.catchUp();
      } catch (error) {
        // Told when it is read the next time.
        if (!(error instanceof ApiError)) throw error;
      }
    },
    touched() {
      if (unlisted) retries.nudge();
    },
    stop: () => stop.abort(),
  };
}

const isSettled = ({ kind }: ReflectorState): boolean => kind === 'synced' || kind === 'unserved';

const isUnwatched = (state: ReflectorState): boolean => state.kind === 'synced' && state.unwatched !== undefined;

/** What a person must know of a state, or do something about. */
const troubleOf = (state: ReflectorState): string | undefined =>
  state.kind === 'synced' ? state.unwatched : state.kind === 'refused' && state.lasting ? state.message : undefined;

const isForbidden = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 403;

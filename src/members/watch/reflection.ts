import type { Manifest } from '../../api/meta.ts';
import { assertNever } from '../../engine/kernel/assert.ts';

export type ReflectorState =
  /** The list is being read, for the first time or again: a missing object may exist. */
  | { readonly kind: 'listing' }
  /** `unwatched`: why there is no watch and the objects are polled instead. */
  | { readonly kind: 'synced'; readonly unwatched?: string }
  /** No connection: the store shows an earlier state. */
  | { readonly kind: 'broken' }
  /** The server responds with an error, most often 403, which is `lasting`. Retried nevertheless. */
  | { readonly kind: 'refused'; readonly message: string; readonly lasting: boolean }
  /** The member does not serve the kind, so it has no objects. Final. */
  | { readonly kind: 'unserved' };

/** State of a reflector, without its objects. */
export interface Reflection {
  readonly state: ReflectorState;
  /** The store is current up to this version; undefined: the list is read next. */
  readonly version: string | undefined;
  /** Why the kind may not be watched, if known. */
  readonly unwatched: string | undefined;
  /** The kind may not be listed, so its objects are read by name. */
  readonly byName: boolean;
  /** Connections that broke in a row. */
  readonly breaks: number;
  /** Instant up to which the store is current, milliseconds; Infinity while it is empty. */
  readonly asOf: number;
  /** Lists periodically instead of watching. */
  readonly polls: boolean;
}

/** After a list: watch from its version, or start again with a check of the connection. */
export type AfterList = 'follow' | 'restart';

export type Failure =
  /** 404. */
  | { readonly kind: 'missing'; readonly message: string; readonly lasting: boolean }
  /** 410: our version has expired. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'refused'; readonly message: string; readonly lasting: boolean }
  /** No response. */
  | { readonly kind: 'broke'; readonly message: string };

export type ReflectorEvent =
  | { readonly kind: 'started'; readonly reachable: boolean }
  | { readonly kind: 'connected' }
  | { readonly kind: 'polled' }
  | {
      readonly kind: 'listReceived';
      readonly items: readonly Manifest[];
      readonly version: string;
      /** When the list was requested, milliseconds. */
      readonly atMs: number;
      readonly next: AfterList;
    }
  | { readonly kind: 'listed'; readonly version: string; readonly next: AfterList }
  | { readonly kind: 'listForbidden'; readonly reason: string; readonly next: AfterList }
  | { readonly kind: 'namedRead'; readonly reason: string; readonly next: AfterList }
  | { readonly kind: 'watchResponded'; readonly version: string | undefined; readonly atMs: number }
  | { readonly kind: 'watchEnded'; readonly silent: boolean; readonly lastedMs: number }
  | { readonly kind: 'watchForbidden'; readonly reason: string }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'unserved' }
  | { readonly kind: 'emptied' };

export type ReflectorEffect =
  /** The completeness of the observation may change; with a message when someone must act. */
  | { readonly kind: 'report'; readonly message: string | undefined }
  | { readonly kind: 'restart' }
  | { readonly kind: 'connect' }
  | { readonly kind: 'list'; readonly next: AfterList }
  | {
      readonly kind: 'replace';
      readonly items: readonly Manifest[];
      readonly version: string;
      readonly next: AfterList;
    }
  | { readonly kind: 'readNamed'; readonly reason: string; readonly next: AfterList }
  | { readonly kind: 'watch'; readonly from: string }
  | { readonly kind: 'poll' }
  | { readonly kind: 'pause'; readonly longestMs?: number }
  | { readonly kind: 'pauseUnlessFirst' }
  | { readonly kind: 'resetPauses' }
  | { readonly kind: 'doubtContact' }
  /** Checks whether the kind is served; `failure` applies if it is. */
  | { readonly kind: 'checkServed'; readonly failure: Failure }
  | { readonly kind: 'empty' };

export interface ReflectorStep {
  readonly reflection: Reflection;
  readonly effects: readonly ReflectorEffect[];
}

/** A watch that ends sooner counts as a failure: a server that ends every watch at once must not be called in a loop. Milliseconds. */
const shortestWatchMs = 5_000;
/** Longest pause between reads of objects that may not be listed. KubeFleet's slow reconciles take up to 15 min. */
const longestUnseenMs = 300_000;
/** Broken lists in a row after which the list itself is faulty, not the connection. */
const mostBreaks = 3;

export const firstReflection = (polls: boolean): Reflection => ({
  state: { kind: 'listing' },
  version: undefined,
  unwatched: undefined,
  byName: false,
  breaks: 0,
  asOf: Number.POSITIVE_INFINITY,
  polls,
});

/** The next state of a reflector. The last effect of a step yields the next event; reports come first. */
export function nextReflection(reflection: Reflection, event: ReflectorEvent): ReflectorStep {
  switch (event.kind) {
    case 'started': {
      const effects: ReflectorEffect[] = [{ kind: 'connect' }];
      if (reflection.version === undefined || event.reachable) return { reflection, effects };
      // During the wait nothing is received, so the store is not current until the list is read.
      return turn({ ...reflection, version: undefined }, { kind: 'broken' }, effects);
    }
    case 'connected':
      return afterConnect(reflection);
    case 'polled':
      return { reflection, effects: [{ kind: 'list', next: 'restart' }] };
    case 'listReceived': {
      const { items, version, atMs, next } = event;
      return {
        reflection: { ...reflection, breaks: 0, asOf: atMs },
        effects: [{ kind: 'replace', items, version, next }],
      };
    }
    case 'listed': {
      const { version, next } = event;
      const effects = next === 'follow' ? follow(reflection, version) : [restart];
      return turn({ ...reflection, version, byName: false }, synced(reflection.unwatched), effects);
    }
    case 'listForbidden': {
      const { reason, next } = event;
      return { reflection: { ...reflection, byName: true }, effects: [{ kind: 'readNamed', reason, next }] };
    }
    case 'namedRead': {
      const pause: ReflectorEffect = { kind: 'pause', longestMs: longestUnseenMs };
      const effects = event.next === 'follow' ? [pause, restart] : [restart];
      return turn({ ...reflection, version: undefined, breaks: 0 }, synced(event.reason), effects);
    }
    case 'watchResponded': {
      const updated = { ...reflection, version: event.version ?? reflection.version, asOf: event.atMs };
      if (reflection.unwatched === undefined) return { reflection: updated, effects: [] };
      return turn({ ...updated, unwatched: undefined }, synced(undefined), []);
    }
    case 'watchEnded': {
      const pause: ReflectorEffect = event.lastedMs >= shortestWatchMs ? { kind: 'resetPauses' } : { kind: 'pause' };
      // Silence may be normal. A list decides, and until it fails the store counts as current.
      return { reflection, effects: [pause, event.silent ? { kind: 'list', next: 'restart' } : restart] };
    }
    case 'watchForbidden':
      return {
        reflection: { ...reflection, version: undefined, unwatched: event.reason },
        // Unless the list was only one attempt ago, and may be refused as well.
        effects: isUnwatched(reflection.state) ? [{ kind: 'pause' }, restart] : [restart],
      };
    case 'failed':
      // After any failure the next attempt starts with a list, because the version may be invalid.
      return afterFailure({ ...reflection, version: undefined }, event.failure);
    case 'unserved':
      return { reflection, effects: [{ kind: 'empty' }] };
    case 'emptied':
      return turn({ ...reflection, byName: false, asOf: Number.POSITIVE_INFINITY }, { kind: 'unserved' }, []);
    default:
      return assertNever(event);
  }
}

const restart: ReflectorEffect = { kind: 'restart' };

const synced = (unwatched: string | undefined): ReflectorState => ({
  kind: 'synced',
  ...(unwatched === undefined ? {} : { unwatched }),
});

function afterConnect(reflection: Reflection): ReflectorStep {
  const { state, version, unwatched } = reflection;
  if (version !== undefined) return { reflection, effects: follow(reflection, version) };
  const list: ReflectorEffect = { kind: 'list', next: 'follow' };
  const isWatched = state.kind === 'synced' && !isUnwatched(state) && unwatched === undefined;
  return isWatched ? turn(reflection, { kind: 'listing' }, [list]) : { reflection, effects: [list] };
}

const follow = ({ polls }: Reflection, from: string): ReflectorEffect[] =>
  polls ? [{ kind: 'resetPauses' }, { kind: 'poll' }] : [{ kind: 'watch', from }];

function afterFailure(reflection: Reflection, failure: Failure): ReflectorStep {
  switch (failure.kind) {
    case 'missing':
      return { reflection, effects: [{ kind: 'checkServed', failure: { ...failure, kind: 'refused' } }] };
    case 'expired':
      // The first time there is no reason to wait.
      return turn(reflection, { kind: 'listing' }, [{ kind: 'pauseUnlessFirst' }, restart]);
    case 'refused':
      return turn(reflection, failure, [{ kind: 'pause' }, restart]);
    case 'broke': {
      const breaks = reflection.breaks + 1;
      const state: ReflectorState =
        breaks >= mostBreaks ? { kind: 'refused', message: failure.message, lasting: false } : { kind: 'broken' };
      return turn({ ...reflection, breaks }, state, [{ kind: 'doubtContact' }, { kind: 'pause' }, restart]);
    }
    default:
      return assertNever(failure);
  }
}

/** Reports a change of state, or of the problem in the same state. */
function turn(reflection: Reflection, state: ReflectorState, effects: readonly ReflectorEffect[]): ReflectorStep {
  const before = reflection.state;
  const message = troubleOf(state);
  const same = state.kind === before.kind && (state.kind !== 'synced' || message === troubleOf(before));
  return {
    reflection: { ...reflection, state },
    effects: same ? effects : [{ kind: 'report', message }, ...effects],
  };
}

/** Whether a missing object does not exist. */
export const isSettled = ({ kind }: ReflectorState): boolean => kind === 'synced' || kind === 'unserved';

const isUnwatched = (state: ReflectorState): boolean => state.kind === 'synced' && state.unwatched !== undefined;

/** The message for users about a state, if there is one. */
const troubleOf = (state: ReflectorState): string | undefined =>
  state.kind === 'synced' ? state.unwatched : state.kind === 'refused' && state.lasting ? state.message : undefined;

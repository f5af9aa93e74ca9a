import { assertNever } from '../engine/kernel/assert.ts';

/** Whether a member's API server responds. */
export type Reachability =
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'reachable';
      /** Instant at which the last heartbeat was sent, milliseconds. */
      readonly heartbeat: number;
      /** `/readyz` returned 200 (KubeFleet internalmembercluster controller, health probe). */
      readonly healthy: boolean;
      /** What `/readyz` returned instead. */
      readonly trouble?: string;
      /** When `healthy` last changed, milliseconds. */
      readonly since: number;
      /** Instant of the first successful heartbeat since it was unreachable, milliseconds. */
      readonly joined: number;
    }
  | {
      readonly kind: 'unreachable';
      readonly cause: string;
      /** Instant at which the last successful heartbeat was sent, milliseconds. */
      readonly lastHeartbeat?: number;
    };

export interface ContactState {
  readonly reachability: Reachability;
  /** Probes in a row that failed. */
  readonly misses: number;
  /** The last response was 429. */
  readonly busy: boolean;
  /** What the last probe showed of the cluster: equal as long as it is the same one. Undefined: it was not 200, or showed nothing. */
  readonly shown: string | undefined;
  /** It sent data beyond the limits; `onTrial`: it gets requests again, but does not count as reachable yet. */
  readonly refusal: { readonly untilMs: number; readonly onTrial: boolean } | undefined;
  /** Length of the last refusal, milliseconds. */
  readonly refusalMs: number;
  /** End of the last refusal, milliseconds. */
  readonly acceptedAt: number;
}

export type ContactEvent =
  /** A response to a probe; `trouble` unless it was 200. */
  | {
      readonly kind: 'responded';
      readonly trouble: string | undefined;
      readonly shown?: string | undefined;
      readonly sentAt: number;
      readonly atMs: number;
    }
  /** A 429 to a probe. */
  | { readonly kind: 'throttled'; readonly trouble: string; readonly sentAt: number; readonly atMs: number }
  /** A probe got no response, which may be a hiccup; or, `lasting`, one that shows that nothing can be read. */
  | { readonly kind: 'missed'; readonly cause: string; readonly lasting: boolean; readonly atMs: number }
  /** A response was beyond the limits. `random`: from 0 to 1, spreads the refusals of many members. */
  | { readonly kind: 'refused'; readonly cause: string; readonly random: number; readonly atMs: number };

/** Failed probes in a row after which a member counts as unreachable: one may be a hiccup. */
const mostMisses = 2;

/** A refused member gets requests again after this time, which doubles up to the longest with each refusal. */
const firstRefusalMs = 15_000;
const longestRefusalMs = 300_000;
/** The longest time without a refusal before it counts as reachable. */
const longestTrialMs = 60_000;

/** Wait after a failed probe; doubles up to the longest. */
const firstRetryMs = 1_000;
const longestRetryMs = 15_000;

export const firstContactState: ContactState = {
  reachability: { kind: 'unknown' },
  misses: 0,
  busy: false,
  shown: undefined,
  refusal: undefined,
  refusalMs: firstRefusalMs,
  acceptedAt: Number.NEGATIVE_INFINITY,
};

/**
 * The next state of the contact with a member. Any response means reachable, also 403 or 500. A 429 shows nothing about health and
 * is retried a second later; a second one in a row counts as a response.
 */
export function nextContactState(state: ContactState, event: ContactEvent): ContactState {
  const { reachability } = state;
  switch (event.kind) {
    case 'responded':
      return afterProbe(
        state,
        { misses: 0, busy: false, shown: event.shown, reachability: reachable(reachability, event) },
        event.atMs,
      );
    case 'throttled': {
      if (reachability.kind !== 'reachable' || !reachability.healthy || state.busy)
        return nextContactState(state, { ...event, kind: 'responded' });
      const found = { ...reachability, heartbeat: event.sentAt };
      return afterProbe(state, { misses: 0, busy: true, shown: state.shown, reachability: found }, event.atMs);
    }
    case 'missed': {
      const misses = state.misses + 1;
      const isHiccup = !event.lasting && misses < mostMisses;
      const found = isHiccup ? reachability : unreachable(reachability, event.cause);
      return afterProbe(state, { misses, busy: state.busy, shown: undefined, reachability: found }, event.atMs);
    }
    case 'refused':
      return isRefused(state) ? state : refused(state, event);
    default:
      return assertNever(event);
  }
}

/** Requests may be sent. */
export const admits = ({ reachability, refusal }: ContactState): boolean =>
  reachability.kind === 'reachable' || refusal?.onTrial === true;

/** It is refused, and gets no requests on trial. */
export const isRefused = ({ refusal }: ContactState): boolean => refusal?.onTrial === false;

/** Time until the next probe, milliseconds. `random`: from 0 to 1. */
export function pauseMs(
  { misses, busy, refusal }: ContactState,
  { heartbeatMs, atMs, random }: { readonly heartbeatMs: number; readonly atMs: number; readonly random: number },
): number {
  if (misses > 0 || busy)
    return Math.min(firstRetryMs * 2 ** Math.max(misses - 1, 0), longestRetryMs) * (0.5 + random / 2);
  if (refusal) return refusal.onTrial ? Math.min(heartbeatMs, longestTrialMs) : refusal.untilMs - atMs;
  // KubeFleet's agents spread their beats by five per cent so that not all members report at once.
  return heartbeatMs * (0.95 + random * 0.1);
}

/** A refused member first gets all requests again, and must stay within the limits until the next probe. */
function afterProbe(
  state: ContactState,
  probe: Pick<ContactState, 'misses' | 'busy' | 'shown' | 'reachability'>,
  atMs: number,
): ContactState {
  const { refusal, reachability } = state;
  if (refusal === undefined) return { ...state, ...probe };
  const responds = probe.misses === 0;
  if (refusal.onTrial && responds) return { ...state, ...probe, refusal: undefined, acceptedAt: atMs };
  const onTrial = responds && atMs >= refusal.untilMs;
  return { ...state, ...probe, reachability, refusal: { ...refusal, onTrial } };
}

function reachable(
  before: Reachability,
  { trouble, sentAt }: { readonly trouble: string | undefined; readonly sentAt: number },
): Reachability {
  const healthy = trouble === undefined;
  const met = before.kind === 'reachable' ? before : undefined;
  return {
    kind: 'reachable',
    heartbeat: sentAt,
    healthy,
    ...(trouble === undefined ? {} : { trouble }),
    since: met?.healthy === healthy ? met.since : sentAt,
    joined: met?.joined ?? sentAt,
  };
}

/** The cause of a long outage changes its wording; not every change is reported. */
function unreachable(before: Reachability, cause: string): Reachability {
  if (before.kind === 'unreachable') return before;
  return { kind: 'unreachable', cause, ...(before.kind === 'reachable' && { lastHeartbeat: before.heartbeat }) };
}

function refused(
  state: ContactState,
  { cause, random, atMs }: Extract<ContactEvent, { readonly kind: 'refused' }>,
): ContactState {
  const isAgain = state.refusal !== undefined || atMs - state.acceptedAt < longestRefusalMs;
  const refusalMs = isAgain ? Math.min(state.refusalMs * 2, longestRefusalMs) : firstRefusalMs;
  return {
    ...state,
    reachability: unreachable(state.reachability, cause),
    shown: undefined,
    refusal: { untilMs: atMs + refusalMs * (0.75 + random / 4), onTrial: false },
    refusalMs,
  };
}

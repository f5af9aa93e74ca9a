import { messageOf } from '../api/message-of.ts';
import { ApiError, UnreachableError } from './api-server/api-error.ts';
import type { MemberClient } from './api-server/client.ts';
import { type Clock, sleep } from './clock.ts';

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

/** Heartbeats of one member, and a circuit breaker for all other requests. */
export interface Contact {
  readonly reachability: () => Reachability;
  /** Resolves when the member is reachable, at once if it is, and when contact is stopped. */
  open(): Promise<void>;
  /** Requests may be sent. */
  admits(): boolean;
  /** A request got no response: probe at once instead of at the next heartbeat. */
  doubt(): void;
  /**
   * It sends data beyond the limits: it counts as unreachable, with this cause. After a while it gets requests again, and counts as
   * reachable if it is not refused until the next heartbeat. False when it is refused already.
   */
  refuse(cause: string): boolean;
}

/** Failed probes in a row after which a member counts as unreachable: one may be a hiccup. */
const mostMisses = 2;
const probeTimeoutMs = 10_000;
const isTooBusy = (error: unknown): boolean => error instanceof ApiError && error.status === 429;

/** A refused member gets requests again after this time, which doubles up to the longest with each refusal. */
const firstRefusalMs = 15_000;
const longestRefusalMs = 300_000;
/** The longest time without a refusal before it counts as reachable. */
const longestTrialMs = 60_000;

/** Wait after a failed probe; doubles up to the longest. */
const firstRetryMs = 1_000;
const longestRetryMs = 15_000;

/**
 * Requests `/readyz` every heartbeat. Only probes decide whether a member is reachable: eight requests that fail together are one
 * symptom. Any response means reachable, also 403 or 500, but not 401: then nothing can be read from the member. A 429 shows
 * nothing about health and is retried a second later.
 */
export function keepContact(input: {
  readonly client: MemberClient;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  readonly life: AbortSignal;
  /** After every probe; `before` is what was known before it. */
  readonly probed: (before: Reachability) => void;
}): Contact {
  const { client, clock, life, heartbeatMs } = input;
  let reachability: Reachability = { kind: 'unknown' };
  let misses = 0;
  /** The last response was 429. */
  let wasBusy = false;
  /** It was refused: until when, milliseconds, and whether it gets requests on trial. */
  let refusal: { readonly untilMs: number; onTrial: boolean } | undefined;
  let refusalMs = firstRefusalMs;
  let acceptedAt = Number.NEGATIVE_INFINITY;
  let wake = new AbortController();
  let waiting: (() => void)[] = [];

  async function probe(): Promise<void> {
    const before = reachability;
    const found = await requestReadyz(before);
    if (life.aborted) return;
    if (mayRecover()) reachability = found;
    if (admits()) letThrough();
    input.probed(before);
  }

  /** Whether a probe decides. A refused member first gets all requests again, and must stay within the limits until the next probe. */
  function mayRecover(): boolean {
    if (refusal === undefined) return true;
    if (refusal.onTrial && misses === 0) {
      refusal = undefined;
      acceptedAt = clock.now();
      return true;
    }
    refusal.onTrial = misses === 0 && clock.now() >= refusal.untilMs;
    return false;
  }

  const admits = (): boolean => reachability.kind === 'reachable' || refusal?.onTrial === true;

  async function requestReadyz(before: Reachability): Promise<Reachability> {
    const sent = clock.now();
    try {
      const timeoutMs = Math.min(probeTimeoutMs, heartbeatMs);
      const headers = { accept: 'text/plain' };
      await client.send({ method: 'GET', path: '/readyz', headers, tried: 'get /readyz', urgent: true, timeoutMs });
      return responded(before, sent, undefined);
    } catch (error) {
      if (isTooBusy(error) && before.kind === 'reachable' && before.healthy && !wasBusy) {
        misses = 0;
        wasBusy = true;
        return { ...before, heartbeat: sent };
      }
      if (error instanceof ApiError && error.status !== 401) return responded(before, sent, error.message);
      misses++;
      if (error instanceof UnreachableError && misses < mostMisses) return before;
      return unreachable(before, messageOf(error));
    }
  }

  function responded(before: Reachability, heartbeat: number, trouble: string | undefined): Reachability {
    misses = 0;
    wasBusy = false;
    const healthy = trouble === undefined;
    const met = before.kind === 'reachable' ? before : undefined;
    return {
      kind: 'reachable',
      heartbeat,
      healthy,
      ...(trouble === undefined ? {} : { trouble }),
      since: met?.healthy === healthy ? met.since : heartbeat,
      joined: met?.joined ?? heartbeat,
    };
  }

  function letThrough(): void {
    const through = waiting;
    waiting = [];
    for (const resolve of through) resolve();
  }

  async function run(): Promise<void> {
    life.addEventListener('abort', () => wake.abort(), { once: true });
    while (!life.aborted) {
      wake = new AbortController();
      await probe();
      await sleep(clock, life.aborted ? 0 : pauseMs(), wake.signal);
    }
    letThrough();
  }

  function pauseMs(): number {
    if (misses > 0 || wasBusy)
      return Math.min(firstRetryMs * 2 ** Math.max(misses - 1, 0), longestRetryMs) * (0.5 + Math.random() / 2);
    if (refusal) return refusal.onTrial ? Math.min(heartbeatMs, longestTrialMs) : refusal.untilMs - clock.now();
    // KubeFleet's agents spread their beats by five per cent so that not all members report at once.
    return heartbeatMs * (0.95 + Math.random() * 0.1);
  }

  void run();
  return {
    reachability: () => reachability,
    open: () => (admits() || life.aborted ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    doubt() {
      if (reachability.kind === 'reachable' && misses === 0 && !wasBusy) wake.abort();
    },
    admits,
    refuse(cause) {
      if (life.aborted || (refusal && !refusal.onTrial)) return false;
      const before = reachability;
      const now = clock.now();
      const isAgain = refusal !== undefined || now - acceptedAt < longestRefusalMs;
      refusalMs = isAgain ? Math.min(refusalMs * 2, longestRefusalMs) : firstRefusalMs;
      refusal = { untilMs: now + refusalMs * (0.75 + Math.random() / 4), onTrial: false };
      reachability = unreachable(before, cause);
      input.probed(before);
      wake.abort();
      return true;
    },
  };
}

/** The cause of a long outage changes its wording; not every change is reported. */
function unreachable(before: Reachability, cause: string): Reachability {
  if (before.kind === 'unreachable') return before;
  return { kind: 'unreachable', cause, ...(before.kind === 'reachable' && { lastHeartbeat: before.heartbeat }) };
}

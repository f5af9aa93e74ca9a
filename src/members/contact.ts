import { messageOf } from '../api/message-of.ts';
import { ApiError, UnreachableError } from './api-server/api-error.ts';
import type { MemberClient } from './api-server/client.ts';
import { type Clock, sleep } from './clock.ts';

/** Whether a member's API server responds. */
export type Standing =
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
  readonly standing: () => Standing;
  /** Resolves when the member is reachable, at once if it is, and when contact is stopped. */
  open(): Promise<void>;
  /** Requests may be sent. */
  admits(): boolean;
  /** A request got no response: probe at once instead of at the next heartbeat. */
  doubt(): void;
  /**
   * It sends what is not taken: it counts as unreachable, with this cause. After a while it is asked again, and counts as reachable
   * when it has not been refused again until the next heartbeat. False when it is refused already.
   */
  refuse(cause: string): boolean;
}

/** Failed probes in a row after which a member counts as unreachable: one may be a hiccup. */
const mostMisses = 2;
const probeTimeoutMs = 10_000;
const isTooBusy = (error: unknown): boolean => error instanceof ApiError && error.status === 429;

/** A member that was refused is asked again after this time, which doubles up to the longest while it goes on. */
const firstRefusalMs = 15_000;
const longestRefusalMs = 300_000;
/** So long it has to do well before it counts as reachable, at most. */
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
  readonly probed: (before: Standing) => void;
}): Contact {
  const { client, clock, life, heartbeatMs } = input;
  let standing: Standing = { kind: 'unknown' };
  let misses = 0;
  /** The last response was 429. */
  let wasBusy = false;
  /** It was refused: until when, milliseconds, and whether it is being asked again. */
  let refusal: { readonly untilMs: number; onTrial: boolean } | undefined;
  let refusalMs = firstRefusalMs;
  let acceptedAt = Number.NEGATIVE_INFINITY;
  let wake = new AbortController();
  let waiting: (() => void)[] = [];

  async function probe(): Promise<void> {
    const before = standing;
    const found = await ask(before);
    if (life.aborted) return;
    if (mayRecover()) standing = found;
    if (admits()) letThrough();
    input.probed(before);
  }

  /** Whether a probe decides. A member that was refused is first asked everything again, and has to last until the next probe. */
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

  const admits = (): boolean => standing.kind === 'reachable' || refusal?.onTrial === true;

  async function ask(before: Standing): Promise<Standing> {
    const sent = clock.now();
    try {
      const timeoutMs = Math.min(probeTimeoutMs, heartbeatMs);
      const headers = { accept: 'text/plain' };
      await client.send({ method: 'GET', path: '/readyz', headers, tried: 'ask /readyz', urgent: true, timeoutMs });
      return answered(before, sent, undefined);
    } catch (error) {
      if (isTooBusy(error) && before.kind === 'reachable' && before.healthy && !wasBusy) {
        misses = 0;
        wasBusy = true;
        return { ...before, heartbeat: sent };
      }
      if (error instanceof ApiError && error.status !== 401) return answered(before, sent, error.message);
      misses++;
      if (error instanceof UnreachableError && misses < mostMisses) return before;
      return unreachable(before, messageOf(error));
    }
  }

  function answered(before: Standing, heartbeat: number, trouble: string | undefined): Standing {
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
    // KubeFleet's agents spread their beats by five per cent so that a fleet does not report in one breath.
    return heartbeatMs * (0.95 + Math.random() * 0.1);
  }

  void run();
  return {
    standing: () => standing,
    open: () => (admits() || life.aborted ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    doubt() {
      if (standing.kind === 'reachable' && misses === 0 && !wasBusy) wake.abort();
    },
    admits,
    refuse(cause) {
      if (life.aborted || (refusal && !refusal.onTrial)) return false;
      const before = standing;
      const now = clock.now();
      const isAgain = refusal !== undefined || now - acceptedAt < longestRefusalMs;
      refusalMs = isAgain ? Math.min(refusalMs * 2, longestRefusalMs) : firstRefusalMs;
      refusal = { untilMs: now + refusalMs * (0.75 + Math.random() / 4), onTrial: false };
      standing = unreachable(before, cause);
      input.probed(before);
      wake.abort();
      return true;
    },
  };
}

/** The cause of a long outage changes its wording; nobody needs to hear each of them. */
function unreachable(before: Standing, cause: string): Standing {
  if (before.kind === 'unreachable') return before;
  return { kind: 'unreachable', cause, ...(before.kind === 'reachable' && { lastHeartbeat: before.heartbeat }) };
}

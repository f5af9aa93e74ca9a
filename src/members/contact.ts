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
  /** A request got no response: probe at once instead of at the next heartbeat. */
  doubt(): void;
}

/** Failed probes in a row after which a member counts as unreachable: one may be a hiccup. */
const mostMisses = 2;
const probeTimeoutMs = 10_000;
const isTooBusy = (error: unknown): boolean => error instanceof ApiError && error.status === 429;

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
  let wake = new AbortController();
  let waiting: (() => void)[] = [];

  async function probe(): Promise<void> {
    const before = standing;
    standing = await ask(before);
    if (life.aborted) return;
    if (standing.kind === 'reachable') letThrough();
    input.probed(before);
  }

  async function ask(before: Standing): Promise<Standing> {
    const sent = clock.now();
    try {
      const timeoutMs = Math.min(probeTimeoutMs, heartbeatMs);
      const headers = { accept: 'text/plain' };
      await client.request({ method: 'GET', path: '/readyz', headers, tried: 'ask /readyz', urgent: true, timeoutMs });
      return answered(before, sent, undefined);
    } catch (error) {
      if (isTooBusy(error) && before.kind === 'reachable' && before.healthy && !wasBusy) {
        misses = 0;
        wasBusy = true;
        return { ...before, heartbeat: sent };
      }
      if (error instanceof ApiError && error.status !== 401) return answered(before, sent, error.message);
      misses++;
      const cause = messageOf(error);
      if (error instanceof UnreachableError && misses < mostMisses && before.kind !== 'unreachable') return before;
      // Keeps the first cause of an outage: its wording varies, and each change would be a new observation.
      if (before.kind === 'unreachable') return before;
      return { kind: 'unreachable', cause, ...(before.kind === 'reachable' && { lastHeartbeat: before.heartbeat }) };
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
      // Like KubeFleet's agents: 5 % jitter spreads the heartbeats of a fleet.
      const pause =
        misses === 0 && !wasBusy
          ? heartbeatMs * (0.95 + Math.random() * 0.1)
          : Math.min(firstRetryMs * 2 ** Math.max(misses - 1, 0), longestRetryMs) * (0.5 + Math.random() / 2);
      await sleep(clock, life.aborted ? 0 : pause, wake.signal);
    }
    letThrough();
  }

  void run();
  return {
    standing: () => standing,
    open: () =>
      standing.kind === 'reachable' || life.aborted
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push(resolve)),
    doubt() {
      if (standing.kind === 'reachable' && misses === 0 && !wasBusy) wake.abort();
    },
  };
}

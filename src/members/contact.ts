import { messageOf } from '../api/message-of.ts';
import { ApiError, UnreachableError } from './api-server/api-error.ts';
import type { MemberClient } from './api-server/client.ts';
import type { TransportResponse } from './api-server/transport.ts';
import { type Clock, sleep } from './clock.ts';
import {
  admits,
  type ContactEvent,
  firstContactState,
  isRefused,
  nextContactState,
  pauseMs,
  type Reachability,
} from './contact-state.ts';

/** Heartbeats of one member, and a circuit breaker for all other requests. */
export interface Contact {
  readonly reachability: () => Reachability;
  /** Equal from probe to probe as long as it is the same cluster; undefined when the last probe did not show which it is. */
  readonly shown: () => string | undefined;
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

const probeTimeoutMs = 10_000;

/**
 * Requests `/readyz` every heartbeat. Only probes decide whether a member is reachable: eight requests that fail together are one
 * symptom.
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
  let state = firstContactState;
  let wake = new AbortController();
  let waiting: (() => void)[] = [];

  async function probe(): Promise<void> {
    const before = state.reachability;
    const event = await requestReadyz(client, clock, heartbeatMs);
    if (life.aborted) return;
    state = nextContactState(state, event);
    if (admits(state)) letThrough();
    input.probed(before);
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
      const pause = pauseMs(state, { heartbeatMs, atMs: clock.now(), random: Math.random() });
      await sleep(clock, life.aborted ? 0 : pause, wake.signal);
    }
    letThrough();
  }

  void run();
  return {
    reachability: () => state.reachability,
    shown: () => state.shown,
    open: () => (admits(state) || life.aborted ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    doubt() {
      const { reachability, misses, busy } = state;
      if (reachability.kind === 'reachable' && misses === 0 && !busy) wake.abort();
    },
    admits: () => admits(state),
    refuse(cause) {
      if (life.aborted || isRefused(state)) return false;
      const before = state.reachability;
      state = nextContactState(state, { kind: 'refused', cause, random: Math.random(), atMs: clock.now() });
      input.probed(before);
      wake.abort();
      return true;
    },
  };
}

async function requestReadyz(client: MemberClient, clock: Clock, heartbeatMs: number): Promise<ContactEvent> {
  const sentAt = clock.now();
  try {
    const timeoutMs = Math.min(probeTimeoutMs, heartbeatMs);
    const headers = { accept: 'text/plain' };
    const request = { method: 'GET', path: '/readyz', headers, tried: 'get /readyz', urgent: true, timeoutMs } as const;
    const shown = shownBy(await client.headers(request));
    return { kind: 'responded', trouble: undefined, shown, sentAt, atMs: clock.now() };
  } catch (error) {
    const atMs = clock.now();
    // After a 401 nothing can be read from the member.
    if (!(error instanceof ApiError) || error.status === 401)
      return { kind: 'missed', cause: causeOf(error), lasting: !(error instanceof UnreachableError), atMs };
    return { kind: error.status === 429 ? 'throttled' : 'responded', trouble: error.message, sentAt, atMs };
  }
}

const causeOf = (error: unknown): string =>
  error instanceof ApiError && error.status === 401
    ? `${error.message}: the credentials of its kubeconfig are not accepted (gitfleet join writes new ones)`
    : messageOf(error);

/**
 * API servers name the flow schema of each request by its uid, which is another one in each cluster (API priority and fairness,
 * `setResponseHeaders`). It is empty while a server starts, and something in between may drop it.
 */
function shownBy(headers: TransportResponse['headers']): string | undefined {
  const uid = headers['x-kubernetes-pf-flowschema-uid'];
  return uid && uid.length <= longestUid ? uid : undefined;
}

/** Characters; a uid has 36. */
const longestUid = 100;

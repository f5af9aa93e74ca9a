import { connectionBroke } from '../../api/connection-broke.ts';
import { type Clock, sleep } from '../clock.ts';
import { ApiError, BeyondLimit, UnreachableError } from './api-error.ts';
import { type Exchange, exchange } from './exchange.ts';
import { Limiter } from './limiter.ts';
import type { ResponsesInFlight } from './responses-in-flight.ts';
import type { SharedLimits } from './shared-limits.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** Requests in flight to one member. API servers give one client a few dozen slots before they queue or refuse it. */
const concurrency = 24;
const requestTimeoutMs = 30_000;
/** Attempts for a throttled or failing request; after them the caller backs off. */
const mostAttempts = 4;

export type Request = Omit<TransportRequest, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
  /** For messages; method and path when absent. */
  readonly tried?: string;
  /** Sent without retries, also during a `Retry-After` of the server. */
  readonly urgent?: boolean;
  /** 30 s when absent. */
  readonly timeoutMs?: number;
  /** Checked after the queue and after a `Retry-After`: if false, the request is not sent and rejects. */
  readonly isWanted?: (() => boolean) | undefined;
};

export interface RequestQueue {
  /** The response as text. Rejects as `exchange`, after the retries. */
  text(wanted: Request): Promise<string>;
  /** What `read` makes of the response. Rejects as `read`, after the retries. */
  run<T>(wanted: Request, read: (exchange: Exchange) => Promise<T>): Promise<T>;
  /** How a request is sent. */
  exchangeOf(wanted: Request): Exchange;
  /** Largest number of requests in flight; others wait. */
  readonly concurrency: number;
  /** Requests sent so far. */
  readonly sent: () => number;
}

/** The requests to one member: limited, throttled as the server requests, retried when they fail. `life` ends them all. */
export function requestQueue(input: {
  readonly name: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly responses: ResponsesInFlight;
  readonly life: AbortSignal;
  readonly shared: SharedLimits;
}): RequestQueue {
  const { name, clock, life, responses, shared } = input;
  const limiter = new Limiter(concurrency);
  let sent = 0;
  let pausedUntil = 0;

  const transport: Transport = async (request) => {
    sent++;
    return input.transport(request);
  };

  const exchangeOf = (wanted: Request): Exchange => ({
    transport,
    clock,
    life,
    responses,
    parsedBytes: shared.limits.parsedBytes,
    timeoutMs: wanted.timeoutMs ?? requestTimeoutMs,
    tried: `${wanted.tried ?? `${wanted.method} ${wanted.path.split('?')[0]}`} on ${name}`,
    request: transportRequest(wanted),
  });

  async function persistently<T>(wanted: Request, read: (of: Exchange) => Promise<T>): Promise<T> {
    let broke = false;
    for (let attempt = 1; ; attempt++) {
      if (pausedUntil > clock.now()) await sleep(clock, pausedUntil - clock.now(), life);
      if (wanted.isWanted?.() === false) throw new Error(`${exchangeOf(wanted).tried} is no longer wanted`);
      try {
        return await read(exchangeOf(wanted));
      } catch (error) {
        if (life.aborted || wanted.signal?.aborted) throw error;
        if (error instanceof UnreachableError && !broke && connectionBroke(error.cause)) {
          // The server closed a kept-alive connection as it was used. All requests are safe to repeat.
          broke = true;
          continue;
        }
        if (!(mayPass(error) && attempt < mostAttempts)) throw error;
        // Full jitter keeps many members that were throttled together from coming back together.
        const backoffMs = Math.random() * 250 * 2 ** attempt;
        const { retryAfterMs, ofOneKind } = error instanceof ApiError ? error : noAdvice;
        if (retryAfterMs === undefined || ofOneKind) await sleep(clock, (retryAfterMs ?? 0) + backoffMs, life);
        else pausedUntil = Math.max(pausedUntil, clock.now() + retryAfterMs + backoffMs);
      }
    }
  }

  const run: RequestQueue['run'] = (wanted, read) =>
    wanted.urgent ? read(exchangeOf(wanted)) : limiter.run(() => persistently(wanted, read));

  return {
    text: (wanted) => run(wanted, exchange),
    run,
    exchangeOf,
    concurrency,
    sent: () => sent,
  };
}

const transportRequest = ({ method, path, headers, body, signal, urgent }: Request): TransportRequest => ({
  method,
  path,
  headers: { accept: 'application/json', ...headers },
  ...(body === undefined ? {} : { body }),
  ...(signal ? { signal } : {}),
  ...(urgent ? { urgent } : {}),
});

const noAdvice: Pick<ApiError, 'retryAfterMs' | 'ofOneKind'> = { retryAfterMs: undefined, ofOneKind: false };

/** Errors to retry at once: throttling, server faults, and memory that responses of other members use at the moment. */
const mayPass = (error: unknown): boolean =>
  (error instanceof ApiError && error.transient) || (error instanceof BeyondLimit && error.passing);

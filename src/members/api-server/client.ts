import { connectionBroke } from '../../api/connection-broke.ts';
import { type Clock, sleep } from '../clock.ts';
import { ApiError, UnreachableError } from './api-error.ts';
import { type Exchange, exchange } from './exchange.ts';
import { Limiter } from './limiter.ts';
import { type List, pagesOf, wholeList } from './pages.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { type WatchEnd, type WatchEvent, watchStream } from './watch-stream.ts';

/** Requests in flight to one member. API servers give one client a few dozen slots before they queue or refuse it. */
const concurrency = 24;
const requestTimeoutMs = 30_000;
/** Attempts for a throttled or failing request; after them the caller backs off. */
const mostAttempts = 4;
/** Upper limit for the `Retry-After` of a server. */
const longestPauseMs = 60_000;
/**
 * Silence after which a watch may be half-open: most API servers send a bookmark about every minute. The spread of half a minute
 * prevents that all idle members are checked at the same time.
 */
const watchSilenceMs = 125_000;
const watchSilenceSpreadMs = 30_000;

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

export interface MemberClient {
  /** The name of the member, for messages. */
  readonly name: string;
  /** The response as JSON, or as text if it is not JSON; rejects with ApiError or UnreachableError. */
  request<T>(request: Request): Promise<T>;
  /** A list page by page, at most 500 objects each, all of one resourceVersion. Rejects with ApiError 410 when the server no longer has that version. */
  pages(path: string, query?: Readonly<Record<string, string>>): AsyncIterable<List>;
  /** A whole list; starts again, a few times, when the server drops the version in between. */
  list(path: string, query?: Readonly<Record<string, string>>): Promise<List>;
  /** Passes events on until the server ends the watch or is silent; rejects when the signal is aborted. Errors as `watchStream`. */
  watch(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    onEvent: (event: WatchEvent) => void,
  ): Promise<WatchEnd>;
  /** Largest number of requests in flight; others wait. */
  readonly concurrency: number;
  /** Requests sent so far. */
  readonly requests: () => number;
}

/** Raw JSON requests to one member: with a limit, throttled by `Retry-After`, with retries. Aborting `life` ends them all. */
export function memberClient(input: {
  readonly name: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly life: AbortSignal;
}): MemberClient {
  const { name, clock, life } = input;
  const limiter = new Limiter(concurrency);
  // The same for all watches of a member, so that they are renewed together.
  const silenceMs = watchSilenceMs + Math.random() * watchSilenceSpreadMs;
  let requests = 0;
  let pausedUntil = 0;

  const transport: Transport = async (request) => {
    requests++;
    return input.transport(request);
  };

  const exchangeOf = (wanted: Request): Exchange => {
    const { method, path, headers, body, signal, urgent, timeoutMs = requestTimeoutMs } = wanted;
    return {
      transport,
      clock,
      life,
      timeoutMs,
      tried: wanted.tried === undefined ? `${method} ${path.split('?')[0]} on ${name}` : `${wanted.tried} on ${name}`,
      request: {
        method,
        path,
        headers: { accept: 'application/json', ...headers },
        ...(body === undefined ? {} : { body }),
        ...(signal ? { signal } : {}),
        ...(urgent ? { urgent } : {}),
      },
    };
  };

  async function persistently(wanted: Request): Promise<string> {
    let broke = false;
    for (let attempt = 1; ; attempt++) {
      if (pausedUntil > clock.now()) await sleep(clock, pausedUntil - clock.now(), life);
      if (wanted.isWanted?.() === false) throw new Error(`${exchangeOf(wanted).tried} is no longer wanted`);
      try {
        return await exchange(exchangeOf(wanted));
      } catch (error) {
        if (life.aborted || wanted.signal?.aborted) throw error;
        if (error instanceof UnreachableError && !broke && connectionBroke(error.cause)) {
          // The server closed a kept-alive connection as it was used. All requests are safe to repeat.
          broke = true;
          continue;
        }
        if (!(error instanceof ApiError && error.transient && attempt < mostAttempts)) throw error;
        // Full jitter spreads the retries of members that were throttled together.
        const backoffMs = Math.random() * 250 * 2 ** attempt;
        if (error.retryAfterMs === undefined || error.ofOneKind)
          await sleep(clock, (error.retryAfterMs ?? 0) + backoffMs, life);
        else
          pausedUntil = Math.max(pausedUntil, clock.now() + Math.min(error.retryAfterMs + backoffMs, longestPauseMs));
      }
    }
  }

  async function request<T>(wanted: Request): Promise<T> {
    const text = await (wanted.urgent ? exchange(exchangeOf(wanted)) : limiter.run(() => persistently(wanted)));
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch {
      return text as T;
    }
  }

  const pages: MemberClient['pages'] = (path, query = {}) => pagesOf({ request, name, path, query });

  return {
    name,
    concurrency,
    request,
    pages,
    requests: () => requests,
    list: (path, query) => wholeList(() => pages(path, query)),
    watch(path, query, signal, onEvent) {
      // Spread over four minutes so that the watches of a fleet do not all end at once.
      const seconds = 240 + Math.floor(Math.random() * 240);
      const search = new URLSearchParams({
        ...query,
        watch: 'true',
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(seconds),
      });
      const wanted: Request = {
        method: 'GET',
        path: `${path}?${search}`,
        tried: `watch ${path}`,
        signal,
        urgent: true,
      };
      return watchStream({ ...exchangeOf(wanted), silenceMs }, onEvent);
    },
  };
}

import { connectionBroke } from '../../api/connection-broke.ts';
import type { Manifest } from '../../api/meta.ts';
import { type Clock, sleep } from '../clock.ts';
import { ApiError, BeyondLimit, badResponse, UnreachableError } from './api-error.ts';
import { type Exchange, exchange } from './exchange.ts';
import { Limiter } from './limiter.ts';
import { objectFault } from './object-fault.ts';
import { type List, type Page, pagesOf, type SentJson, wholeList } from './pages.ts';
import { readJson } from './read-json.ts';
import { type ResponsesInFlight, responsesInFlight } from './responses-in-flight.ts';
import { type SharedLimits, sharedLimits } from './shared-limits.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { type WatchEnd, type WatchEvent, watchStream } from './watch-stream.ts';

/** Requests in flight to one member. API servers give one client a few dozen slots before they queue or refuse it. */
const concurrency = 24;
const requestTimeoutMs = 30_000;
/** Attempts for a throttled or failing request; after them the caller backs off. */
const mostAttempts = 4;
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

export interface Reading<T> {
  /** What is kept of each object; the whole object when absent. */
  readonly keep?: (item: Manifest) => T;
  /** Called with the memory that the pages have taken so far; may throw. */
  readonly reading?: (parsedBytes: number) => void;
}

export interface MemberClient {
  /** The name of the member, for messages. */
  readonly name: string;
  /** Resolves when the server has accepted the request, for any response; rejects with ApiError or UnreachableError. */
  send(request: Request): Promise<void>;
  /** A response in JSON of unknown structure. Rejects as `send`, and with ApiError if it is not JSON. */
  json(request: Request): Promise<unknown>;
  /** A response that is an object. Rejects as `json`, and with ApiError if it is not one. */
  object(request: Request): Promise<Manifest>;
  /** A list page by page, at most 500 objects each, all of one version. Rejects with ApiError 410 when that version has expired. */
  pages(path: string, query?: Readonly<Record<string, string>>): AsyncIterable<Page>;
  /** A whole list; restarts, a few times, when its version expires in between. */
  list<T = Manifest>(path: string, query?: Readonly<Record<string, string>>, of?: Reading<T>): Promise<List<T>>;
  /** Passes events on until the server ends the watch or is silent; rejects when the signal is aborted. Errors as `watchStream`. */
  watch(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    onEvent: (event: WatchEvent) => void,
  ): Promise<WatchEnd>;
  /** Ends all requests and watches that are in flight. */
  abort(reason: Error): void;
  /** Largest number of requests in flight; others wait. */
  readonly concurrency: number;
  /** Requests sent so far. */
  readonly requests: () => number;
}

/**
 * Raw JSON requests to one member: limited, throttled as the server requests, retried when they fail. `life` ends them all. A member
 * that sends more than the limits allow is `refused`, and the request rejects with BeyondLimit.
 */
export function memberClient(input: {
  readonly name: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly life: AbortSignal;
  readonly shared?: SharedLimits | undefined;
  readonly refused?: (error: BeyondLimit) => void;
}): MemberClient {
  const { name, clock, life, shared = sharedLimits() } = input;
  const { limits } = shared;
  const responses: ResponsesInFlight = responsesInFlight({ all: shared.inFlight, limits, life });
  const pageSizes = new Map<string, number>();
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
      responses,
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
        if (!(mayPass(error) && attempt < mostAttempts)) throw error;
        // Full jitter keeps many members that were throttled together from coming back together.
        const backoffMs = Math.random() * 250 * 2 ** attempt;
        const { retryAfterMs, ofOneKind } = error instanceof ApiError ? error : noAdvice;
        if (retryAfterMs === undefined || ofOneKind) await sleep(clock, (retryAfterMs ?? 0) + backoffMs, life);
        else pausedUntil = Math.max(pausedUntil, clock.now() + retryAfterMs + backoffMs);
      }
    }
  }

  const ask = (wanted: Request): Promise<string> =>
    wanted.urgent ? exchange(exchangeOf(wanted)) : limiter.run(() => persistently(wanted));

  async function read(wanted: Request): Promise<SentJson> {
    const text = await ask(wanted);
    const { tried } = exchangeOf(wanted);
    return { value: readJson(text, { tried, parsedBytes: limits.parsedBytes }), text };
  }

  function refuse(error: unknown): never {
    if (error instanceof BeyondLimit) input.refused?.(error);
    throw error;
  }

  const pages = (path: string, query: Readonly<Record<string, string>> = {}): AsyncIterable<Page> =>
    pagesOf({ read, name, path, query, limits, pageSizes });

  return {
    name,
    concurrency,
    send: (wanted) => ask(wanted).then(() => undefined, refuse),
    json: (wanted) => read(wanted).then(({ value }) => value, refuse),
    object: (wanted) => read(wanted).then(({ value }) => objectOf(value, exchangeOf(wanted).tried), refuse),
    async *pages(path, query) {
      try {
        yield* pages(path, query);
      } catch (error) {
        refuse(error);
      }
    },
    abort: responses.abort,
    requests: () => requests,
    list: <T>(path: string, query = {}, { keep, reading }: Reading<T> = {}) =>
      wholeList(() => pages(path, query), {
        tried: `list ${path} on ${name}`,
        keep: keep ?? ((item) => item as T),
        reading: reading ?? (() => {}),
      }).catch(refuse),
    watch(path, query, signal, onEvent) {
      // Spread over four minutes so that the watches of a fleet do not all end together.
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
      const stream = { ...exchangeOf(wanted), silenceMs, parsedBytes: limits.parsedBytes };
      return watchStream(stream, onEvent).catch(refuse);
    },
  };
}

const noAdvice: Pick<ApiError, 'retryAfterMs' | 'ofOneKind'> = { retryAfterMs: undefined, ofOneKind: false };

/** Errors to retry at once: throttling, server faults, and memory that responses of other members use at the moment. */
const mayPass = (error: unknown): boolean =>
  (error instanceof ApiError && error.transient) || (error instanceof BeyondLimit && error.passing);

function objectOf(value: unknown, tried: string): Manifest {
  const fault = objectFault(value);
  if (fault !== undefined) throw badResponse(tried, `the response is not an object: ${fault}`);
  return value as Manifest;
}

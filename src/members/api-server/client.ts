import type { Manifest } from '../../api/meta.ts';
import type { Clock } from '../clock.ts';
import { BeyondLimit, badResponse } from './api-error.ts';
import { exchangeHeaders } from './exchange.ts';
import { objectFault } from './object-fault.ts';
import { type List, type Page, pagesOf, type SentJson, wholeList } from './pages.ts';
import { readJson } from './read-json.ts';
import { type Request, requestQueue } from './request-queue.ts';
import { responsesInFlight } from './responses-in-flight.ts';
import type { SharedLimits } from './shared-limits.ts';
import { textLines } from './text-lines.ts';
import type { Transport, TransportResponse } from './transport.ts';
import { type WatchEnd, type WatchEvent, watchStream } from './watch-stream.ts';

/**
 * Silence after which a watch may be half-open: most API servers send a bookmark about every minute. The spread of half a minute
 * prevents that all idle members are checked at the same time.
 */
const watchSilenceMs = 125_000;
const watchSilenceSpreadMs = 30_000;
/** A watch that ends so much before its time was cut. */
const earlySeconds = 5;

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
  /** The same, with the headers of the response. */
  headers(request: Request): Promise<TransportResponse['headers']>;
  /** A response in JSON of unknown structure. Rejects as `send`, and with ApiError if it is not JSON. */
  json(request: Request): Promise<unknown>;
  /** A response that is an object. Rejects as `json`, and with ApiError if it is not one. */
  object(request: Request): Promise<Manifest>;
  /** The lines of a text that begin so. They stand together, and what comes after them is not read. Rejects as `send`. */
  lines(request: Request, begin: string): Promise<readonly string[]>;
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
    /** The media type of the events; JSON of whole objects when absent. */
    accept?: string,
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
  readonly shared: SharedLimits;
  readonly refused: (error: BeyondLimit) => void;
}): MemberClient {
  const { name, life, shared } = input;
  const { limits } = shared;
  const responses = responsesInFlight({ all: shared.inFlight, limits, life });
  const pageSizes = new Map<string, number>();
  const requests = requestQueue({ ...input, responses });
  // The same for all watches of a member, so that they are renewed together.
  const silenceMs = watchSilenceMs + Math.random() * watchSilenceSpreadMs;

  async function read(wanted: Request): Promise<SentJson> {
    const text = await requests.text(wanted);
    return { value: readJson(text, requests.exchangeOf(wanted).tried), text };
  }

  function refuse(error: unknown): never {
    if (error instanceof BeyondLimit) input.refused(error);
    throw error;
  }

  const pages = (path: string, query: Readonly<Record<string, string>> = {}): AsyncIterable<Page> =>
    pagesOf({ read, name, path, query, limits, pageSizes });

  return {
    name,
    concurrency: requests.concurrency,
    send: (wanted) => requests.text(wanted).then(() => undefined, refuse),
    headers: (wanted) => requests.run(wanted, exchangeHeaders).catch(refuse),
    json: (wanted) => read(wanted).then(({ value }) => value, refuse),
    object: (wanted) => read(wanted).then(({ value }) => objectOf(value, requests.exchangeOf(wanted).tried), refuse),
    lines: (wanted, begin) =>
      requests.run(wanted, (it) => textLines(it, { begin, textBytes: limits.textBytes })).catch(refuse),
    async *pages(path, query) {
      try {
        yield* pages(path, query);
      } catch (error) {
        refuse(error);
      }
    },
    abort: responses.abort,
    requests: requests.sent,
    list: <T>(path: string, query = {}, { keep, reading }: Reading<T> = {}) =>
      wholeList(() => pages(path, query), {
        tried: `list ${path} on ${name}`,
        keep: keep ?? ((item) => item as T),
        reading: reading ?? (() => {}),
      }).catch(refuse),
    async watch(path, query, signal, onEvent, accept) {
      // Spread over four minutes so that the watches of a fleet do not all end together.
      const seconds = 240 + Math.floor(Math.random() * 240);
      const dueMs = input.clock.now() + (seconds - earlySeconds) * 1000;
      const wanted = watchRequest(path, { ...query, timeoutSeconds: String(seconds) });
      const exchange = requests.exchangeOf({ ...wanted, signal, ...(accept && { headers: { accept } }) });
      const end = await watchStream({ ...exchange, silenceMs }, onEvent).catch(refuse);
      return end === 'ended' && input.clock.now() < dueMs ? 'cut' : end;
    },
  };
}

function watchRequest(path: string, query: Readonly<Record<string, string>>): Request {
  const search = new URLSearchParams({ ...query, watch: 'true', allowWatchBookmarks: 'true' });
  return { method: 'GET', path: `${path}?${search}`, tried: `watch ${path}`, urgent: true };
}

function objectOf(value: unknown, tried: string): Manifest {
  const fault = objectFault(value);
  if (fault !== undefined) throw badResponse(tried, `the response is not an object: ${fault}`);
  return value as Manifest;
}

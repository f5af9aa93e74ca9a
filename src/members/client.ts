import type { Manifest } from '../api/meta.ts';
import { ApiError, UnreachableError } from './api-error.ts';
import { type Clock, sleep } from './clock.ts';
import { Limiter } from './limiter.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** Requests in flight to one member. Kubernetes' own clients default to about this many useful ones. */
const concurrency = 8;
const requestTimeoutMs = 30_000;
/** Throttled or failing requests are tried this often in all; then the actor's own back-off takes over. */
const attempts = 4;

export interface ListPage {
  readonly items: readonly Manifest[];
  readonly resourceVersion: string;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Manifest }
  | { readonly type: 'BOOKMARK'; readonly object: Manifest }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly message?: string } };

export interface MemberClient {
  /** A JSON answer; rejects with ApiError or UnreachableError. */
  request<T>(input: Omit<TransportRequest, 'headers'> & { readonly headers?: Record<string, string> }): Promise<T>;
  /** Every page of a list, at most 500 objects a request. */
  list(path: string, query?: Readonly<Record<string, string>>): Promise<ListPage>;
  /** Events until the server ends the watch; rejects when the connection breaks or falls silent. */
  watch(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): AsyncIterable<WatchEvent>;
  readonly requests: () => number;
  /** Instant of the last answer of any kind, milliseconds; undefined before the first. */
  readonly lastContact: () => number | undefined;
}

/** Raw JSON requests to one member, pooled and limited by the transport and this client. */
export function memberClient(input: {
  readonly name: string;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Silence after which a watch counts as half-open. The server sends bookmarks about every minute. */
  readonly watchSilenceMs?: number;
}): MemberClient {
  const limiter = new Limiter(concurrency);
  let requests = 0;
  let lastContact: number | undefined;

  async function send(request: TransportRequest, tried: string) {
    requests++;
    try {
      const response = await input.transport(request);
      lastContact = input.clock.now();
      return response;
    } catch (error) {
      throw new UnreachableError(tried, error);
    }
  }

  async function once<T>(request: TransportRequest, tried: string): Promise<T> {
    const timeout = AbortSignal.timeout(requestTimeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    const response = await send({ ...request, signal }, tried);
    const body = await readText(response.body, tried);
    if (response.status >= 400) {
      throw new ApiError({ tried, status: response.status, body, retryAfter: response.headers['retry-after'] });
    }
    try {
      return (body === '' ? undefined : JSON.parse(body)) as T;
    } catch {
      return body as T;
    }
  }

  const request: MemberClient['request'] = <T>(wanted: Parameters<MemberClient['request']>[0]): Promise<T> => {
    const tried = `${wanted.method} ${wanted.path.split('?')[0]} on ${input.name}`;
    const headers = { accept: 'application/json', ...wanted.headers };
    return limiter.run(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once<T>({ ...wanted, headers }, tried);
        } catch (error) {
          const again = error instanceof ApiError && error.transient && attempt < attempts && !wanted.signal?.aborted;
          if (!again) throw error;
          // Full jitter keeps many members that were throttled together from coming back together.
          const backoff = Math.random() * 250 * 2 ** attempt;
          await sleep(input.clock, Math.min(error.retryAfterMs ?? backoff, 30_000), wanted.signal);
        }
      }
    });
  };

  return {
    request,
    requests: () => requests,
    lastContact: () => lastContact,
    async list(path, query = {}) {
      const items: Manifest[] = [];
      let token: string | undefined;
      for (;;) {
        const search = new URLSearchParams({ ...query, limit: '500', ...(token ? { continue: token } : {}) });
        let page: ListAnswer;
        try {
          page = await request<ListAnswer>({ method: 'GET', path: `${path}?${search}` });
        } catch (error) {
          // An expired continue token: begin again, the list must be of one moment.
          if (!(error instanceof ApiError && error.status === 410 && token)) throw error;
          items.length = 0;
          token = undefined;
          continue;
        }
        const kind = page.kind.replace(/List$/, '');
        for (const item of page.items ?? [])
          items.push({ ...item, apiVersion: page.apiVersion, kind: item.kind ?? kind });
        token = page.metadata.continue || undefined;
        if (!token) return { items, resourceVersion: page.metadata.resourceVersion };
      }
    },
    async *watch(path, query, signal) {
      const seconds = 240 + Math.floor(Math.random() * 240);
      const search = new URLSearchParams({
        ...query,
        watch: 'true',
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(seconds),
      });
      const tried = `watch ${path} on ${input.name}`;
      const abort = new AbortController();
      const stop = AbortSignal.any([signal, abort.signal]);
      let cancelSilence = () => {};
      const listen = () => {
        cancelSilence();
        cancelSilence = input.clock.after(input.watchSilenceMs ?? 150_000, () =>
          abort.abort(new Error('no event and no bookmark: the connection is half-open')),
        );
      };
      listen();
      try {
        const response = await send(
          { method: 'GET', path: `${path}?${search}`, headers: { accept: 'application/json' }, signal: stop },
          tried,
        );
        if (response.status >= 400) {
          const body = await readText(response.body, tried);
          throw new ApiError({ tried, status: response.status, body, retryAfter: response.headers['retry-after'] });
        }
        for await (const line of lines(abortable(response.body, stop), tried)) {
          listen();
          lastContact = input.clock.now();
          yield JSON.parse(line) as WatchEvent;
        }
      } finally {
        cancelSilence();
      }
    },
  };
}

interface ListAnswer {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items?: readonly Manifest[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

async function readText(body: AsyncIterable<Uint8Array>, tried: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    throw new UnreachableError(tried, error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function* lines(body: AsyncIterable<Uint8Array>, tried: string): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      rest += decoder.decode(chunk, { stream: true });
      let end = rest.indexOf('\n');
      while (end >= 0) {
        const line = rest.slice(0, end).trim();
        rest = rest.slice(end + 1);
        if (line !== '') yield line;
        end = rest.indexOf('\n');
      }
    }
  } catch (error) {
    throw new UnreachableError(tried, error);
  }
}

/** A transport need not honour the signal while its body is silent; this does. */
async function* abortable(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    void iterator.return?.(undefined).catch?.(() => {});
  }
}

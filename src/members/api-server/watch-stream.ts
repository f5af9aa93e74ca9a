import type { Manifest } from '../../api/meta.ts';
import { ApiError, retryAfterMs, UnreachableError } from './api-error.ts';
import { deadline, orAborted } from './deadline.ts';
import { eachLine } from './each-line.ts';
import { type Exchange, exchange } from './exchange.ts';

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Manifest }
  | { readonly type: 'BOOKMARK'; readonly object: Manifest };

/**
 * How a watch ended without an error. `silent`: nothing was received for so long that the connection may be half-open. It may also
 * be intact: servers send bookmarks only for changes after the requested version (cacheWatcher.process), and if etcd does not report
 * its progress, a kind without changes has none.
 */
export type WatchEnd = 'ended' | 'silent';

/**
 * Passes events on until the server ends the watch or is silent for `silenceMs`. Errors: ApiError when the server refuses, also
 * within the stream (410: the version has expired); UnreachableError when the connection breaks or gets no response.
 */
export async function watchStream(
  input: Exchange & { readonly silenceMs: number },
  onEvent: (event: WatchEvent) => void,
): Promise<WatchEnd> {
  const { clock, tried, request, silenceMs } = input;
  const time = deadline({ clock, ms: input.timeoutMs, by: [request.signal, input.life] });
  let accepted = false;
  try {
    const response = await orAborted(input.transport({ ...request, signal: time.signal }), time.signal);
    if (response.status >= 400) {
      const body = await exchange({ ...input, transport: async () => ({ ...response, status: 200 }) });
      throw new ApiError({ tried, status: response.status, body, retryAfterMs: retryAfterMs(response.headers) });
    }
    accepted = true;
    time.renew(silenceMs);
    await eachLine(response.body, time.signal, (line) => {
      time.renew(silenceMs);
      onEvent(eventOf(line, tried));
    });
    return 'ended';
  } catch (error) {
    if (accepted && time.expired() && error === time.signal.reason) return 'silent';
    throw error instanceof ApiError ? error : new UnreachableError(tried, error);
  } finally {
    time.end();
  }
}

function eventOf(line: string, tried: string): WatchEvent {
  const event = JSON.parse(line) as WatchEvent | { type: 'ERROR'; object?: { code?: number } };
  if (event.type !== 'ERROR') return event;
  throw new ApiError({ tried, status: event.object?.code ?? 500, body: JSON.stringify(event.object ?? {}) });
}

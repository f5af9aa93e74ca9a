import type { Manifest } from '../../api/meta.ts';
import { isFields } from '../../engine/kernel/fields.ts';
import { ApiError, badResponse, quoted, UnreachableError } from './api-error.ts';
import { deadline, orAborted } from './deadline.ts';
import { eachLine } from './each-line.ts';
import { type Exchange, exchange } from './exchange.ts';
import { objectFault } from './object-fault.ts';
import { checkValues, readJson } from './read-json.ts';

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Manifest }
  | { readonly type: 'BOOKMARK'; readonly object: Manifest };

/**
 * How a watch ended without an error. `cut`: before its time, as where a server is restarted. `silent`: nothing was received for so
 * long that the connection may be half-open. It may also be intact: servers send bookmarks only for changes after the requested version
 * (cacheWatcher.process), and if etcd does not report its progress, a kind without changes has none.
 */
export type WatchEnd = 'ended' | 'cut' | 'silent';

/**
 * Passes events on until the server ends the watch or is silent for `silenceMs`. Errors: ApiError when the server refuses, also
 * in the stream (410: our version has expired), or sends data that is not an event; BeyondLimit for a line that is too long;
 * UnreachableError when the connection breaks or there is no response.
 */
export async function watchStream(
  input: Exchange & { readonly silenceMs: number },
  onEvent: (event: WatchEvent) => void,
): Promise<Exclude<WatchEnd, 'cut'>> {
  const { clock, tried, request, silenceMs } = input;
  const time = deadline({ clock, ms: input.timeoutMs, by: [request.signal, input.life] });
  const inFlight = input.responses.open(tried, time.abort);
  let accepted = false;
  try {
    const response = await orAborted(input.transport({ ...request, signal: time.signal }), time.signal);
    if (response.status >= 300) {
      await exchange({ ...input, transport: async () => response });
      return 'ended';
    }
    accepted = true;
    time.renew(silenceMs);
    await eachLine(
      response.body,
      time.signal,
      (line) => {
        time.renew(silenceMs);
        checkValues(line, input);
        onEvent(eventOf(readJson(line, tried), tried));
      },
      inFlight.hold,
    );
    return 'ended';
  } catch (error) {
    if (accepted && time.expired() && error === time.signal.reason) return 'silent';
    throw error instanceof ApiError || error instanceof UnreachableError ? error : new UnreachableError(tried, error);
  } finally {
    inFlight.end();
    time.end();
  }
}

function eventOf(sent: unknown, tried: string): WatchEvent {
  if (!isFields(sent)) throw noEvent(tried, sent);
  const { type, object } = sent;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const fault = objectFault(object);
      if (fault !== undefined) throw badResponse(tried, `an event without an object: ${fault}`);
      return { type, object: object as unknown as Manifest };
    }
    case 'BOOKMARK':
      if (!isFields(object) || !isFields(object['metadata']) || !isText(object['metadata']['resourceVersion']))
        throw noEvent(tried, sent);
      return { type, object: object as unknown as Manifest };
    case 'ERROR': {
      const code = isFields(object) ? object['code'] : undefined;
      throw new ApiError({
        tried,
        status: typeof code === 'number' ? code : 500,
        body: JSON.stringify(object ?? {}),
      });
    }
    default:
      throw noEvent(tried, sent);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';

const noEvent = (tried: string, sent: unknown): ApiError =>
  badResponse(tried, `the member did not send an event of a watch: ${quoted(JSON.stringify(sent))}`);

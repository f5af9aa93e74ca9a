import type { Clock } from '../clock.ts';
import { ApiError, BeyondLimit, badResponse, quoted, retryAfterMs, UnreachableError } from './api-error.ts';
import { deadline, orAborted } from './deadline.ts';
import { eachChunk } from './each-chunk.ts';
import { gatheredBytes } from './gathered-bytes.ts';
import { checkValues } from './read-json.ts';
import type { ResponsesInFlight } from './responses-in-flight.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface Exchange {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly request: TransportRequest;
  /** The operation, for messages. */
  readonly tried: string;
  readonly timeoutMs: number;
  readonly responses: ResponsesInFlight;
  /** Most memory that the response may take when it is parsed. */
  readonly parsedBytes: number;
  /** Ends every exchange of the member. */
  readonly life: AbortSignal;
}

/**
 * One request and its whole response as text. Errors: ApiError when the server refuses or redirects, BeyondLimit when the response is too
 * large, otherwise UnreachableError: no response within the time, or the connection or the response breaks off.
 */
export async function exchange(input: Exchange): Promise<string> {
  const { clock, timeoutMs, tried, request } = input;
  const time = deadline({ clock, ms: timeoutMs, by: [request.signal, input.life] });
  const inFlight = input.responses.open(tried, time.abort);
  const gathered = gatheredBytes();
  try {
    const response = await orAborted(input.transport({ ...request, signal: time.signal }), time.signal);
    await eachChunk(response.body, time.signal, (chunk) => {
      gathered.add(chunk);
      inFlight.hold(gathered.taken());
      return inFlight.turn();
    });
    // Before it is decoded: text stays until a full garbage collection.
    const text = gathered.text((bytes) => checkValues(bytes, input));
    if (response.status < 300) return text;
    throw refusalOf(response, text, tried);
  } catch (error) {
    throw error instanceof ApiError || error instanceof BeyondLimit ? error : new UnreachableError(tried, error);
  } finally {
    gathered.release();
    inFlight.end();
    time.end();
  }
}

/** The same, with the headers of the response. */
export async function exchangeHeaders(input: Exchange): Promise<TransportResponse['headers']> {
  let headers: TransportResponse['headers'] = {};
  const transport: Transport = async (request) => {
    const response = await input.transport(request);
    headers = response.headers;
    return response;
  };
  await exchange({ ...input, transport });
  return headers;
}

function refusalOf({ status, headers }: TransportResponse, body: string, tried: string): ApiError {
  if (status >= 400) return new ApiError({ tried, status, body, retryAfterMs: retryAfterMs(headers) });
  const where = headers['location'] === undefined ? '' : ` to ${quoted(headers['location'])}`;
  return badResponse(
    tried,
    `redirected${where}, which is not followed since credentials would be sent there: let the kubeconfig name the API server itself`,
    status,
  );
}

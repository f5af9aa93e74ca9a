import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../clock.ts';
import { ApiError, BeyondLimit, badResponse, quoted, retryAfterMs, UnreachableError } from './api-error.ts';
import { deadline, orAborted } from './deadline.ts';
import { bufferOf, chunkBytes, eachChunk } from './each-chunk.ts';
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
  /** Ends every exchange of the member. */
  readonly life: AbortSignal;
}

/**
 * One request and its whole response as text. Errors: ApiError when the server refuses or redirects, BeyondLimit when the response is too large,
 * otherwise UnreachableError: no response within the time, or the connection or the response breaks off.
 */
export async function exchange(input: Exchange): Promise<string> {
  const { clock, timeoutMs, tried, request } = input;
  const time = deadline({ clock, ms: timeoutMs, by: [request.signal, input.life] });
  const inFlight = input.responses.open(tried, time.abort);
  try {
    const response = await orAborted(input.transport({ ...request, signal: time.signal }), time.signal);
    // Decoded as it is received: chunks would stay in memory until a full garbage collection, however large they are.
    const decoder = new StringDecoder('utf8');
    let text = '';
    let bytes = 0;
    await eachChunk(response.body, time.signal, (chunk) => {
      bytes += chunkBytes(chunk.length);
      inFlight.hold(bytes);
      text += decoder.write(bufferOf(chunk));
    });
    text += decoder.end();
    if (response.status < 300) return text;
    throw refusalOf(response, text, tried);
  } catch (error) {
    throw error instanceof ApiError || error instanceof BeyondLimit ? error : new UnreachableError(tried, error);
  } finally {
    inFlight.end();
    time.end();
  }
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

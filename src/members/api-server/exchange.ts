import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../clock.ts';
import type { AnswersInFlight } from './answers-in-flight.ts';
import { ApiError, BeyondLimit, badAnswer, quoted, retryAfterMs, UnreachableError } from './api-error.ts';
import { deadline, orAborted } from './deadline.ts';
import { bufferOf, chunkBytes, eachChunk } from './each-chunk.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface Exchange {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly request: TransportRequest;
  /** What is tried, for messages. */
  readonly tried: string;
  readonly timeoutMs: number;
  readonly answers: AnswersInFlight;
  /** Ends every exchange of the member. */
  readonly life: AbortSignal;
}

/**
 * One request and its whole answer as text. Errors: ApiError when the server refuses or redirects, BeyondLimit when the response is too large,
 * otherwise UnreachableError: there is no answer within the time, the connection breaks or the answer breaks off.
 */
export async function exchange(input: Exchange): Promise<string> {
  const { clock, timeoutMs, tried, request } = input;
  const time = deadline({ clock, ms: timeoutMs, by: [request.signal, input.life] });
  const answer = input.answers.open(tried, time.abort);
  try {
    const response = await orAborted(input.transport({ ...request, signal: time.signal }), time.signal);
    // Decoded as it comes: kept chunks would stay until V8 collects all of its memory, however large they are.
    const decoder = new StringDecoder('utf8');
    let text = '';
    let bytes = 0;
    await eachChunk(response.body, time.signal, (chunk) => {
      bytes += chunkBytes(chunk.length);
      answer.hold(bytes);
      text += decoder.write(bufferOf(chunk));
    });
    text += decoder.end();
    if (response.status < 300) return text;
    throw refusalOf(response, text, tried);
  } catch (error) {
    throw error instanceof ApiError || error instanceof BeyondLimit ? error : new UnreachableError(tried, error);
  } finally {
    answer.end();
    time.end();
  }
}

function refusalOf({ status, headers }: TransportResponse, body: string, tried: string): ApiError {
  if (status >= 400) return new ApiError({ tried, status, body, retryAfterMs: retryAfterMs(headers) });
  const where = headers['location'] === undefined ? '' : ` to ${quoted(headers['location'])}`;
  return badAnswer(
    tried,
    `redirected${where}, which is not followed since credentials would go along: let the kubeconfig name the API server itself`,
    status,
  );
}

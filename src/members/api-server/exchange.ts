import type { Clock } from '../clock.ts';
import { ApiError, retryAfterMs, UnreachableError } from './api-error.ts';
import { deadline, orAborted } from './deadline.ts';
import { eachChunk } from './each-chunk.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** One answer may be this large: 500 objects a page, etcd holds objects of at most 1.5 MiB, most are a few KiB. */
const mostBytes = 256 * 2 ** 20;

export interface Exchange {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly request: TransportRequest;
  /** What is tried, for messages. */
  readonly tried: string;
  readonly timeoutMs: number;
  /** Ends every exchange of the member. */
  readonly life: AbortSignal;
}

/**
 * One request and its whole answer as text. Errors: ApiError when the server refuses, UnreachableError when there is no
 * answer within the time, when the connection breaks or when the answer breaks off.
 */
export async function exchange(input: Exchange): Promise<string> {
  const { clock, timeoutMs, tried, request } = input;
  const time = deadline({ clock, ms: timeoutMs, by: [request.signal, input.life] });
  try {
    const response = await orAborted(input.transport({ ...request, signal: time.signal }), time.signal);
    const chunks: Uint8Array[] = [];
    let size = 0;
    await eachChunk(response.body, time.signal, (chunk) => {
      size += chunk.length;
      if (size > mostBytes) {
        const body = `the answer is larger than ${mostBytes / 2 ** 20} MiB`;
        throw new ApiError({ tried, status: 413, body });
      }
      chunks.push(chunk);
    });
    const body = Buffer.concat(chunks).toString('utf8');
    if (response.status < 400) return body;
    throw new ApiError({ tried, status: response.status, body, retryAfterMs: retryAfterMs(response.headers) });
  } catch (error) {
    throw error instanceof ApiError ? error : new UnreachableError(tried, error);
  } finally {
    time.end();
  }
}

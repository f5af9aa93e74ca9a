import type { Clock } from '../clock.ts';
import { ApiError, retryAfterMs, UnreachableError } from './api-error.ts';
import { deadline, orAborted } from './deadline.ts';
import { eachChunk } from './each-chunk.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** Largest response: pages have 500 objects, most of a few KiB; etcd limits an object to 1.5 MiB. */
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
 * Sends one request and returns the whole response as text. Errors: ApiError when the server refuses; UnreachableError when no
 * response comes in time, the connection breaks, or the response is cut off.
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
        const body = `the response is larger than ${mostBytes / 2 ** 20} MiB`;
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

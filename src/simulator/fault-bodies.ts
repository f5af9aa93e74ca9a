import { type Clock, sleep } from '../members/clock.ts';
import { isStream, type SimResponse } from './serve/http.ts';

/** Any body as chunks. */
export const chunksOf = (body: SimResponse['body']): AsyncIterable<Uint8Array> =>
  isStream(body) ? body : oneChunk(body);

async function* oneChunk(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof body === 'string' ? Buffer.from(body) : body;
}

/** Ten pieces with pauses between them; a stream gets a pause before each chunk. */
export const slowly = (
  response: SimResponse,
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
): SimResponse => ({
  ...response,
  body: (async function* () {
    for await (const chunk of chunksOf(response.body)) {
      const step = Math.max(1, Math.ceil(chunk.length / 10));
      for (let at = 0; at < chunk.length; at += step) {
        await sleep(clock, ms / 10, signal);
        yield chunk.subarray(at, at + step);
      }
    }
  })(),
});

/** Half of the body, or of the first chunk of a stream, and then an error. */
export const breaking = (response: SimResponse, errorOf: () => Error): SimResponse => ({
  ...response,
  body: (async function* () {
    for await (const chunk of chunksOf(response.body)) {
      yield chunk.subarray(0, Math.floor(chunk.length / 2));
      break;
    }
    throw errorOf();
  })(),
});

/** Headers, and then nothing until the client disconnects. An error response is passed on. */
export const silent = (response: SimResponse, signal: AbortSignal | undefined): SimResponse => {
  if (response.status !== 200 || !isStream(response.body)) return response;
  const { body } = response;
  return {
    ...response,
    body: (async function* () {
      await new Promise<void>((resolve) => {
        if (signal?.aborted) resolve();
        else signal?.addEventListener('abort', () => resolve(), { once: true });
      });
      for await (const _ of body) break;
    })(),
  };
};

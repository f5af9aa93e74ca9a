/** What a chunk takes, with its buffer: one may have a single byte. */
export const chunkBytes = (length: number): number => length + 256;

/** The same bytes. */
export const bufferOf = (chunk: Uint8Array): Buffer => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

/**
 * Calls `take` with every chunk of a body until it ends, and waits for it before it reads on. Rejects when the body breaks, when `take`
 * throws, and with its reason when the signal is aborted; the body is then released. Not a chain of generators: a daemon reads ten thousand
 * bodies at once, and each would hold half a dozen generators.
 */
export function eachChunk(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  take: (chunk: Uint8Array) => Promise<void> | void,
): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  let over = false;

  return new Promise((resolve, reject) => {
    function end(settle: () => void): void {
      if (over) return;
      over = true;
      signal.removeEventListener('abort', aborted);
      // Not awaited: a silent body would never settle it.
      void chunks.return?.(undefined)?.catch(() => {});
      settle();
    }
    const fail = (error: unknown): void => end(() => reject(error));
    const aborted = (): void => fail(signal.reason);

    function taken({ done, value }: IteratorResult<Uint8Array>): void {
      if (over) return;
      if (done) {
        end(resolve);
        return;
      }
      try {
        const waiting = take(value);
        if (waiting) waiting.then(read, fail);
        else read();
      } catch (error) {
        fail(error);
      }
    }
    const read = (): void => {
      if (!over) void chunks.next().then(taken, fail);
    };

    if (signal.aborted) aborted();
    else {
      signal.addEventListener('abort', aborted, { once: true });
      read();
    }
  });
}

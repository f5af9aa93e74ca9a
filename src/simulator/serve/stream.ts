/** A body that is written while it is read: chunks wait for the reader, which may disconnect at any time. */
export interface Stream {
  readonly body: AsyncIterable<Uint8Array>;
  write(chunk: Uint8Array): void;
  /** The reader sees the end after what was written. */
  end(): void;
  /** The reader sees an error, as when a connection is reset. */
  fail(error: Error): void;
}

/** Unread chunks after which a reader counts as disconnected, so that a watcher that does not read cannot fill memory. */
const mostWaiting = 20_000;

/** `closed` is called once: when the reader stops, the stream ends or its signal is aborted. */
export function openStream(closed: () => void, signal: AbortSignal | undefined): Stream {
  const waiting: Uint8Array[] = [];
  let reader: { resolve(next: IteratorResult<Uint8Array>): void; reject(error: Error): void } | undefined;
  let state: 'open' | 'ended' | Error = 'open';
  let isClosed = false;

  function close(next: 'ended' | Error): void {
    if (state === 'open') state = next;
    if (!isClosed) {
      isClosed = true;
      signal?.removeEventListener('abort', aborted);
      closed();
    }
    hand();
  }
  const aborted = () => close(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal?.addEventListener('abort', aborted, { once: true });
  if (signal?.aborted) aborted();

  /** Passes the next chunk to a waiting reader. */
  function hand(): void {
    if (!reader) return;
    const chunk = waiting.shift();
    if (chunk) reader.resolve({ done: false, value: chunk });
    else if (state === 'ended') reader.resolve({ done: true, value: undefined });
    else if (state instanceof Error) reader.reject(state);
    else return;
    reader = undefined;
  }

  // Not a generator: with ten thousand watches each waiting generator would take some KB.
  const chunks: AsyncIterator<Uint8Array> = {
    next: () =>
      new Promise((resolve, reject) => {
        reader = { resolve, reject };
        hand();
      }),
    async return() {
      close('ended');
      return { done: true, value: undefined };
    },
  };

  return {
    body: { [Symbol.asyncIterator]: () => chunks },
    write(chunk) {
      if (state !== 'open') return;
      if (waiting.length >= mostWaiting) close(new Error('the reader is too slow'));
      waiting.push(chunk);
      hand();
    },
    end: () => close('ended'),
    fail: (error) => close(error),
  };
}

/** A body that is written while it is read: chunks wait for the reader, who may go away at any time. */
export interface Stream {
  readonly body: AsyncIterable<Uint8Array>;
  write(chunk: Uint8Array): void;
  /** The reader sees the end after what was written. */
  end(): void;
  /** The reader sees an error, as when a connection is reset. */
  fail(error: Error): void;
}

/** Chunks that a reader leaves lying before it counts as gone: a watcher that does not read must not fill the memory. */
const mostWaiting = 20_000;

/** `closed` is called once: when the reader stops, the stream ends or its signal is aborted. */
export function openStream(closed: () => void, signal: AbortSignal | undefined): Stream {
  const waiting: Uint8Array[] = [];
  let reader: { resolve(next: IteratorResult<Uint8Array>): void; reject(error: Error): void } | undefined;
  let state: 'open' | 'ended' | Error = 'open';
  let told = false;

  function close(next: 'ended' | Error): void {
    if (state === 'open') state = next;
    if (!told) {
      told = true;
      signal?.removeEventListener('abort', aborted);
      closed();
    }
    hand();
  }
  const aborted = () => close(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal?.addEventListener('abort', aborted, { once: true });
  if (signal?.aborted) aborted();

  /** Gives what there is to the reader who waits for it. */
  function hand(): void {
    if (!reader) return;
    const chunk = waiting.shift();
    if (chunk) reader.resolve({ done: false, value: chunk });
    else if (state === 'ended') reader.resolve({ done: true, value: undefined });
    else if (state instanceof Error) reader.reject(state);
    else return;
    reader = undefined;
  }

  // By hand, not as a generator: members are watched ten thousand at once, and a waiting generator takes some KB.
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

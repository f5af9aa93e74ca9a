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
  let wake = () => {};
  let state: 'open' | 'ended' | Error = 'open';
  let told = false;

  function close(next: 'ended' | Error): void {
    if (state === 'open') state = next;
    if (!told) {
      told = true;
      signal?.removeEventListener('abort', aborted);
      closed();
    }
    wake();
  }
  const aborted = () => close(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal?.addEventListener('abort', aborted, { once: true });
  if (signal?.aborted) aborted();

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = waiting.shift();
        if (chunk) {
          yield chunk;
          continue;
        }
        if (state === 'ended') return;
        if (state instanceof Error) throw state;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      close('ended');
    }
  }

  return {
    body: read(),
    write(chunk) {
      if (state !== 'open') return;
      if (waiting.length >= mostWaiting) close(new Error('the reader is too slow'));
      waiting.push(chunk);
      wake();
    },
    end: () => close('ended'),
    fail: (error) => close(error),
  };
}

/** Time as a port: real in production, faster or virtual in the demo and in tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once, `ms` of this clock's time from now; the returned function cancels. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, 2_147_483_647));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` of the clock's time, or at once when `signal` is aborted. Never rejects. */
export const sleep = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    let cancel = () => {};
    const wake = () => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    signal?.addEventListener('abort', wake, { once: true });
    cancel = clock.after(ms, wake);
  });

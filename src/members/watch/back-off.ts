import { type Clock, sleep } from '../clock.ts';

/** Waits between attempts, which get longer while attempts fail. */
export interface BackOff {
  /** Waits, and makes the next wait twice as long, up to `longestMs` (default: one minute). */
  pause(longestMs?: number): Promise<void>;
  /** An attempt succeeded: the next wait is the shortest. */
  reset(): void;
  /** Waits if an attempt failed recently, and counts this failure. */
  pauseUnlessFirst(): Promise<void>;
  /** Ends the present wait and resets the back-off. */
  nudge(): void;
}

/** First retry after a broken watch; doubles with jitter up to a minute. */
const firstRetryMs = 500;
const longestRetryMs = 60_000;

export function backOff(clock: Clock, stop: AbortSignal): BackOff {
  let retryMs = firstRetryMs;
  let nudged = new AbortController();
  stop.addEventListener('abort', () => nudged.abort(), { once: true });

  async function pause(longestMs = longestRetryMs): Promise<void> {
    const ms = Math.min(retryMs, longestMs);
    retryMs = Math.min(retryMs * 2, longestMs);
    if (stop.aborted) return;
    nudged = new AbortController();
    await sleep(clock, ms / 2 + Math.random() * (ms / 2), nudged.signal);
  }

  return {
    pause,
    reset() {
      retryMs = firstRetryMs;
    },
    async pauseUnlessFirst() {
      if (retryMs > firstRetryMs) await pause();
      else retryMs *= 2;
    },
    nudge() {
      retryMs = firstRetryMs;
      nudged.abort();
    },
  };
}

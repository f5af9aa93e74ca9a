import { type Clock, sleep } from '../clock.ts';

/** Waits between attempts that get longer while they fail. */
export interface BackOff {
  /** Waits, and makes the next wait twice as long, up to a minute. */
  pause(): Promise<void>;
  /** An attempt went well: the next wait is the shortest. */
  reset(): void;
  /** Waits unless nothing has gone wrong of late; that it has is noted. */
  pauseUnlessFirst(): Promise<void>;
}

/** First retry after a broken watch; doubles with jitter up to a minute. */
const firstRetryMs = 500;
const longestRetryMs = 60_000;

export function backOff(clock: Clock, stop: AbortSignal): BackOff {
  let retryMs = firstRetryMs;

  async function pause(): Promise<void> {
    await sleep(clock, retryMs / 2 + Math.random() * (retryMs / 2), stop);
    retryMs = Math.min(retryMs * 2, longestRetryMs);
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
  };
}

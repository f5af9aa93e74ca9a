import { type Clock, sleep } from '../clock.ts';

/** Waits between attempts that get longer while they fail. */
export interface BackOff {
  /** Waits, and makes the next wait twice as long, up to `longestMs`, a minute unless said. */
  pause(longestMs?: number): Promise<void>;
  /** An attempt went well: the next wait is the shortest. */
  reset(): void;
  /** Waits unless nothing has gone wrong of late; that it has is noted. */
  pauseUnlessFirst(): Promise<void>;
  /** There is a reason to look soon: the present wait is over, and the next ones are short again. */
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

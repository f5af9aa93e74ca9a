import type { Clock } from './clock.ts';

/** A timer with exponential back-off. */
export interface Retry {
  /** Schedules an attempt, unless one is scheduled. */
  later(): void;
  cancel(): void;
  /** Cancels the scheduled attempt and resets the back-off. */
  reset(): void;
}

/** KubeFleet's work applier starts with 5 s and ends at 15 min. 5 min suffice here, because watches show changes. */
const firstMs = 5_000;
const longestMs = 300_000;

/** Calls `again` after 5 s, then twice as long each time, at most 5 min, with jitter down to three quarters. */
export function retry(clock: Clock, again: () => void): Retry {
  let waitMs = firstMs;
  let planned: (() => void) | undefined;

  function cancel(): void {
    planned?.();
    planned = undefined;
  }

  return {
    cancel,
    later() {
      if (planned) return;
      planned = clock.after(waitMs * (0.75 + Math.random() / 4), () => {
        planned = undefined;
        again();
      });
      waitMs = Math.min(waitMs * 2, longestMs);
    },
    reset() {
      cancel();
      waitMs = firstMs;
    },
  };
}

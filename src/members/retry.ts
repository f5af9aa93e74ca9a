import type { Clock } from './clock.ts';

/** One timer that waits longer each time it is set. */
export interface Retry {
  /** Plans an attempt, unless one is planned. */
  later(): void;
  cancel(): void;
  /** No attempt is planned, and the next wait is the shortest again. */
  reset(): void;
}

/** KubeFleet's work applier begins with 5 s and ends at 15 min; watches tell us what changes, so that 5 min are enough. */
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

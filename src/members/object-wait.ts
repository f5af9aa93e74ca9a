import type { Clock } from './clock.ts';

/** Waits in the middle of an attempt for what the watches will show of its objects. */
export interface ObjectWait {
  /**
   * Resolves when it is over, or after `longestMs`, by default 30 s: neither a stuck finalizer nor a CRD that is never established
   * may block all other objects. One wait at a time.
   */
  until(isOver: () => boolean, longestMs?: number): Promise<void>;
  /** Checks again whether the wait is over. */
  nudge(): void;
}

/** Longest wait of a wave for another one, milliseconds. */
export const longestWaitMs = 30_000;

export function objectWait(clock: Clock): ObjectWait {
  let nudged = () => {};
  return {
    until(isOver, longestMs = longestWaitMs) {
      if (isOver()) return Promise.resolve();
      return new Promise((resolve) => {
        const cancel = clock.after(longestMs, resolve);
        nudged = () => {
          if (!isOver()) return;
          cancel();
          resolve();
        };
      });
    },
    nudge: () => nudged(),
  };
}

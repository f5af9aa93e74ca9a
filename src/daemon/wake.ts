import type { Clock } from '../members/clock.ts';

/** Collects reasons to look again and hands them out one pass at a time. Watchers, webhooks and timers only wake. */
export interface Wake {
  /** Something may have changed. `urgent` does not wait for more to gather. */
  now(reason: string, urgent?: boolean): void;
  /** Wakes at an instant; replaces the one set before. Undefined clears it. */
  at(instant: number | undefined): void;
  /** Resolves with the reasons when there are any; several that come close together are one wake-up. */
  next(): Promise<readonly string[]>;
  stop(): void;
}

/** Changes that come within this time of one another are looked at together, milliseconds of pace. */
const gatherMs = 50;

/** `clock` is the fleet's time, in which instants of a plan are; `pace` the time in which a person waits. */
export function wake(clock: Clock, pace: Clock): Wake {
  let reasons = new Set<string>();
  let resolve: ((reasons: readonly string[]) => void) | undefined;
  let cancelGathering: (() => void) | undefined;
  let cancelTimer = () => {};
  let stopped = false;

  function deliver(): void {
    cancelGathering = undefined;
    if (!resolve || (reasons.size === 0 && !stopped)) return;
    const due = [...reasons];
    reasons = new Set();
    resolve(due);
    resolve = undefined;
  }

  return {
    now(reason, urgent = false) {
      reasons.add(reason);
      if (urgent) {
        cancelGathering?.();
        deliver();
      } else cancelGathering ??= pace.after(gatherMs, deliver);
    },
    at(instant) {
      cancelTimer();
      if (instant === undefined) cancelTimer = () => {};
      // One millisecond late: rules such as "longer ago than" hold only after the instant.
      else
        cancelTimer = clock.after(Math.max(instant - clock.now(), 0) + 1, () =>
          this.now('a time in the plan was reached'),
        );
    },
    next() {
      return new Promise((deliverTo) => {
        resolve = deliverTo;
        if (reasons.size > 0 || stopped) cancelGathering ??= pace.after(gatherMs, deliver);
      });
    },
    stop() {
      stopped = true;
      cancelTimer();
      cancelGathering?.();
      deliver();
    },
  };
}

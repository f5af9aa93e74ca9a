import type { Clock } from '../members/clock.ts';

/** Collects the reasons for the next pass. Watchers, webhooks and timers only wake it. */
export interface Wake {
  /** Something may have changed. `urgent`: without the wait for more changes. */
  now(reason: string, urgent?: boolean): void;
  /** Wakes at an instant, which replaces the earlier one. Undefined clears it. */
  at(instant: number | undefined): void;
  /** Resolves with the reasons when there are any; close ones share a wake-up. */
  next(): Promise<readonly string[]>;
  stop(): void;
}

/** Changes within this time share a pass, milliseconds of pace. */
const gatherMs = 50;

/** `clock` is the fleet's time, in which instants of a plan are; `pace` is real time. */
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

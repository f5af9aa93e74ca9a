import type { Clock } from '../../members/clock.ts';

/** Schedules the pushes of the record. */
export interface PushPace {
  /** The record will change: when it may be pushed, milliseconds of pace; undefined = now. `urgent`: the plan starts something. */
  waitsUntil(urgent: boolean): number | undefined;
  /** The record is up to date: no push waits. */
  unchanged(): void;
  pushed(): void;
}

/** Changes that start nothing are gathered for this time, milliseconds, so that a fast cluster makes one commit, not three. */
const gatherMs = 500;

/** `intervalMs`: least distance between two pushes, milliseconds of pace. */
export function pushPace(pace: Clock, intervalMs: number): PushPace {
  let lastPush = Number.NEGATIVE_INFINITY;
  /** Since when a change waits for its push. */
  let firstSeen: number | undefined;

  return {
    waitsUntil(urgent) {
      const now = pace.now();
      firstSeen ??= now;
      const earliest = lastPush + intervalMs;
      const due = urgent ? earliest : Math.max(earliest, firstSeen + gatherMs);
      return now < due ? due : undefined;
    },
    unchanged() {
      firstSeen = undefined;
    },
    pushed() {
      lastPush = pace.now();
      firstSeen = undefined;
    },
  };
}

import type { Clock } from '../../members/clock.ts';

/** When the next push of the record is due. */
export interface PushPace {
  /** The record would change: when that may be pushed, milliseconds of pace; undefined = now. `urgent`: it starts something. */
  waitsUntil(urgent: boolean): number | undefined;
  /** The record is what it should be: nothing waits. */
  unchanged(): void;
  pushed(): void;
}

/** News that starts nothing is gathered for a moment: a cluster that is done within it makes one commit, not three. */
const gatherMs = 500;

/** `intervalMs`: least distance between two pushes, milliseconds of pace. */
export function pushPace(pace: Clock, intervalMs: number): PushPace {
  let lastPush = Number.NEGATIVE_INFINITY;
  /** Since when a change waits. */
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

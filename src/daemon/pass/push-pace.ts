import type { Clock } from '../../members/clock.ts';

/** `start`: the plan starts something. `news`: people want to know it. `quiet`: they learn it with the next news as well. */
export type Urgency = 'start' | 'news' | 'quiet';

/** Schedules the pushes of the record. */
export interface PushPace {
  /** The record will change: when it may be pushed, milliseconds of pace; undefined = now. */
  waitsUntil(urgency: Urgency): number | undefined;
  /** The record is up to date: no push waits. */
  unchanged(): void;
  pushed(): void;
}

/** Changes that start nothing are gathered for this time, milliseconds, so that a fast cluster makes one commit, not three. */
const gatherMs = 500;

/** Longest time that a change which is no news waits for one that is, milliseconds: until new pods are ready, as a rule. */
const quietMs = 30_000;

export interface PushDistances {
  /** Least distance between two pushes, milliseconds of pace. */
  readonly intervalMs: number;
  /** No later push would bring what waits. */
  readonly once: boolean;
}

export function pushPace(pace: Clock, { intervalMs, once }: PushDistances): PushPace {
  let lastPush = Number.NEGATIVE_INFINITY;
  /** When what waits has waited long enough. */
  let due = Number.POSITIVE_INFINITY;
  /** The record was up to date since the start: before that, users wait for the first outcome. */
  let isKnown = false;

  return {
    waitsUntil(urgency) {
      const now = pace.now();
      const waitsMs = { start: 0, news: gatherMs, quiet: once || !isKnown ? gatherMs : quietMs };
      due = Math.min(due, now + waitsMs[urgency]);
      const at = Math.max(lastPush + intervalMs, due);
      return now < at ? at : undefined;
    },
    unchanged() {
      isKnown = true;
      due = Number.POSITIVE_INFINITY;
    },
    pushed() {
      isKnown = true;
      lastPush = pace.now();
      due = Number.POSITIVE_INFINITY;
    },
  };
}

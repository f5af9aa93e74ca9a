import type { Clock } from '../members/clock.ts';

/** Time of a simulated fleet: the same port that members and daemon use, so one clock can drive all of them. */
export type SimClock = Clock;

/** A clock that moves only on request: due timers run in order of their instant, then of their creation. */
export interface ManualClock extends SimClock {
  /** Advances time by `ms` (0 or more); timers that run may set new ones, which run too when they are due. */
  advance(ms: number): void;
  /** Runs timers until none is left or `limitMs` of time have passed; returns whether none is left. */
  runUntilIdle(limitMs: number): boolean;
  /** Instant of the next timer. */
  next(): number | undefined;
  pending(): number;
}

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

export function manualClock(beginMs: number): ManualClock {
  let now = beginMs;
  let order = 0;
  const timers = new Set<Timer>();

  function next(until: number): Timer | undefined {
    let best: Timer | undefined;
    for (const timer of timers) {
      if (timer.due > until) continue;
      if (!best || timer.due < best.due || (timer.due === best.due && timer.order < best.order)) best = timer;
    }
    return best;
  }

  function runUntil(until: number): void {
    for (let timer = next(until); timer; timer = next(until)) {
      timers.delete(timer);
      now = Math.max(now, timer.due);
      timer.run();
    }
  }

  return {
    now: () => now,
    after(ms, run) {
      const timer = { due: now + Math.ceil(Math.max(0, ms)), order: order++, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const until = now + ms;
      runUntil(until);
      now = until;
    },
    runUntilIdle(limitMs) {
      runUntil(now + limitMs);
      return timers.size === 0;
    },
    next: () => next(Number.POSITIVE_INFINITY)?.due,
    pending: () => timers.size,
  };
}

/** Starts at an instant and runs `speed` times as fast as the real one. */
export function scaledClock(beginMs: number, speed: number): SimClock {
  const began = performance.now();
  return {
    now: () => Math.round(beginMs + (performance.now() - began) * speed),
    after(ms, run) {
      const timer = setTimeout(run, Math.min(ms / speed, 2_147_483_647));
      return () => clearTimeout(timer);
    },
  };
}

import type { Clock } from '../members/clock.ts';

/** A clock that begins at an instant and runs `speed` times as fast as the real one: readiness, soaks and back-offs go by quickly. */
export function acceleratedClock(beginMs: number, speed: number): Clock {
  const began = performance.now();
  return {
    now: () => Math.round(beginMs + (performance.now() - began) * speed),
    after(ms, run) {
      const timer = setTimeout(run, Math.min(ms / speed, 2_147_483_647));
      return () => clearTimeout(timer);
    },
  };
}

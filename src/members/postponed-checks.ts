import type { Clock } from './clock.ts';

/** Checks of objects, each after its own pause. */
export interface Postponed {
  /** Checks the key now or after its pause; does nothing if it waits already, or after `stop`. */
  add(key: string): void;
  stop(): void;
}

/** `pauseMs`: milliseconds before each `look`; 0 = at once. */
export function postponed(clock: Clock, pauseMs: (key: string) => number, look: (key: string) => void): Postponed {
  const waiting = new Map<string, () => void>();
  let stopped = false;
  return {
    add(key) {
      if (stopped || waiting.has(key)) return;
      const pause = pauseMs(key);
      if (pause === 0) return look(key);
      const due = () => {
        waiting.delete(key);
        look(key);
      };
      waiting.set(key, clock.after(pause, due));
    },
    stop() {
      stopped = true;
      for (const cancel of waiting.values()) cancel();
      waiting.clear();
    },
  };
}

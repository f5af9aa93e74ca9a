import type { PatchDetail } from '../../api/placement.ts';
import type { Clock } from '../clock.ts';

/** What was put right on one placement's objects, and how long to wait before it is done again. */
export interface Repairs {
  /** An object was put right; `details` fit for a report. */
  done(key: string, details: readonly PatchDetail[]): void;
  /** Milliseconds until the object should be put right again; 0 the first time. */
  pauseMs(key: string): number;
  /** What was put right of late; undefined when nothing was. */
  recent(key: string): readonly PatchDetail[] | undefined;
  /** True from the third repair on: one may be an accident and two a coincidence, then somebody fights back. */
  disputed(key: string): boolean;
  /** Other objects are wanted now, or none. */
  forget(): void;
}

/** A repair is reported for this long, and counted towards a fight. */
const recentMs = 600_000;
/** Wait before the second repair; doubles up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

interface Repair {
  readonly times: number;
  readonly at: number;
  readonly details: readonly PatchDetail[];
  readonly cancel: () => void;
}

/** `faded` is called when a repair is not reported any more. */
export function repairs(clock: Clock, faded: () => void): Repairs {
  const byKey = new Map<string, Repair>();

  return {
    done(key, details) {
      const before = byKey.get(key);
      before?.cancel();
      const cancel = clock.after(recentMs, () => {
        byKey.delete(key);
        faded();
      });
      byKey.set(key, { times: (before?.times ?? 0) + 1, at: clock.now(), details, cancel });
    },
    pauseMs(key) {
      const repair = byKey.get(key);
      if (!repair) return 0;
      const pause = Math.min(firstPauseMs * 2 ** (repair.times - 1), longestPauseMs);
      return Math.max(repair.at + pause - clock.now(), 0);
    },
    recent: (key) => byKey.get(key)?.details,
    disputed: (key) => (byKey.get(key)?.times ?? 0) > 2,
    forget() {
      for (const { cancel } of byKey.values()) cancel();
      byKey.clear();
    },
  };
}

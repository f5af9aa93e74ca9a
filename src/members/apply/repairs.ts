import type { PatchDetail } from '../../api/placement.ts';
import { isWhole } from '../../engine/bindings/conditions/patch-details.ts';
import { repairReportedMs } from '../../engine/bindings/conditions/reported-repairs.ts';
import type { Clock } from '../clock.ts';

/** What was put right on one placement's objects, and how long to wait before it is done again. */
export interface Repairs {
  /** An object was put right; `details` fit for a report, `who` changed it last, where that is known. */
  done(key: string, details: readonly PatchDetail[], who: string | undefined): void;
  /** Milliseconds until the object should be put right again; 0 the first time. */
  pauseMs(key: string): number;
  /**
   * What was put right of late and when, milliseconds, as long as it is reported and counted towards a fight; undefined when
   * nothing was.
   */
  recent(key: string): { readonly details: readonly PatchDetail[]; readonly at: number } | undefined;
  /**
   * What others did to the object of late, from the third repair on: one may be an accident and two a coincidence, then
   * somebody fights back. Undefined before.
   */
  fight(key: string): readonly Action[] | undefined;
  /** Other objects are wanted now, or none. */
  forget(): void;
}

/** What somebody did to an object since it was put right the first time of late. */
export interface Action {
  readonly what: 'changed' | 'deleted';
  /** Who changed it, as far as members tell; who deletes leaves no name. */
  readonly who: string | undefined;
  readonly times: number;
}

/** Wait before the second repair; doubles up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

interface Repair {
  readonly times: number;
  readonly at: number;
  readonly details: readonly PatchDetail[];
  readonly actions: readonly Action[];
  readonly cancel: () => void;
}

/** `faded` is called when a repair is not reported any more. */
export function repairs(clock: Clock, faded: () => void): Repairs {
  const byKey = new Map<string, Repair>();

  return {
    done(key, details, who) {
      const before = byKey.get(key);
      before?.cancel();
      const cancel = clock.after(repairReportedMs, () => {
        byKey.delete(key);
        faded();
      });
      byKey.set(key, {
        times: (before?.times ?? 0) + 1,
        at: clock.now(),
        details,
        actions: withAction(before?.actions, details, who),
        cancel,
      });
    },
    pauseMs(key) {
      const repair = byKey.get(key);
      if (!repair) return 0;
      const pause = Math.min(firstPauseMs * 2 ** (repair.times - 1), longestPauseMs);
      return Math.max(repair.at + pause - clock.now(), 0);
    },
    recent: (key) => byKey.get(key),
    fight(key) {
      const repair = byKey.get(key);
      return repair !== undefined && repair.times > 2 ? repair.actions : undefined;
    },
    forget() {
      for (const { cancel } of byKey.values()) cancel();
      byKey.clear();
    },
  };
}

/** What was done, and once more: what `details` tell. */
export function withAction(
  actions: readonly Action[] = [],
  details: readonly PatchDetail[],
  by: string | undefined,
): readonly Action[] {
  const [what, who] = details.some(isWhole) ? (['deleted', undefined] as const) : (['changed', by] as const);
  const same = (action: Action): boolean => action.what === what && action.who === who;
  if (!actions.some(same)) return [...actions, { what, who, times: 1 }];
  return actions.map((action) => (same(action) ? { ...action, times: action.times + 1 } : action));
}

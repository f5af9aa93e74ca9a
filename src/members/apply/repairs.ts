import type { PatchDetail } from '../../api/placement.ts';
import { isWhole } from '../../engine/bindings/conditions/patch-details.ts';
import { repairReportedMs } from '../../engine/bindings/conditions/reported-repairs.ts';
import type { Clock } from '../clock.ts';

/** Repairs of the objects of one placement, and their back-off. */
export interface Repairs {
  /** An object was repaired. `details` are redacted for reports; `who` changed it last, if known. */
  done(key: string, details: readonly PatchDetail[], who: string | undefined): void;
  /** Milliseconds until the object may be repaired again; 0 the first time. */
  pauseMs(key: string): number;
  /**
   * Recent repairs and their times, milliseconds, as long as they are reported and counted towards a fight; undefined when there
   * was none.
   */
  recent(key: string): { readonly details: readonly PatchDetail[]; readonly at: number } | undefined;
  /**
   * What others did to the object recently, from the third repair on; undefined before. One change may be an accident and two a
   * coincidence; three are another controller or user that fights the repairs.
   */
  fight(key: string): readonly Action[] | undefined;
  /** The assigned objects changed, or there are none. */
  forget(): void;
}

/** What others did to an object since its first recent repair. */
export interface Action {
  readonly what: 'changed' | 'deleted';
  /** Who changed it, if the member shows it; unknown for deletions. */
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

/** `faded` is called when a repair is no longer reported. */
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

/** The actions, with the one that `details` show counted once more. */
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

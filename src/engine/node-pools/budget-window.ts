import { type Cron, nextHit, parseCron } from '../kernel/cron.ts';
import { civilFromDays, type Instant } from '../kernel/instant.ts';
import type { Window } from '../window/window.ts';

const durationPattern = /^(([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?$/;
const minuteMs = 60_000;

/** Milliseconds of a budget's duration, hours and minutes only (`10h5m`, `90m`); undefined for anything else. */
export function budgetDurationMs(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  const hours = Number(/(\d+)h/.exec(text)?.[1] ?? 0);
  const minutes = Number(/(\d+)m/.exec(text)?.[1] ?? 0);
  return (hours * 60 + minutes) * minuteMs;
}

/**
 * When a budget is active, in UTC (core `pkg/apis/v1/nodepool.go`, IsActive); undefined if schedule or duration cannot be read. A schedule
 * without a hit counts as active, because the library's zero time is not after now. Therefore this is no window of `parseWindow`.
 */
export function budgetWindow(schedule: string, duration: string): Window | undefined {
  const cron = parseCron(schedule);
  const durationMs = budgetDurationMs(duration);
  if (cron === undefined || durationMs === undefined) return undefined;
  return {
    closesAt(instant) {
      const hit = hitAfter(cron, instant - durationMs);
      if (hit === undefined) return Number.POSITIVE_INFINITY;
      return hit <= instant ? hit + durationMs : undefined;
    },
    opensAfter: (instant) => (durationMs === 0 ? undefined : hitAfter(cron, instant)),
  };
}

/**
 * The first hit strictly after an instant, as robfig/cron v3 searches it: not beyond the fifth following calendar year. Undefined = it
 * finds none.
 */
function hitAfter(cron: Cron, after: Instant): Instant | undefined {
  const hit = nextHit(cron, 'UTC', after);
  if (hit === undefined || hit - after <= fiveYearsMs) return hit;
  // It begins one second later.
  return yearOf(hit) <= yearOf(after + 1000) + 5 ? hit : undefined;
}

/** At least so long an instant lies before the end of the fifth following year. */
const fiveYearsMs = 5 * 365 * 86_400_000;

const yearOf = (at: Instant): number => civilFromDays(Math.floor(at / 86_400_000))[0];

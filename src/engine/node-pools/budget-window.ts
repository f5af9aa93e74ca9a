import { type Cron, nextHit, parseCron } from '../kernel/cron.ts';
import { civilFromDays, type Instant } from '../kernel/instant.ts';
import type { Window } from '../window/window.ts';

const durationPattern = /^(([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?$/;
const minuteMs = 60_000;
const dayMs = 86_400_000;

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
  const joinsDays = dayGapMs(cron) <= durationMs;
  return {
    closesAt(instant) {
      const hit = hitAfter(cron, instant - durationMs);
      if (hit === undefined) return Number.POSITIVE_INFINITY;
      if (hit > instant) return undefined;
      return (joinsDays ? lastOfDays(cron, hit) : hit) + durationMs;
    },
    opensAfter: (instant) => (durationMs === 0 ? undefined : hitAfter(cron, instant)),
  };
}

/** The longest time between two hits on days that follow one another: a window as long does not close there. */
function dayGapMs({ hours, minutes }: Cron): number {
  const hits = hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * minuteMs));
  return Math.max(...hits.map((hit, at) => (hits[at + 1] ?? hits[0]! + dayMs) - hit));
}

/** The last hit of the days that follow the hit's own without one between them that has none; Infinity = there always is another. */
function lastOfDays({ hours, minutes, hits, isDaily }: Cron, hit: Instant): Instant {
  if (isDaily) return Number.POSITIVE_INFINITY;
  let day = Math.floor(hit / dayMs);
  while (hits(day + 1)) day++;
  return day * dayMs + (hours.at(-1)! * 60 + minutes.at(-1)!) * minuteMs;
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
const fiveYearsMs = 5 * 365 * dayMs;

const yearOf = (at: Instant): number => civilFromDays(Math.floor(at / dayMs))[0];

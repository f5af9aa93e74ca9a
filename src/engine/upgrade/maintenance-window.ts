import type { MaintenanceWindow } from '../../api/maintenance-configuration.ts';
import { type Instant, parseInstant } from '../kernel/instant.ts';
import { instantsOf, type WallTime, wallTime } from '../kernel/time-zone.ts';
import type { Window } from '../window/window.ts';
import { dayOfDate, windowDays } from './window-days.ts';

const dayMs = 86_400_000;

/**
 * How far openings are looked for: three years. An interval of five months may leave thirty months between two days 31, so AKS's
 * thirteen months are too few.
 */
export const horizonMs = 1096 * dayMs;

/** The spans in which upgrades may start by one configuration, before its blocked dates are taken away. */
export function allowedBy(written: MaintenanceWindow): Window {
  const clock = clockOf(written);
  const startMs = msOfDay(written.startTime);
  const durationMs = written.durationHours * 3_600_000;
  const opensOn = (from: Instant, until: Instant): Instant[] =>
    windowDays(written, clock.dayOf(from), clock.dayOf(until)).map((day) => clock.instantOf(day * dayMs + startMs));
  return {
    closesAt(instant) {
      // A window lasts a day at most; a change of the clocks may move it by some hours.
      const opened = opensOn(instant - 2 * dayMs, instant + dayMs).findLast((opens) => opens <= instant);
      return opened !== undefined && opened + durationMs > instant ? opened + durationMs : undefined;
    },
    opensAfter(instant) {
      // Most windows open soon: far days are looked at only where near ones have none.
      for (let reach = 8 * dayMs; ; reach *= 4) {
        const next = opensOn(instant - dayMs, instant + Math.min(reach, horizonMs)).find((opens) => opens > instant);
        if (next !== undefined || reach >= horizonMs) return next;
      }
    },
  };
}

/** The days on which nothing may start by one configuration. */
export function blockedBy(written: MaintenanceWindow): Window {
  const clock = clockOf(written);
  const blocks = (written.notAllowedDates ?? [])
    .map(({ start, end }) => ({
      opens: clock.instantOf(dayOfDate(start) * dayMs),
      closes: clock.instantOf((dayOfDate(end) + 1) * dayMs),
    }))
    .sort((a, b) => a.opens - b.opens);
  return {
    closesAt(instant) {
      const ends = blocks.flatMap(({ opens, closes }) => (opens <= instant && closes > instant ? [closes] : []));
      return ends.length === 0 ? undefined : Math.max(...ends);
    },
    opensAfter: (instant) => blocks.find(({ opens }) => opens > instant)?.opens,
  };
}

/** Local time of a window: a fixed offset, or the clocks of a zone. */
interface Clock {
  readonly dayOf: (instant: Instant) => number;
  /** Skipped by the clocks: as if they had not been moved. Shown twice: the first. */
  readonly instantOf: (wall: WallTime) => Instant;
}

function clockOf({ utcOffset, timeZone }: MaintenanceWindow): Clock {
  if (timeZone !== undefined)
    return {
      dayOf: (instant) => Math.floor(wallTime(instant, timeZone) / dayMs),
      instantOf: (wall) => instantsOf([wall], timeZone)[0]!,
    };
  // What is 00:00 there is that much earlier in UTC.
  const midnight = parseInstant(`1970-01-01T00:00:00${utcOffset ?? '+00:00'}`)!;
  return { dayOf: (instant) => Math.floor((instant - midnight) / dayMs), instantOf: (wall) => wall + midnight };
}

function msOfDay(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours! * 60 + minutes!) * 60_000;
}

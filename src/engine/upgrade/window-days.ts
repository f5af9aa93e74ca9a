import type { MaintenanceWindow } from '../../api/maintenance-configuration.ts';
import type { Weekday } from '../../api/upgrade-fields.ts';
import { civilFromDays, daysFromCivil } from '../kernel/instant.ts';

/** A local day, in days since 1970-01-01. */
export type Day = number;

/**
 * The local days on which a window opens, ascending, of those from `from` to `until`. The rhythm counts from startDate: days from that
 * day, weeks from the first such weekday on or after it, months from its month. A month without the day has no window.
 */
export function windowDays({ schedule, startDate }: MaintenanceWindow, from: Day, until: Day): readonly Day[] {
  const { daily, weekly, absoluteMonthly, relativeMonthly } = schedule;
  const start = startDate === undefined ? undefined : dayOfDate(startDate);
  const first = Math.max(from, start ?? from);
  // Without a startDate the interval is 1, and every anchor gives the same days.
  const anchor = start ?? 0;
  if (daily) return steps({ anchor, by: daily.intervalDays, from: first, until });
  if (weekly)
    return steps({ anchor: onOrAfter(anchor, weekly.dayOfWeek), by: 7 * weekly.intervalWeeks, from: first, until });
  const monthly = absoluteMonthly ?? relativeMonthly;
  if (!monthly) return [];
  const months = steps({
    anchor: monthOf(anchor),
    by: monthly.intervalMonths,
    from: monthOf(first),
    until: monthOf(until),
  });
  const days = months.flatMap((month) =>
    'dayOfMonth' in monthly ? dayOfMonth(month, monthly.dayOfMonth) : weekdayOfMonth(month, monthly),
  );
  return days.filter((day) => day >= first && day <= until);
}

/** A date of the calendar, `2026-12-24`. */
export function dayOfDate(date: string): Day {
  const [year, month, day] = date.split('-').map(Number);
  return daysFromCivil(year!, month!, day!);
}

interface Steps {
  readonly anchor: number;
  readonly by: number;
  readonly from: number;
  readonly until: number;
}

/** Numbers that are whole steps away from the anchor. */
function steps({ anchor, by, from, until }: Steps): number[] {
  const first = anchor + Math.ceil((from - anchor) / by) * by;
  return Array.from({ length: Math.max(Math.floor((until - first) / by) + 1, 0) }, (_, at) => first + at * by);
}

const weekdays: readonly Weekday[] = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** 0 is Sunday. 1970-01-01 was a Thursday. */
const weekdayOf = (day: Day): number => (((day + 4) % 7) + 7) % 7;

const onOrAfter = (day: Day, weekday: Weekday): Day => day + ((weekdays.indexOf(weekday) - weekdayOf(day) + 7) % 7);

/** Months since the year 0. */
function monthOf(day: Day): number {
  const [year, month] = civilFromDays(day);
  return year * 12 + month - 1;
}

const firstOfMonth = (month: number): Day => daysFromCivil(Math.floor(month / 12), (month % 12) + 1, 1);

function dayOfMonth(month: number, wanted: number): readonly Day[] {
  const day = firstOfMonth(month) + wanted - 1;
  return day < firstOfMonth(month + 1) ? [day] : [];
}

type RelativeMonthly = NonNullable<MaintenanceWindow['schedule']['relativeMonthly']>;

const weekIndexes = ['First', 'Second', 'Third', 'Fourth'] as const;

function weekdayOfMonth(month: number, { weekIndex, dayOfWeek }: RelativeMonthly): readonly Day[] {
  if (weekIndex === 'Last') return [onOrAfter(firstOfMonth(month + 1) - 7, dayOfWeek)];
  return [onOrAfter(firstOfMonth(month), dayOfWeek) + 7 * weekIndexes.indexOf(weekIndex)];
}

import type { MaintenanceConfiguration, MaintenanceWindow } from '../../../api/maintenance-configuration.ts';
import { parseSelector } from '../../../api/selector-text.ts';
import { isTimeZone } from '../../../api/syntax.ts';
import { civilFromDays, daysFromCivil, type Instant } from '../../kernel/instant.ts';
import { matchesSelector } from '../../kernel/selector.ts';
import { instantsOf, wallTime } from '../../kernel/time-zone.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Whether the windows of a member let an upgrade start, found by looking at the days that may have opened one. */
export function mayStart(
  configurations: readonly MaintenanceConfiguration[],
  member: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
  { type, now }: { readonly type: string; readonly now: Instant },
): boolean {
  const own = configurations.filter(({ spec }) => governs(spec, type) && isOf(spec, member));
  if (own.length === 0) return true;
  const windows = own.map(({ spec }) => spec.maintenanceWindow);
  return !windows.some((window) => isBlocked(window, now)) && windows.some((window) => isOpen(window, now));
}

type Spec = MaintenanceConfiguration['spec'];

const governs = ({ configurationName }: Spec, type: string): boolean =>
  configurationName === undefined ||
  configurationName ===
    (type === 'NodeImageOnly' ? 'aksManagedNodeOSUpgradeSchedule' : 'aksManagedAutoUpgradeSchedule');

function isOf({ clusterName, memberSelector }: Spec, member: Parameters<typeof mayStart>[1]): boolean {
  if (clusterName !== undefined) return clusterName === member.name;
  const parsed = memberSelector && parseSelector(memberSelector.byLabel);
  return parsed?.ok === true && matchesSelector(parsed.selector, member.labels);
}

/** The instant of a local date and time. */
function instantAt({ timeZone, utcOffset = '+00:00' }: MaintenanceWindow, wall: number): Instant {
  if (timeZone !== undefined) return isTimeZone(timeZone) ? instantsOf([wall], timeZone)[0]! : Number.NaN;
  return wall - offsetMs(utcOffset);
}

/** The local day, counted from 1970-01-01. */
function dayAt({ timeZone, utcOffset = '+00:00' }: MaintenanceWindow, at: Instant): number {
  const wall = timeZone !== undefined && isTimeZone(timeZone) ? wallTime(at, timeZone) : at + offsetMs(utcOffset);
  return Math.floor(wall / dayMs);
}

function offsetMs(offset: string): number {
  const [hours, minutes] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours! * hourMs + minutes! * 60_000);
}

const isBlocked = (window: MaintenanceWindow, now: Instant): boolean =>
  (window.notAllowedDates ?? []).some(({ start, end }) => {
    const day = dayAt(window, now);
    return dayOf(start) <= day && day <= dayOf(end);
  });

function dayOf(date: string): number {
  const [year, month, day] = date.split('-').map(Number);
  return daysFromCivil(year!, month!, day!);
}

function isOpen(window: MaintenanceWindow, now: Instant): boolean {
  const [hours, minutes] = window.startTime.split(':').map(Number);
  const today = dayAt(window, now);
  return [today, today - 1, today - 2].some((day) => {
    if (window.startDate !== undefined && day < dayOf(window.startDate)) return false;
    if (!hits(window, day)) return false;
    const opens = instantAt(window, day * dayMs + hours! * hourMs + minutes! * 60_000);
    return opens <= now && now < opens + window.durationHours * hourMs;
  });
}

/** Whether the rhythm of the window hits a day. It counts from startDate; without one every interval is 1. */
function hits({ schedule, startDate }: MaintenanceWindow, day: number): boolean {
  const { daily, weekly, absoluteMonthly, relativeMonthly } = schedule;
  const start = startDate === undefined ? undefined : dayOf(startDate);
  if (daily) return start === undefined || (day - start) % daily.intervalDays === 0;
  if (weekly) {
    if (weekdayOf(day) !== weekly.dayOfWeek) return false;
    return start === undefined || Math.floor((day - start) / 7) % weekly.intervalWeeks === 0;
  }
  const [year, month, dayOfMonth] = civilFromDays(day);
  const monthly = absoluteMonthly ?? relativeMonthly;
  if (!monthly) return false;
  if (start !== undefined) {
    const [startYear, startMonth] = civilFromDays(start);
    if ((year * 12 + month - startYear * 12 - startMonth) % monthly.intervalMonths !== 0) return false;
  }
  if (absoluteMonthly) return dayOfMonth === absoluteMonthly.dayOfMonth;
  if (weekdayOf(day) !== relativeMonthly!.dayOfWeek) return false;
  if (relativeMonthly!.weekIndex === 'Last') return civilFromDays(day + 7)[1] !== month;
  return Math.ceil(dayOfMonth / 7) === ['First', 'Second', 'Third', 'Fourth'].indexOf(relativeMonthly!.weekIndex) + 1;
}

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): string => weekdays[(((day + 4) % 7) + 7) % 7]!;

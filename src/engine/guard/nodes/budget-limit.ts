import type { Manifest } from '../../../api/meta.ts';
import { civilFromDays, type Instant } from '../../kernel/instant.ts';

interface WrittenBudget {
  readonly nodes?: unknown;
  readonly schedule?: unknown;
  readonly duration?: unknown;
  readonly reasons?: unknown;
}

/**
 * How many of `total` nodes a NodePool as it is written lets go for a reason, by code of the guard's own. Schedules are tried day by
 * day and minute by minute; one that never fires is not counted here. Infinity = no budget is active.
 */
export function limitAsWritten(pool: Manifest, of: { reason: string; total: number; now: number }): number {
  const disruption = ((pool['spec'] as { disruption?: unknown } | undefined)?.disruption ?? {}) as {
    readonly budgets?: unknown;
  };
  const budgets = disruption.budgets ?? [{ nodes: '10%' }];
  if (!Array.isArray(budgets)) return 0;
  const limits = budgets.map((budget: WrittenBudget) => {
    const reasons = budget.reasons as readonly string[] | null | undefined;
    const isActive = budget.schedule == null || isOpen(String(budget.schedule), String(budget.duration), of.now);
    if (!isActive || (reasons != null && !reasons.includes(of.reason))) return Number.POSITIVE_INFINITY;
    const nodes = String(budget.nodes ?? '10%');
    const number = Number.parseInt(nodes, 10);
    if (Number.isNaN(number)) return 0;
    return nodes.endsWith('%') ? Math.ceil((number * of.total) / 100) : number;
  });
  return Math.min(...limits, isClosed(pool, of.now) ? 0 : Number.POSITIVE_INFINITY);
}

/** Outside all windows of the annotation. */
function isClosed({ metadata }: Manifest, now: number): boolean {
  const written = metadata.annotations?.['gitfleet.dev/allow-windows'];
  if (written === undefined) return false;
  try {
    const windows = JSON.parse(written) as readonly { readonly schedule: string; readonly duration: string }[];
    return !windows.some(({ schedule, duration }) => isOpen(schedule, duration, now));
  } catch {
    return true;
  }
}

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

function isOpen(schedule: string, duration: string, now: Instant): boolean {
  const fields = (macros[schedule] ?? schedule).trim().toLowerCase().split(/\s+/);
  const [minute = '', hour = ''] = fields;
  const amount = (unit: string) => Number(new RegExp(`(\\d+)${unit}`).exec(duration)?.[1] ?? 0);
  const since = now - (amount('h') * 60 + amount('m')) * minuteMs;
  const hours = upTo(24).filter((each) => has(hour, each));
  const minutes = upTo(60).filter((each) => has(minute, each));
  const ofDay = hours.flatMap((ofHour) => minutes.map((each) => (ofHour * 60 + each) * minuteMs));
  // A window may be open for a year, so days are tried first.
  for (let day = Math.floor(now / dayMs); (day + 1) * dayMs > since; day--) {
    const isOpened = (at: number) => day * dayMs + at <= now && day * dayMs + at > since;
    if (isOn(fields, day) && ofDay.some(isOpened)) return true;
  }
  return false;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

const months = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Days of a month have numbers only, from 1. */
const days = [''];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** `dayNumber`: days since 1970-01-01, a Thursday. */
function isOn([, , day = '', month = '', weekday = '']: readonly string[], dayNumber: number): boolean {
  const [, ofYear, ofMonth] = civilFromDays(dayNumber);
  if (!has(month, ofYear, months)) return false;
  const [onDay, onWeekday] = [has(day, ofMonth, days), has(weekday, (dayNumber + 4) % 7, weekdays)];
  return isStar(day) || isStar(weekday) ? onDay && onWeekday : onDay || onWeekday;
}

const isStar = (field: string): boolean => field.split(',').some((part) => /^[*?](\/1)?$/.test(part));

/** Steps of a star count from the first value of its field: 1 for days and months, else 0. */
function has(field: string, value: number, names?: readonly string[]): boolean {
  const read = (text: string): number => (names?.includes(text) ? names.indexOf(text) : Number(text));
  return field.split(',').some((part) => {
    if (part === '') return false;
    const [range = '', step = '1'] = part.split('/');
    if (range === '*' || range === '?') return (value - lowest(names)) % Number(step) === 0;
    const [from = '', to] = range.split('-');
    const last = to !== undefined ? read(to) : part.includes('/') ? Number.POSITIVE_INFINITY : read(from);
    return value >= read(from) && value <= last && (value - read(from)) % Number(step) === 0;
  });
}

const lowest = (names: readonly string[] | undefined): number => (names?.[0] === '' ? 1 : 0);

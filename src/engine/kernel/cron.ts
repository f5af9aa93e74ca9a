import { civilFromDays, type Instant } from './instant.ts';
import { instantsOf, wallTime } from './time-zone.ts';

/** A schedule: ascending minutes and hours, and the days on which it hits. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** `days`: since 1970-01-01, in local time. */
  readonly hits: (days: number) => boolean;
  /** It hits on every day. */
  readonly isDaily: boolean;
  /**
   * A field lists nothing, or none of its months has one of its days: 30 February. It is not searched for in thousands of days, each time.
   */
  readonly isImpossible: boolean;
}

const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/**
 * Five fields or a macro, as Karpenter's budgets read them (robfig/cron v3, standard parser): lists, ranges, steps, names of
 * months and days, day-of-week 0 to 6. If both day fields are restricted a day hits when either does, otherwise when both do.
 * Undefined for anything else. Upstream's parser also reads `@every`, and `TZ=`, which the schema of a budget refuses.
 */
export function parseCron(text: string): Cron | undefined {
  const fields = (text.startsWith('@') ? (macros.get(text) ?? '') : text).trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minutes, hours, daysOfMonth, monthsOfYear, daysOfWeek] = [
    parseField(fields[0]!, 0, 59),
    parseField(fields[1]!, 0, 23),
    parseField(fields[2]!, 1, 31),
    parseField(fields[3]!, 1, 12, months),
    parseField(fields[4]!, 0, 6, weekdays),
  ];
  if (!minutes || !hours || !daysOfMonth || !monthsOfYear || !daysOfWeek) return undefined;
  const either = !isUnrestricted(fields[2]!) && !isUnrestricted(fields[4]!);
  const [everyDate, everyWeekday] = [daysOfMonth.size === 31, daysOfWeek.size === 7];
  const everyDay = either ? everyDate || everyWeekday : everyDate && everyWeekday;
  return {
    minutes: ascending(minutes),
    hours: ascending(hours),
    hits(days) {
      const [, month, day] = civilFromDays(days);
      if (!monthsOfYear.has(month)) return false;
      const inMonth = daysOfMonth.has(day);
      // 1970-01-01 was a Thursday.
      const inWeek = daysOfWeek.has((((days + 4) % 7) + 7) % 7);
      return either ? inMonth || inWeek : inMonth && inWeek;
    },
    isDaily: monthsOfYear.size === 12 && everyDay,
    isImpossible:
      [minutes, hours, monthsOfYear].some(({ size }) => size === 0) ||
      (!either && (daysOfWeek.size === 0 || Math.min(...daysOfMonth) > Math.max(...[...monthsOfYear].map(longestOf)))),
  };
}

/**
 * Whether Kubernetes accepts a text as the schedule of a CronJob: what `parseCron` reads, and `@every 1h30m` with a duration of Go
 * (robfig/cron v3, ParseStandard).
 */
export const isCronSchedule = (text: string): boolean =>
  parseCron(text) !== undefined || /^@every [-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text);

const longestOf = (month: number): number => (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31);

/** A schedule may hit on 29 February only, and 2100 has none: no hit within eight years means never. */
const mostDays = 366 * 8 + 2;

/** The first hit after an instant, in the local time of the zone; undefined = never again. */
export function nextHit(cron: Cron, zone: string, after: Instant): Instant | undefined {
  const gaps = gapsOf(cron, zone);
  const at = countUpTo(gaps.starts, after);
  const known = gaps.hits[at - 1];
  if (known !== undefined && after < known) return known;
  const hit = searchNext(cron, zone, after);
  if (hit === undefined) return undefined;
  // Asked before for a later instant of the same gap.
  const isKnown = gaps.hits[at] === hit;
  gaps.starts.splice(at, isKnown ? 1 : 0, after);
  if (!isKnown) gaps.hits.splice(at, 0, hit);
  return hit;
}

/** Spans of time with the hit that ends each: the years ahead of a budget are walked through with every plan. */
interface Gaps {
  readonly zone: string;
  /** Ascending. */
  readonly starts: Instant[];
  readonly hits: Instant[];
}
const gapsByCron = new WeakMap<Cron, Gaps>();
const mostGaps = 4096;

function gapsOf(cron: Cron, zone: string): Gaps {
  const known = gapsByCron.get(cron);
  if (known?.zone === zone && known.starts.length < mostGaps) return known;
  const none = { zone, starts: [], hits: [] };
  gapsByCron.set(cron, none);
  return none;
}

function searchNext(cron: Cron, zone: string, after: Instant): Instant | undefined {
  if (cron.isImpossible) return undefined;
  const first = dayOf(after, zone);
  for (let day = first; day <= first + mostDays; day++) {
    const hits = hitsOn(cron, zone, day);
    const hit = hits[countUpTo(hits, after)];
    if (hit !== undefined) return hit;
  }
  return undefined;
}

/** The last hit at an instant or before it; undefined = there was none. */
export function lastHit(cron: Cron, zone: string, at: Instant): Instant | undefined {
  if (cron.isImpossible) return undefined;
  const first = dayOf(at, zone);
  for (let day = first; day >= first - mostDays; day--) {
    const hits = hitsOn(cron, zone, day);
    const hit = hits[countUpTo(hits, at) - 1];
    if (hit !== undefined) return hit;
  }
  return undefined;
}

const dayOf = (instant: Instant, zone: string): number => Math.floor(wallTime(instant, zone) / 86_400_000);

/** The hits of the day computed last, by schedule: a schedule that hits every minute needs the same day a thousand times. */
const lastDays = new WeakMap<
  Cron,
  { readonly zone: string; readonly day: number; readonly hits: readonly Instant[] }
>();

/** The hits of one day, ascending. */
function hitsOn(cron: Cron, zone: string, day: number): readonly Instant[] {
  if (!cron.hits(day)) return [];
  const known = lastDays.get(cron);
  if (known?.zone === zone && known.day === day) return known.hits;
  const walls = cron.hours.flatMap((hour) => cron.minutes.map((minute) => ((day * 24 + hour) * 60 + minute) * 60_000));
  const hits = instantsOf(walls, zone).sort((a, b) => a - b);
  lastDays.set(cron, { zone, day, hits });
  return hits;
}

/** How many of the ascending instants are not after `at`. */
function countUpTo(instants: readonly Instant[], at: Instant): number {
  let low = 0;
  let high = instants.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (instants[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A star in any part of a field makes it unrestricted, except with a step above 1 (robfig/cron v3 parser.go clears its star bit). */
const isUnrestricted = (field: string): boolean =>
  partsOf(field).some((part) => /^[*?](-[^/]*)?(\/\+?0*1)?$/.test(part));

/** Empty parts of a list are left out, as strings.FieldsFunc does; a field without any part matches nothing. */
const partsOf = (field: string): readonly string[] => field.split(',').filter((part) => part !== '');

function parseField(
  text: string,
  least: number,
  most: number,
  names: readonly string[] = [],
): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const part of partsOf(text)) {
    // What follows a star and a hyphen is not read.
    const match = /^(?:([*?])(?:-[^/]*)?|(\+?\w+)(?:-(\+?\w+))?)(?:\/\+?(\d+))?$/.exec(part);
    if (!match) return undefined;
    const [, star, low, high, by] = match;
    const step = by === undefined ? 1 : Number(by);
    const from = star ? least : numberOf(low!, least, names);
    // `N/s` runs to the end of the field.
    const to = star || (high === undefined && by !== undefined) ? most : numberOf(high ?? low!, least, names);
    if (from === undefined || to === undefined || from < least || to > most || from > to || step < 1) return undefined;
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}

function numberOf(text: string, least: number, names: readonly string[]): number | undefined {
  const named = names.indexOf(text.toUpperCase());
  if (named >= 0) return named + least;
  return /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

const ascending = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);

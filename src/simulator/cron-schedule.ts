/** The minutes of a cron schedule: five fields, names of months and weekdays, steps, ranges, lists and `@hourly` and the like. */
export interface CronSchedule {
  /** The first instant after `ms` that it names, in milliseconds; undefined when there is none within five years. */
  next(ms: number): number | undefined;
}

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const minuteMs = 60_000;
/** Two leap years apart at most, and one year more. */
const farthestMs = 5 * 366 * 24 * 60 * minuteMs;

/** Undefined when the text is no schedule. `timeZone` is an IANA name; without one the times are UTC. */
export function parseCron(text: string, timeZone = 'UTC'): CronSchedule | undefined {
  const fields = (macros[text] ?? text).trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const minutes = valuesOf(fields[0]!, 0, 59);
  const hours = valuesOf(fields[1]!, 0, 23);
  const days = valuesOf(fields[2]!, 1, 31);
  const inMonths = valuesOf(fields[3]!, 1, 12, months);
  const onWeekdays = valuesOf(fields[4]!, 0, 7, weekdays);
  if (!minutes || !hours || !days || !inMonths || !onWeekdays) return undefined;
  const anyDay = fields[2]!.startsWith('*') || fields[4]!.startsWith('*');
  const isDay = (day: number, weekday: number) => {
    const [dayFits, weekdayFits] = [days.has(day), onWeekdays.has(weekday) || (weekday === 0 && onWeekdays.has(7))];
    // Where both are restricted, either will do (crontab(5)).
    return anyDay ? dayFits && weekdayFits : dayFits || weekdayFits;
  };
  return {
    next(ms) {
      let at = Math.floor(ms / minuteMs) * minuteMs + minuteMs;
      const limit = at + farthestMs;
      while (at < limit) {
        const local = new Date(at + offsetAt(at, timeZone));
        const minute = local.getUTCMinutes();
        if (!inMonths.has(local.getUTCMonth() + 1) || !isDay(local.getUTCDate(), local.getUTCDay()))
          // To the next local hour first: a change of the offset must not be jumped over.
          at += (60 - minute) * minuteMs;
        else if (!hours.has(local.getUTCHours())) at += (60 - minute) * minuteMs;
        else if (!minutes.has(minute)) at += minuteMs;
        else return at;
      }
      return undefined;
    },
  };
}

function valuesOf(field: string, least: number, most: number, names: readonly string[] = []): Set<number> | undefined {
  const found = new Set<number>();
  const read = (text: string): number => {
    const name = names.indexOf(text.toLowerCase());
    if (name >= 0) return name + least;
    return /^\d+$/.test(text) ? Number(text) : Number.NaN;
  };
  for (const part of field.split(',')) {
    const [range = '', step = '1', ...rest] = part.split('/');
    const [from = '', to, ...more] = range.split('-');
    const first = from === '*' || from === '?' ? least : read(from);
    const open = from === '*' || from === '?' || part.includes('/');
    const last = to === undefined ? (open ? most : first) : read(to);
    const by = read(step);
    if (rest.length + more.length > 0 || !(first >= least && last <= most && first <= last && by > 0)) return undefined;
    for (let value = first; value <= last; value += by) found.add(value);
  }
  return found;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds that the clocks of a zone are ahead of UTC at an instant. */
function offsetAt(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  formats.set(timeZone, format);
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const local = Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute']);
  return local - Math.floor(ms / minuteMs) * minuteMs;
}

/** Whether a name is one of the IANA database. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

import { parseCron } from '../kernel/cron.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import type { WrittenWindow } from '../window/parse-window.ts';
import { budgetDurationMs } from './budget-window.ts';

/** A budget as a NodePool writes it. */
export interface WrittenBudget {
  readonly nodes: string;
  readonly schedule?: string;
  readonly duration?: string;
}

export type ZeroBudgets =
  | { readonly ok: true; readonly budgets: readonly WrittenBudget[] }
  | { readonly ok: false; readonly fault: string };

const dayMinutes = 24 * 60;
const weekMinutes = 7 * dayMinutes;

/**
 * The budgets of zero nodes that leave open exactly the windows of a `gitfleet.dev/allow-windows` annotation. Windows that recur every
 * week have such budgets. With days of a month or months the gaps differ from one to the next, so that no budget fits all of them.
 */
export function zeroBudgets(annotation: string): ZeroBudgets {
  const windows = readWindows(annotation);
  if (typeof windows === 'string') return { ok: false, fault: windows };
  const open = new Uint8Array(weekMinutes);
  for (const { schedule, duration } of windows) {
    const minutes = openingsInWeek(schedule);
    const length = (budgetDurationMs(duration) ?? 0) / 60_000;
    if (minutes === undefined) return { ok: false, fault: `${JSON.stringify(schedule)} does not recur every week` };
    if (length === 0)
      return { ok: false, fault: `${JSON.stringify(duration)} is not a duration of hours and minutes above 0` };
    for (const start of minutes)
      for (let at = start; at < start + Math.min(length, weekMinutes); at++) open[at % weekMinutes] = 1;
  }
  const gaps = gapsOf(open);
  if (gaps === 'always-closed') return { ok: true, budgets: [{ nodes: '0' }] };
  const budgets = budgetsOf(gaps);
  if (budgets.length > mostBudgets)
    return { ok: false, fault: `it needs ${budgets.length} budgets of zero nodes, more than ${mostBudgets}` };
  return { ok: true, budgets };
}

/** A NodePool has at most 50 budgets, its own among them. */
const mostBudgets = 49;

type WeeklyWindow = Pick<WrittenWindow, 'schedule' | 'duration'>;

function readWindows(annotation: string): readonly WeeklyWindow[] | string {
  let value: unknown;
  try {
    value = JSON.parse(annotation);
  } catch {
    return 'it is not JSON';
  }
  if (!Array.isArray(value)) return 'it is not a list';
  for (const item of value) {
    const { schedule, duration, ...others }: Fields = isFields(item) ? item : {};
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) return `a window has no field ${unknown}, only schedule and duration`;
    if (schedule === undefined || duration === undefined) return 'a window needs schedule and duration';
    if (typeof schedule !== 'string' || parseCron(schedule) === undefined)
      return `${JSON.stringify(schedule)} is not a cron schedule`;
    if (typeof duration !== 'string' || budgetDurationMs(duration) === undefined)
      return `${JSON.stringify(duration)} is not a duration of hours and minutes`;
  }
  return value as readonly WeeklyWindow[];
}

/** Minutes since Sunday 00:00 at which it hits; undefined where that is not the same every week. */
function openingsInWeek(schedule: string): readonly number[] | undefined {
  const cron = parseCron(schedule);
  if (cron === undefined) return undefined;
  for (let day = 0; day < fourYears; day++) if (cron.hits(day) !== cron.hits(day + 7)) return undefined;
  // 1970-01-04 was a Sunday.
  const days = [0, 1, 2, 3, 4, 5, 6].filter((day) => cron.hits(day + 3));
  return days.flatMap((day) =>
    cron.hours.flatMap((hour) => cron.minutes.map((minute) => day * dayMinutes + hour * 60 + minute)),
  );
}

/** In days: every date is among them. */
const fourYears = 1461;

interface Gap {
  readonly start: number;
  readonly length: number;
}

function gapsOf(open: Uint8Array): readonly Gap[] | 'always-closed' {
  const firstOpen = open.indexOf(1);
  if (firstOpen < 0) return 'always-closed';
  const gaps: Gap[] = [];
  let start: number | undefined;
  for (let step = 1; step <= weekMinutes; step++) {
    const at = (firstOpen + step) % weekMinutes;
    if (open[at] === 0) start ??= firstOpen + step;
    else if (start !== undefined) {
      gaps.push({ start: start % weekMinutes, length: firstOpen + step - start });
      start = undefined;
    }
  }
  return gaps;
}

/** One budget for the gaps that begin at the same time of day and are equally long. */
function budgetsOf(gaps: readonly Gap[]): WrittenBudget[] {
  const alike = Map.groupBy(gaps, ({ start, length }) => `${start % dayMinutes} ${length}`);
  return [...alike.values()].map((same) => {
    const { start, length } = same[0]!;
    const time = start % dayMinutes;
    const days = same.map((gap) => Math.floor(gap.start / dayMinutes)).sort();
    const onDays = days.length === 7 ? '*' : days.join(',');
    return {
      nodes: '0',
      schedule: `${time % 60} ${Math.floor(time / 60)} * * ${onDays}`,
      duration: durationText(length),
    };
  });
}

function durationText(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest}m`;
  return rest === 0 ? `${hours}h` : `${hours}h${rest}m`;
}

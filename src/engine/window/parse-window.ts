import { durationMs, longestDurationMs } from '../../api/longest-duration.ts';
import { isTimeZone } from '../../api/syntax.ts';
import { type Cron, lastHit, nextHit, parseCron } from '../kernel/cron.ts';
import { parseDuration } from '../kernel/duration.ts';
import { type Schedule, type Window, windowOf } from './window.ts';

/** A window as files write it. */
export interface WrittenWindow {
  /** Cron of five fields, or a macro. */
  readonly schedule: string;
  /** Go's form, above 0. */
  readonly duration: string;
  /** An IANA name; absent = UTC. */
  readonly timeZone?: string | undefined;
}

export type ParsedWindow =
  | { readonly ok: true; readonly window: Window }
  | { readonly ok: false; readonly faults: readonly WindowFault[] };

/** One field that cannot be read. */
export interface WindowFault {
  readonly field: keyof WrittenWindow;
  readonly fault: string;
}

/** Reads a window, or names every field that cannot be read. */
export function parseWindow({ schedule, duration, timeZone = 'UTC' }: WrittenWindow): ParsedWindow {
  const cron = parseCron(schedule);
  const isTooLong = durationMs(duration) > longestDurationMs;
  const ms = isTooLong ? undefined : parseDuration(duration);
  const isZone = isTimeZone(timeZone);
  if (cron && ms && isZone) return { ok: true, window: windowOf(cronSchedule(cron, timeZone), ms) };
  return {
    ok: false,
    faults: [
      ...(cron ? [] : [fault('schedule', schedule, 'cron schedule')]),
      ...(ms ? [] : [fault('duration', duration, isTooLong ? 'duration of at most ten years' : 'duration above 0')]),
      ...(isZone ? [] : [fault('timeZone', timeZone, 'time zone')]),
    ],
  };
}

/** The schedule in the local time of a zone, which must be known. */
const cronSchedule = (cron: Cron, zone: string): Schedule => ({
  last: (at) => lastHit(cron, zone, at),
  next: (after) => nextHit(cron, zone, after),
});

const fault = (field: WindowFault['field'], written: string, what: string): WindowFault => ({
  field,
  fault: `${JSON.stringify(written)} is not a ${what}`,
});

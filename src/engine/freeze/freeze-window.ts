import type { FleetConfig } from '../../api/gitfleet.ts';
import { type Cron, lastHit, nextHit, parseCron } from '../kernel/cron.ts';
import { parseDuration } from '../kernel/duration.ts';
import type { Instant } from '../kernel/instant.ts';
import { isTimeZone } from '../kernel/time-zone.ts';

type WrittenFreeze = NonNullable<FleetConfig['spec']['freeze']>[number];

/** A freeze as it recurs: from every hit of its schedule for as long as its duration, the end not included. */
export interface FreezeWindow {
  readonly name: string;
  /** End of the window that holds the instant; undefined = it is in none. */
  readonly endAt: (instant: Instant) => Instant | undefined;
  /** When the next window opens; undefined = never again. */
  readonly opensAfter: (instant: Instant) => Instant | undefined;
}

export type ParsedFreeze =
  | { readonly ok: true; readonly window: FreezeWindow }
  | { readonly ok: false; readonly faults: readonly FreezeFault[] };

/** One field that cannot be read. */
export interface FreezeFault {
  readonly field: 'schedule' | 'duration' | 'timeZone';
  readonly fault: string;
}

/** `schedule` is cron of five fields or a macro, `duration` Go's form above 0, `timeZone` an IANA name, UTC when absent. */
export function parseFreeze({ name, schedule, duration, timeZone = 'UTC' }: WrittenFreeze): ParsedFreeze {
  const cron = parseCron(schedule);
  const ms = parseDuration(duration);
  if (cron && ms && isTimeZone(timeZone)) return { ok: true, window: windowOf(name, cron, ms, timeZone) };
  return {
    ok: false,
    faults: [
      ...(cron ? [] : [fault('schedule', schedule, 'cron schedule')]),
      ...(ms ? [] : [fault('duration', duration, 'duration above 0')]),
      ...(isTimeZone(timeZone) ? [] : [fault('timeZone', timeZone, 'time zone')]),
    ],
  };
}

const fault = (field: FreezeFault['field'], written: string, what: string): FreezeFault => ({
  field,
  fault: `${JSON.stringify(written)} is no ${what}`,
});

const windowOf = (name: string, cron: Cron, ms: number, zone: string): FreezeWindow => ({
  name,
  endAt(instant) {
    const opened = lastHit(cron, zone, instant);
    return opened !== undefined && opened + ms > instant ? opened + ms : undefined;
  },
  opensAfter: (instant) => nextHit(cron, zone, instant),
});

import { daysFromCivil, type Instant } from './instant.ts';

/** A local time, as the milliseconds of the same date and time in UTC. */
export type WallTime = number;

const dayMs = 86_400_000;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** The local time of a zone at an instant, in whole seconds. The zone must be known. */
export function wallTime(instant: Instant, zone: string): WallTime {
  const whole = Math.floor(instant / 1000) * 1000;
  if (zone === 'UTC') return whole;
  const shown = Object.fromEntries(
    clockOf(zone)
      .formatToParts(whole)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const days = daysFromCivil(shown['year']!, shown['month']!, shown['day']!);
  return days * dayMs + ((shown['hour']! * 60 + shown['minute']!) * 60 + shown['second']!) * 1000;
}

/**
 * The instants of these local times, ascending and of one day. Of two instants (clocks are set back) the first; where there is
 * none (clocks are set forward) as much later as the clocks were moved.
 */
export function instantsOf(walls: readonly WallTime[], zone: string): Instant[] {
  const [first, last] = [walls[0], walls.at(-1)];
  if (zone === 'UTC' || first === undefined || last === undefined) return [...walls];
  // Reading the zone is slow, and on most days its offset does not change.
  const offsets = new Set([first - dayMs, first, last, last + dayMs].map((near) => wallTime(near, zone) - near));
  const [offset] = offsets;
  return offsets.size === 1 ? walls.map((wall) => wall - offset!) : walls.map((wall) => instantOf(wall, zone));
}

function instantOf(wall: WallTime, zone: string): Instant {
  const offsets = [wall - dayMs, wall + dayMs].map((near) => wallTime(near, zone) - near);
  const found = offsets.map((offset) => wall - offset).filter((instant) => wallTime(instant, zone) === wall);
  return found.length > 0 ? Math.min(...found) : wall - offsets[0]!;
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone) ?? makeClock(zone);
  clocks.set(zone, known);
  return known;
}

const makeClock = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

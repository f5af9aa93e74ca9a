import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastHit, nextHit, parseCron } from '../../../src/engine/kernel/cron.ts';
import { formatInstant, parseInstant } from '../../../src/engine/kernel/instant.ts';
import { drawn } from '../../support/law-runs.ts';

const at = (text: string): number => parseInstant(text)!;
const text = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : formatInstant(instant);
const next = (schedule: string, after: string, zone = 'UTC') => text(nextHit(parseCron(schedule)!, zone, at(after)));
const last = (schedule: string, before: string, zone = 'UTC') => text(lastHit(parseCron(schedule)!, zone, at(before)));

// 2026-11-20 is a Friday.
describe('the next hit of a schedule', () => {
  it.each([
    ['every minute', '* * * * *', '2026-11-20T10:00:00Z', '2026-11-20T10:01:00Z'],
    ['a minute of every hour', '30 * * * *', '2026-11-20T10:30:00Z', '2026-11-20T11:30:00Z'],
    ['@hourly', '@hourly', '2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z'],
    ['@daily', '@daily', '2026-11-20T10:00:00Z', '2026-11-21T00:00:00Z'],
    ['@weekly is Sunday', '@weekly', '2026-11-20T10:00:00Z', '2026-11-22T00:00:00Z'],
    ['@monthly', '@monthly', '2026-11-20T10:00:00Z', '2026-12-01T00:00:00Z'],
    ['@yearly', '@yearly', '2026-11-20T10:00:00Z', '2027-01-01T00:00:00Z'],
    ['working days', '0 9 * * 1-5', '2026-11-20T10:00:00Z', '2026-11-23T09:00:00Z'],
    ['names of days, any case', '0 9 * * mon,WED', '2026-11-20T10:00:00Z', '2026-11-23T09:00:00Z'],
    ['names of months', '0 0 20 DEC *', '2026-11-20T10:00:00Z', '2026-12-20T00:00:00Z'],
    ['a step', '*/20 * * * *', '2026-11-20T10:00:00Z', '2026-11-20T10:20:00Z'],
    ['a step from a number runs to the end', '50/5 * * * *', '2026-11-20T10:50:00Z', '2026-11-20T10:55:00Z'],
    ['a step in a range', '10-30/10 * * * *', '2026-11-20T10:30:00Z', '2026-11-20T11:10:00Z'],
    ['a question mark is a star', '0 0 ? * 0', '2026-11-20T10:00:00Z', '2026-11-22T00:00:00Z'],
    ['both day fields: either will do', '0 0 13 * 5', '2026-11-20T10:00:00Z', '2026-11-27T00:00:00Z'],
    ['the 29th of February waits for its year', '0 0 29 2 *', '2026-11-20T10:00:00Z', '2028-02-29T00:00:00Z'],
    ['the 30th of February never comes', '0 0 30 2 *', '2026-11-20T10:00:00Z', undefined],
  ])('%s', (_, schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });
});

it('the next hit is the same whatever the schedule was asked before', () => {
  const instants = fc
    .integer({ min: 0, max: 3 * 366 * 24 * 60 })
    .map((minutes) => at('2026-11-20T10:00:00Z') + minutes * 60_000);
  const schedules = fc.constantFrom(
    '*/7 * * * *',
    '0 9 * * 1-5',
    '0 0 1 * *',
    '0 0 20 12 *',
    '0 0 29 2 *',
    '0 0 30 2 *',
  );
  const asked = fc.array(fc.tuple(instants, fc.constantFrom('UTC', 'UTC', 'Europe/Berlin')), {
    minLength: 2,
    maxLength: 12,
  });
  fc.assert(
    fc.property(schedules, asked, (schedule, questions) => {
      const cron = parseCron(schedule)!;
      const alone = (zone: string, after: number) => nextHit(parseCron(schedule)!, zone, after);
      for (const [after, zone] of questions)
        for (const instant of [after, (alone(zone, after) ?? after) - 1, alone(zone, after) ?? after])
          expect(nextHit(cron, zone, instant)).toBe(alone(zone, instant));
    }),
    drawn(40),
  );
});

describe('the last hit of a schedule', () => {
  it.each([
    ['is the present one at the very instant', '0 9 * * *', '2026-11-20T09:00:00Z', '2026-11-20T09:00:00Z'],
    ['a millisecond before it is the one before', '0 9 * * *', '2026-11-20T08:59:59.999Z', '2026-11-19T09:00:00Z'],
    ['may lie years back', '0 0 29 2 *', '2026-11-20T10:00:00Z', '2024-02-29T00:00:00Z'],
    ['of a schedule that never hits', '0 0 31 4 *', '2026-11-20T10:00:00Z', undefined],
  ])('%s', (_, schedule, before, expected) => {
    expect(last(schedule, before)).toBe(expected);
  });
});

describe('in a time zone', () => {
  it.each([
    ['winter in Berlin', '0 9 * * *', '2026-11-20T00:00:00Z', 'Europe/Berlin', '2026-11-20T08:00:00Z'],
    ['summer in Berlin', '0 9 * * *', '2026-07-20T00:00:00Z', 'Europe/Berlin', '2026-07-20T07:00:00Z'],
    ['half hours', '0 9 * * *', '2026-11-20T00:00:00Z', 'Asia/Kolkata', '2026-11-20T03:30:00Z'],
    ['the day is that of the zone', '0 0 * * 6', '2026-11-20T00:00:00Z', 'Pacific/Auckland', '2026-11-20T11:00:00Z'],
    // Clocks are set forward from 02:00 to 03:00.
    [
      'a time that is skipped comes later',
      '30 2 29 3 *',
      '2026-03-01T00:00:00Z',
      'Europe/Berlin',
      '2026-03-29T01:30:00Z',
    ],
    // Clocks are set back from 03:00 to 02:00: 02:30 is shown twice.
    [
      'a time that is shown twice counts once',
      '30 2 25 10 *',
      '2026-10-01T00:00:00Z',
      'Europe/Berlin',
      '2026-10-25T00:30:00Z',
    ],
    ['and not again', '30 2 25 10 *', '2026-10-25T00:30:00Z', 'Europe/Berlin', '2027-10-25T00:30:00Z'],
  ])('%s', (_, schedule, after, zone, expected) => {
    expect(next(schedule, after, zone)).toBe(expected);
  });
});

it.each([
  ['six fields', '0 0 * * * *'],
  ['four fields', '0 0 * *'],
  ['nothing', ''],
  ['@every', '@every 1h'],
  ['a name that every object of JavaScript knows', 'constructor'],
  ['@reboot', '@reboot'],
  ['a macro with more', '@dailyX'],
  ['a macro with a space behind it', '@daily '],
  ['a macro with a space before it', ' @daily'],
  ['two hyphens', '1-2-3 * * * *'],
  ['a zone inside', 'TZ=UTC 0 0 * * *'],
  ['minute 60', '60 * * * *'],
  ['hour 24', '0 24 * * *'],
  ['day 0', '0 0 0 * *'],
  ['month 13', '0 0 1 13 *'],
  ['Sunday as 7', '0 0 * * 7'],
  ['a reversed range', '0 0 * * fri-mon'],
  ['a step of 0', '*/0 * * * *'],
  ['a name in the wrong field', '0 0 mon * *'],
  ['a negative number', '-1 * * * *'],
])('is no schedule: %s', (_, schedule) => {
  expect(parseCron(schedule)).toBeUndefined();
});

// robfig/cron v3 parser.go: FieldsFunc drops empty parts, Atoi reads a sign, and nothing is read between a star and a slash.
it.each([
  ['a list with empty parts', '0,,30, 9 * * *', '0,30 9 * * *'],
  ['a sign', '+5 9 * * */+2', '5 9 * * */2'],
  ['a star with a hyphen', '*-5 9 * * *', '* 9 * * *'],
  ['a star with a hyphen and a step', '0 *-x/6 1 * *', '0 */6 1 * *'],
  ['a star with a hyphen is unrestricted', '0 9 13 * *-1', '0 9 13 * *'],
])('is read as upstream reads it: %s', (_, schedule, same) => {
  const read = ({ minutes, hours, hits }: NonNullable<ReturnType<typeof parseCron>>) => ({
    minutes,
    hours,
    days: Array.from({ length: 40 }, (_, day) => hits(20_000 + day)),
  });
  expect(read(parseCron(schedule)!)).toEqual(read(parseCron(same)!));
});

it('a field without any part never hits', () => {
  expect(nextHit(parseCron(', 9 * * *')!, 'UTC', 0)).toBeUndefined();
});

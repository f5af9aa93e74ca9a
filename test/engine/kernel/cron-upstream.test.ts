import { describe, expect, it } from 'vitest';
import { nextHit, parseCron } from '../../../src/engine/kernel/cron.ts';
import { formatInstant, parseInstant } from '../../../src/engine/kernel/instant.ts';

// The cases of robfig/cron v3's own tests (spec_test.go, parser_test.go), as far as schedules of five fields can say them: the field of
// seconds is left out. Kubernetes and Karpenter read their schedules with that library.

const next = (schedule: string, after: string, zone = 'UTC'): string | undefined => {
  const hit = nextHit(parseCron(schedule)!, zone, parseInstant(after)!);
  return hit === undefined ? undefined : formatInstant(hit);
};

describe('whether a schedule hits at an instant (TestActivation)', () => {
  it.each([
    ['2012-07-09T15:00:00Z', '0/15 * * * *', true],
    ['2012-07-09T15:45:00Z', '0/15 * * * *', true],
    ['2012-07-09T15:40:00Z', '0/15 * * * *', false],
    ['2012-07-09T15:05:00Z', '5/15 * * * *', true],
    ['2012-07-09T15:20:00Z', '5/15 * * * *', true],
    ['2012-07-09T15:50:00Z', '5/15 * * * *', true],
    ['2012-07-15T15:00:00Z', '0/15 * * Jul *', true],
    ['2012-07-15T15:00:00Z', '0/15 * * Jun *', false],
    ['2012-07-15T08:30:00Z', '30 08 ? Jul Sun', true],
    ['2012-07-15T08:30:00Z', '30 08 15 Jul ?', true],
    ['2012-07-16T08:30:00Z', '30 08 ? Jul Sun', false],
    ['2012-07-16T08:30:00Z', '30 08 15 Jul ?', false],
    ['2012-07-09T15:00:00Z', '@hourly', true],
    ['2012-07-09T15:04:00Z', '@hourly', false],
    ['2012-07-09T15:00:00Z', '@daily', false],
    ['2012-07-09T00:00:00Z', '@daily', true],
    ['2012-07-09T00:00:00Z', '@weekly', false],
    ['2012-07-08T00:00:00Z', '@weekly', true],
    ['2012-07-08T01:00:00Z', '@weekly', false],
    ['2012-07-08T00:00:00Z', '@monthly', false],
    ['2012-07-01T00:00:00Z', '@monthly', true],
    // Both day fields are restricted: one has to match.
    ['2012-07-15T00:00:00Z', '* * 1,15 * Sun', true],
    ['2012-06-15T00:00:00Z', '* * 1,15 * Sun', true],
    ['2012-08-01T00:00:00Z', '* * 1,15 * Sun', true],
    ['2012-07-15T00:00:00Z', '* * */10 * Sun', true],
    // One of them is a star: both have to match.
    ['2012-07-15T00:00:00Z', '* * * * Mon', false],
    ['2012-07-09T00:00:00Z', '* * 1,15 * *', false],
    ['2012-07-15T00:00:00Z', '* * 1,15 * *', true],
    ['2012-07-15T00:00:00Z', '* * */2 * Sun', true],
  ])('%s %s: %s', (instant, schedule, hits) => {
    const before = formatInstant(parseInstant(instant)! - 1000);
    expect(next(schedule, before) === instant).toBe(hits);
  });
});

describe('the next hit (TestNext)', () => {
  it.each([
    ['2012-07-09T14:45:00Z', '0/15 * * * *', '2012-07-09T15:00:00Z'],
    ['2012-07-09T14:59:00Z', '0/15 * * * *', '2012-07-09T15:00:00Z'],
    ['2012-07-09T14:59:59Z', '0/15 * * * *', '2012-07-09T15:00:00Z'],
    ['2012-07-09T15:45:00Z', '20-35/15 * * * *', '2012-07-09T16:20:00Z'],
    ['2012-07-09T23:46:00Z', '*/15 * * * *', '2012-07-10T00:00:00Z'],
    ['2012-07-09T23:45:00Z', '20-35/15 * * * *', '2012-07-10T00:20:00Z'],
    ['2012-07-09T23:35:51Z', '20-35/15 1/2 * * *', '2012-07-10T01:20:00Z'],
    ['2012-07-09T23:35:51Z', '20-35/15 10-12 * * *', '2012-07-10T10:20:00Z'],
    ['2012-07-09T23:35:51Z', '20-35/15 1/2 */2 * *', '2012-07-11T01:20:00Z'],
    ['2012-07-09T23:35:51Z', '20-35/15 * 9-20 * *', '2012-07-10T00:20:00Z'],
    ['2012-07-09T23:35:51Z', '20-35/15 * 9-20 Jul *', '2012-07-10T00:20:00Z'],
    ['2012-07-09T23:35:00Z', '0 0 9 Apr-Oct ?', '2012-08-09T00:00:00Z'],
    ['2012-07-09T23:35:00Z', '0 0 */5 Apr,Aug,Oct Mon', '2012-08-01T00:00:00Z'],
    ['2012-07-09T23:35:00Z', '0 0 */5 Oct Mon', '2012-10-01T00:00:00Z'],
    ['2012-07-09T23:35:00Z', '0 0 * Feb Mon', '2013-02-04T00:00:00Z'],
    ['2012-07-09T23:35:00Z', '0 0 * Feb Mon/2', '2013-02-01T00:00:00Z'],
    ['2012-12-31T23:59:45Z', '* * * * *', '2013-01-01T00:00:00Z'],
    ['2012-07-09T23:35:00Z', '0 0 29 Feb ?', '2016-02-29T00:00:00Z'],
    ['2012-07-09T23:35:00Z', '0 0 30 Feb ?', undefined],
    ['2012-07-09T23:35:00Z', '0 0 31 Apr ?', undefined],
    // Of the day fields: a step above 1 restricts, a step of 1 does not, and one star in a list opens it all.
    ['2012-07-09T00:00:00Z', '0 0 */10 * SUN', '2012-07-11T00:00:00Z'],
    ['2012-07-11T00:00:00Z', '0 0 */10 * SUN', '2012-07-15T00:00:00Z'],
    ['2012-07-09T00:00:00Z', '0 0 */1 * SUN', '2012-07-15T00:00:00Z'],
    ['2012-07-09T00:00:00Z', '0 0 ?/01 * SUN', '2012-07-15T00:00:00Z'],
    ['2012-07-09T00:00:00Z', '0 0 */10,* * SUN', '2012-07-15T00:00:00Z'],
    ['2012-07-09T00:00:00Z', '0 0 13 * */2', '2012-07-10T00:00:00Z'],
    ['2012-07-09T00:00:00Z', '0 0 13 * */1', '2012-07-13T00:00:00Z'],
  ])('after %s, %s: %s', (after, schedule, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });
});

describe('the next hit by clocks of New York and São Paulo (TestNext, TestNextWithTz)', () => {
  const newYork = 'America/New_York';
  it.each([
    // 11 March 2012: 02:00 to 03:00 is skipped.
    [newYork, '2012-03-11T00:00:00-05:00', '0 1 * * ?', '2012-03-11T01:00:00-05:00'],
    [newYork, '2012-03-11T01:00:00-05:00', '0 1 * * ?', '2012-03-12T01:00:00-04:00'],
    [newYork, '2012-03-11T00:00:00-05:00', '0 * * * ?', '2012-03-11T01:00:00-05:00'],
    [newYork, '2012-03-11T01:00:00-05:00', '0 * * * ?', '2012-03-11T03:00:00-04:00'],
    [newYork, '2012-03-11T03:00:00-04:00', '0 * * * ?', '2012-03-11T04:00:00-04:00'],
    [newYork, '2012-03-11T04:00:00-04:00', '0 * * * ?', '2012-03-11T05:00:00-04:00'],
    // 4 November 2012: 01:00 to 02:00 comes twice.
    [newYork, '2012-11-04T00:00:00-04:00', '30 2 04 Nov ?', '2012-11-04T02:30:00-05:00'],
    [newYork, '2012-11-04T00:00:00-04:00', '0 * * * ?', '2012-11-04T01:00:00-04:00'],
    [newYork, '2012-11-04T01:00:00-05:00', '0 * * * ?', '2012-11-04T02:00:00-05:00'],
    [newYork, '2012-11-04T00:00:00-04:00', '0 1 * * ?', '2012-11-04T01:00:00-04:00'],
    [newYork, '2012-11-04T01:00:00-05:00', '0 1 * * ?', '2012-11-05T01:00:00-05:00'],
    [newYork, '2012-11-04T00:00:00-04:00', '0 2 * * ?', '2012-11-04T02:00:00-05:00'],
    [newYork, '2012-11-04T02:00:00-05:00', '0 2 * * ?', '2012-11-05T02:00:00-05:00'],
    [newYork, '2012-11-04T00:00:00-04:00', '0 3 * * ?', '2012-11-04T03:00:00-05:00'],
    [newYork, '2012-11-04T03:00:00-05:00', '0 3 * * ?', '2012-11-05T03:00:00-05:00'],
    [newYork, '2012-11-04T00:00:00-04:00', '0 3 3 * ?', '2012-12-03T03:00:00-05:00'],
    // Midnight is the hour that is skipped.
    ['America/Sao_Paulo', '2018-10-17T05:00:00-04:00', '0 9 10 * ?', '2018-11-10T06:00:00-05:00'],
    ['America/Sao_Paulo', '2018-02-14T05:00:00-05:00', '0 9 22 * ?', '2018-02-22T07:00:00-05:00'],
    ['Asia/Kolkata', '2016-01-03T13:09:03+05:30', '14 14 * * *', '2016-01-03T14:14:00+05:30'],
    ['Asia/Kolkata', '2016-01-03T04:09:03+05:30', '14 14 * * ?', '2016-01-03T14:14:00+05:30'],
  ])('in %s after %s, %s: %s', (zone, after, schedule, expected) => {
    expect(parseInstant(next(schedule, after, zone)!)).toBe(parseInstant(expected));
  });

  // A daily window has to open every day, and once (docs/compatibility.md).
  it.each([
    ['a time that clocks skip', '2012-03-11T00:00:00-05:00', '30 2 11 Mar ?', '2012-03-11T03:30:00-04:00'],
    ['the same every day', '2012-03-11T00:00:00-05:00', '0 2 * * ?', '2012-03-11T03:00:00-04:00'],
    ['a time that they show twice', '2012-11-04T01:45:00-04:00', '30 1 04 Nov ?', '2013-11-04T01:30:00-05:00'],
    ['the same every hour', '2012-11-04T01:00:00-04:00', '0 * * * ?', '2012-11-04T02:00:00-05:00'],
    ['the same every day', '2012-11-04T01:00:00-04:00', '0 1 * * ?', '2012-11-05T01:00:00-05:00'],
  ])('differs from upstream for %s: after %s, %s: %s', (_, after, schedule, expected) => {
    expect(parseInstant(next(schedule, after, newYork)!)).toBe(parseInstant(expected));
  });
});

describe('what is refused (TestErrors, TestParseScheduleErrors, TestSlash0NoHang)', () => {
  it.each([
    ['xyz'],
    ['60 0 * * *'],
    ['0 60 * * *'],
    ['0 0 * * XYZ'],
    ['* 5 j * *'],
    ['* *'],
    ['15/0 * * * *'],
    ['@unrecognized'],
  ])('%s', (schedule) => {
    expect(parseCron(schedule)).toBeUndefined();
  });

  it('what a standard parser reads and the schema of a budget rejects', () => {
    for (const schedule of ['@every 5m', 'TZ=UTC 5 * * * *', 'CRON_TZ=UTC 5 * * * *'])
      expect(parseCron(schedule)).toBeUndefined();
  });
});

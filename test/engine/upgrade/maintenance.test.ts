import { describe, expect, it } from 'vitest';
import { isOpen, maintenanceOf, nextClosing, nextOpening, openings } from '../../../src/engine/upgrade/maintenance.ts';
import { at, configurationOf, intervals, maintenanceBy, told, type WrittenWindow } from './maintenance-of.ts';

/** The first openings from an instant on. */
const next = (window: WrittenWindow, from: string, count = 3) =>
  intervals(openings(maintenanceBy(window), at(from), count));
/** The days on which it opens, where it opens at 00:00 UTC. */
const days = (
  schedule: WrittenWindow['schedule'],
  startDate: string | undefined,
  count = 4,
  from = '2026-01-01T00:00:00Z',
) =>
  openings(maintenanceBy({ schedule, startDate, startTime: '00:00' }), at(from), count).map(({ opensMs }) =>
    told(opensMs)!.slice(0, 10),
  );

describe('the days of a schedule', () => {
  it.each<[string, WrittenWindow['schedule'], string | undefined, string[]]>([
    ['every day', { daily: { intervalDays: 1 } }, undefined, ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']],
    [
      'every third day from startDate',
      { daily: { intervalDays: 3 } },
      '2026-01-05',
      ['2026-01-05', '2026-01-08', '2026-01-11', '2026-01-14'],
    ],
    [
      'every third day since a startDate long ago',
      { daily: { intervalDays: 3 } },
      '2025-12-30',
      ['2026-01-02', '2026-01-05', '2026-01-08', '2026-01-11'],
    ],
    // 2026-01-01 is a Thursday.
    [
      'every Saturday',
      { weekly: { intervalWeeks: 1, dayOfWeek: 'Saturday' } },
      undefined,
      ['2026-01-03', '2026-01-10', '2026-01-17', '2026-01-24'],
    ],
    [
      'every second Monday, from the first on or after startDate',
      { weekly: { intervalWeeks: 2, dayOfWeek: 'Monday' } },
      '2026-01-06',
      ['2026-01-12', '2026-01-26', '2026-02-09', '2026-02-23'],
    ],
    [
      'on startDate itself',
      { weekly: { intervalWeeks: 4, dayOfWeek: 'Tuesday' } },
      '2026-01-06',
      ['2026-01-06', '2026-02-03', '2026-03-03', '2026-03-31'],
    ],
    [
      'day 31, where a month has one',
      { absoluteMonthly: { intervalMonths: 1, dayOfMonth: 31 } },
      undefined,
      ['2026-01-31', '2026-03-31', '2026-05-31', '2026-07-31'],
    ],
    [
      'day 29 of February, in leap years',
      { absoluteMonthly: { intervalMonths: 6, dayOfMonth: 29 } },
      '2026-02-01',
      ['2026-08-29', '2027-08-29', '2028-02-29', '2028-08-29'],
    ],
    [
      'every third month from the month of startDate',
      { absoluteMonthly: { intervalMonths: 3, dayOfMonth: 1 } },
      '2026-01-15',
      ['2026-04-01', '2026-07-01', '2026-10-01', '2027-01-01'],
    ],
    [
      'the second Tuesday',
      { relativeMonthly: { intervalMonths: 1, weekIndex: 'Second', dayOfWeek: 'Tuesday' } },
      undefined,
      ['2026-01-13', '2026-02-10', '2026-03-10', '2026-04-14'],
    ],
    [
      'the first Thursday, on the first of a month',
      { relativeMonthly: { intervalMonths: 1, weekIndex: 'First', dayOfWeek: 'Thursday' } },
      undefined,
      ['2026-01-01', '2026-02-05', '2026-03-05', '2026-04-02'],
    ],
    [
      'the last Friday, be it the fourth or the fifth',
      { relativeMonthly: { intervalMonths: 1, weekIndex: 'Last', dayOfWeek: 'Friday' } },
      undefined,
      ['2026-01-30', '2026-02-27', '2026-03-27', '2026-04-24'],
    ],
    [
      'every second month, without what lies before startDate',
      { relativeMonthly: { intervalMonths: 2, weekIndex: 'First', dayOfWeek: 'Monday' } },
      '2026-01-06',
      ['2026-03-02', '2026-05-04', '2026-07-06', '2026-09-07'],
    ],
  ])('%s', (_, schedule, startDate, expected) => {
    expect(days(schedule, startDate)).toEqual(expected);
  });

  it('are found thirty months apart, as day 31 of every fifth month may be', () => {
    const fifth = { absoluteMonthly: { intervalMonths: 5, dayOfMonth: 31 } };
    expect(days(fifth, '2026-01-01')).toEqual(['2026-01-31', '2028-07-31', '2028-12-31', '2029-05-31']);
  });

  it('do not exist before startDate', () => {
    const window = maintenanceBy({ startDate: '2026-12-24' });
    expect(isOpen(window, at('2026-12-23T02:00:00Z'))).toBe(false);
    expect(told(nextOpening(window, at('2026-11-20T00:00:00Z')))).toBe('2026-12-24T01:00:00Z');
  });
});

describe('local time', () => {
  // update-runs.md §3.3: 02:00 at +02:00 is 00:00 UTC.
  it('is utcOffset ahead of UTC', () => {
    expect(next({ utcOffset: '+02:00', startTime: '02:00' }, '2026-11-20T12:00:00Z', 1)).toEqual([
      '2026-11-21T00:00:00Z/2026-11-21T04:00:00Z',
    ]);
  });

  it('decides which day it is', () => {
    // Saturday 01:00 in Tokyo is Friday in UTC; in Honolulu Friday 20:00 is Saturday in UTC.
    const saturday = { weekly: { intervalWeeks: 1, dayOfWeek: 'Saturday' } } as const;
    const friday = { weekly: { intervalWeeks: 1, dayOfWeek: 'Friday' } } as const;
    expect(next({ schedule: saturday, utcOffset: '+09:00' }, '2026-11-20T12:00:00Z', 1)).toEqual([
      '2026-11-20T16:00:00Z/2026-11-20T20:00:00Z',
    ]);
    expect(next({ schedule: friday, utcOffset: '-10:00', startTime: '20:00' }, '2026-11-20T12:00:00Z', 1)).toEqual([
      '2026-11-21T06:00:00Z/2026-11-21T10:00:00Z',
    ]);
  });

  const berlin = { timeZone: 'Europe/Berlin' } as const;
  it.each<[string, WrittenWindow, string, string[]]>([
    [
      'keeps its hour when clocks are set forward, and a start that they skip is an hour later',
      { ...berlin, startTime: '02:30' },
      '2026-03-28T00:00:00Z',
      [
        '2026-03-28T01:30:00Z/2026-03-28T05:30:00Z',
        '2026-03-29T01:30:00Z/2026-03-29T05:30:00Z',
        '2026-03-30T00:30:00Z/2026-03-30T04:30:00Z',
      ],
    ],
    [
      'takes the first of two when clocks are set back',
      { ...berlin, startTime: '02:30' },
      '2026-10-24T00:00:00Z',
      [
        '2026-10-24T00:30:00Z/2026-10-24T04:30:00Z',
        '2026-10-25T00:30:00Z/2026-10-25T04:30:00Z',
        '2026-10-26T01:30:00Z/2026-10-26T05:30:00Z',
      ],
    ],
    [
      'lasts hours that pass, over a change of the clocks too',
      { ...berlin, startTime: '23:00', durationHours: 6 },
      '2026-03-28T12:00:00Z',
      [
        '2026-03-28T22:00:00Z/2026-03-29T04:00:00Z',
        '2026-03-29T21:00:00Z/2026-03-30T03:00:00Z',
        '2026-03-30T21:00:00Z/2026-03-31T03:00:00Z',
      ],
    ],
    [
      'may have offsets of half an hour',
      { timeZone: 'Australia/Lord_Howe', startTime: '01:00' },
      '2026-04-03T00:00:00Z',
      [
        '2026-04-03T14:00:00Z/2026-04-03T18:00:00Z',
        '2026-04-04T14:00:00Z/2026-04-04T18:00:00Z',
        '2026-04-05T14:30:00Z/2026-04-05T18:30:00Z',
      ],
    ],
    [
      'may skip midnight',
      { timeZone: 'Africa/Cairo', startTime: '00:00' },
      '2026-04-23T12:00:00Z',
      [
        '2026-04-23T22:00:00Z/2026-04-24T02:00:00Z',
        '2026-04-24T21:00:00Z/2026-04-25T01:00:00Z',
        '2026-04-25T21:00:00Z/2026-04-26T01:00:00Z',
      ],
    ],
  ])('%s', (_, window, from, expected) => {
    expect(next(window, from)).toEqual(expected);
  });

  it('of a whole day meets the next without a gap, except for the hour that a long day has more', () => {
    const always = maintenanceBy({ ...berlin, startTime: '00:00', durationHours: 24 });
    expect(isOpen(always, at('2026-10-25T22:30:00Z'))).toBe(false);
    expect(intervals(openings(always, at('2026-10-25T12:00:00Z'), 1))[0]).toMatch(/\/2026-10-25T22:00:00Z$/);
    expect(told(nextOpening(always, at('2026-10-25T12:00:00Z')))).toBe('2026-10-25T23:00:00Z');
  });
});

describe('an opening', () => {
  const night = maintenanceBy({ startTime: '22:00', durationHours: 8 });

  it.each([
    ['a millisecond before it begins', '2026-11-20T21:59:59.999Z', false],
    ['when it begins', '2026-11-20T22:00:00Z', true],
    ['past midnight', '2026-11-21T03:00:00Z', true],
    ['a millisecond before it ends', '2026-11-21T05:59:59.999Z', true],
    ['when it ends', '2026-11-21T06:00:00Z', false],
  ])('%s', (_, instant, expected) => {
    expect(isOpen(night, at(instant))).toBe(expected);
  });

  it('ends once, and is followed by the next', () => {
    expect(told(nextClosing(night, at('2026-11-21T03:00:00Z')))).toBe('2026-11-21T06:00:00Z');
    expect(nextClosing(night, at('2026-11-21T12:00:00Z'))).toBeUndefined();
    expect(told(nextOpening(night, at('2026-11-21T03:00:00Z')))).toBe('2026-11-21T22:00:00Z');
    expect(told(nextOpening(night, at('2026-11-21T12:00:00Z')))).toBe('2026-11-21T22:00:00Z');
  });

  it('that has begun is listed with its begin', () => {
    expect(intervals(openings(night, at('2026-11-21T03:00:00Z'), 2))).toEqual([
      '2026-11-20T22:00:00Z/2026-11-21T06:00:00Z',
      '2026-11-21T22:00:00Z/2026-11-22T06:00:00Z',
    ]);
  });

  it('of every whole day never ends', () => {
    const always = maintenanceBy({ durationHours: 24 });
    expect(isOpen(always, at('2026-11-20T00:30:00Z'))).toBe(true);
    expect(nextClosing(always, at('2026-11-20T00:30:00Z'))).toBeUndefined();
    expect(nextOpening(always, at('2026-11-20T00:30:00Z'))).toBeUndefined();
  });
});

describe('notAllowedDates', () => {
  // update-runs.md §3.3: +02:00, 2022-12-23 to 2023-01-03 is 2022-12-22T22:00Z to 2023-01-03T22:00Z.
  const holidays: WrittenWindow = {
    notAllowedDates: [{ start: '2022-12-23', end: '2023-01-03' }],
    utcOffset: '+02:00',
  };

  it.each([
    ['2022-12-22T21:59:59Z', true],
    ['2022-12-22T22:00:00Z', false],
    ['2023-01-03T21:59:59Z', false],
    ['2023-01-03T22:00:00Z', true],
  ])('are local days, both included: open at %s is %s', (instant, expected) => {
    const whole = maintenanceBy({ ...holidays, startTime: '00:00', durationHours: 24 });
    expect(isOpen(whole, at(instant))).toBe(expected);
  });

  it('cut the end of a window that crosses midnight, and the begin of another', () => {
    expect(next({ ...holidays, startTime: '22:00', durationHours: 6 }, '2022-12-22T12:00:00Z')).toEqual([
      '2022-12-22T20:00:00Z/2022-12-22T22:00:00Z',
      '2023-01-03T22:00:00Z/2023-01-04T02:00:00Z',
      '2023-01-04T20:00:00Z/2023-01-05T02:00:00Z',
    ]);
  });

  it('may be one day', () => {
    const window = { notAllowedDates: [{ start: '2026-12-25', end: '2026-12-25' }] };
    expect(next(window, '2026-12-24T12:00:00Z', 2)).toEqual([
      '2026-12-26T01:00:00Z/2026-12-26T05:00:00Z',
      '2026-12-27T01:00:00Z/2026-12-27T05:00:00Z',
    ]);
  });

  it('that overlap count together', () => {
    const window = {
      notAllowedDates: [
        { start: '2026-12-24', end: '2026-12-26' },
        { start: '2026-12-20', end: '2026-12-24' },
        { start: '2026-12-27', end: '2026-12-31' },
      ],
    };
    expect(told(nextOpening(maintenanceBy(window), at('2026-12-20T02:00:00Z')))).toBe('2027-01-01T01:00:00Z');
  });

  it('that block every day are never over', () => {
    const window = maintenanceBy({ notAllowedDates: [{ start: '2020-01-01', end: '2040-01-01' }] });
    expect(nextOpening(window, at('2026-12-20T02:00:00Z'))).toBeUndefined();
    expect(openings(window, at('2026-12-20T02:00:00Z'), 3)).toEqual([]);
  });

  it('begin and end when the local day does, whatever the clocks did on it', () => {
    const window = maintenanceBy({
      timeZone: 'Europe/Berlin',
      startTime: '00:00',
      durationHours: 24,
      notAllowedDates: [{ start: '2026-03-29', end: '2026-03-29' }],
    });
    expect(isOpen(window, at('2026-03-28T22:59:59Z'))).toBe(true);
    expect(isOpen(window, at('2026-03-28T23:00:00Z'))).toBe(false);
    expect(isOpen(window, at('2026-03-29T21:59:59Z'))).toBe(false);
    expect(isOpen(window, at('2026-03-29T22:00:00Z'))).toBe(true);
  });
});

describe('several configurations of one member', () => {
  it('are open when any is', () => {
    const window = maintenanceBy({}, { startTime: '04:00' }, { startTime: '12:00' });
    expect(intervals(openings(window, at('2026-11-20T00:00:00Z'), 2))).toEqual([
      '2026-11-20T01:00:00Z/2026-11-20T08:00:00Z',
      '2026-11-20T12:00:00Z/2026-11-20T16:00:00Z',
    ]);
  });

  it('are one opening where they follow without a gap', () => {
    const window = maintenanceBy({}, { startTime: '05:00' });
    expect(intervals(openings(window, at('2026-11-20T00:00:00Z'), 1))).toEqual([
      '2026-11-20T01:00:00Z/2026-11-20T09:00:00Z',
    ]);
  });

  it('are all blocked by a blocked date of any', () => {
    const window = maintenanceBy(
      { notAllowedDates: [{ start: '2026-11-21', end: '2026-11-21' }] },
      { startTime: '12:00' },
    );
    expect(told(nextOpening(window, at('2026-11-20T16:00:00Z')))).toBe('2026-11-22T01:00:00Z');
  });
});

describe('the configurations of a member', () => {
  const member = { name: 'eu-1', labels: { env: 'prod', region: 'westeurope' } };
  const names = (type: 'Full' | 'ControlPlaneOnly' | 'NodeImageOnly', of = member) =>
    maintenanceOf(configurations, of, type)?.names;
  const configurations = [
    configurationOf({}, { clusterName: 'eu-1' }, 'named'),
    configurationOf({}, { memberSelector: { byLabel: 'env=prod,region in (westeurope, northeurope)' } }, 'selected'),
    configurationOf({}, { memberSelector: { byLabel: 'env!=prod' } }, 'others'),
    configurationOf({}, { clusterName: 'eu-1', configurationName: 'aksManagedAutoUpgradeSchedule' }, 'versions'),
    configurationOf({}, { clusterName: 'eu-1', configurationName: 'aksManagedNodeOSUpgradeSchedule' }, 'images'),
  ];

  it('are those that name it or its labels, by the type of upgrade', () => {
    expect(names('Full')).toEqual(['named', 'versions', 'selected']);
    expect(names('ControlPlaneOnly')).toEqual(['named', 'versions', 'selected']);
    expect(names('NodeImageOnly')).toEqual(['named', 'images', 'selected']);
    expect(names('Full', { name: 'eu-2', labels: { env: 'dev', region: 'x' } })).toEqual(['others']);
  });

  it('are none: then nothing restricts it', () => {
    expect(maintenanceOf([configurations[0]!], { ...member, name: 'eu-2' }, 'Full')).toBeUndefined();
  });

  it('are one value for all members that have the same', () => {
    const other = { ...member, labels: { ...member.labels, more: 'x' } };
    expect(maintenanceOf(configurations, other, 'Full')).toBe(maintenanceOf(configurations, member, 'Full'));
  });
});

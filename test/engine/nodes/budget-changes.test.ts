import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInstant, parseInstant } from '../../../src/engine/kernel/instant.ts';
import { type Budgets, limitsChangeAt, readBudgets } from '../../../src/engine/node-pools/budgets.ts';
import { poolLints } from '../../../src/engine/node-pools/lints.ts';
import { readPool } from '../../../src/engine/node-pools/pool.ts';
import type { Window } from '../../../src/engine/window/window.ts';
import { drawn, patience } from '../../support/law-runs.ts';

const now = parseInstant('2026-11-20T10:00:00Z')!;
const minuteMs = 60_000;
const total = 20;

interface Written {
  readonly nodes: string;
  readonly schedule?: string;
  readonly duration?: string;
  readonly reasons?: readonly string[];
}

const daily = { nodes: '0', schedule: '@daily', duration: '24h' };
const hourly = { nodes: '0', schedule: '@hourly', duration: '1h' };
const everyMinute = { nodes: '0', schedule: '* * * * *', duration: '1m' };

describe('the next change of limits', () => {
  it.each<[string, readonly Written[], string | undefined]>([
    ['is none beside windows without a gap', [daily, { nodes: '1', schedule: '@hourly', duration: '10m' }], undefined],
    [
      'is none beside hours without a gap',
      [hourly, { nodes: '1', schedule: '*/15 * * * *', duration: '5m' }],
      undefined,
    ],
    [
      'is none beside minutes without a gap',
      [everyMinute, { nodes: '1', schedule: '* * * * 1-5', duration: '1m' }],
      undefined,
    ],
    [
      'is none where equal budgets take turns',
      [
        { nodes: '3', schedule: '*/2 * * * *', duration: '1m' },
        { nodes: '3', schedule: '1-59/2 * * * *', duration: '1m' },
      ],
      undefined,
    ],
    [
      'is none where years leave no gap',
      [
        { nodes: '0', schedule: '@yearly', duration: '8784h' },
        { nodes: '1', schedule: '@hourly', duration: '10m' },
      ],
      undefined,
    ],
    [
      'ends thousands of minutes without a gap',
      [{ nodes: '0', schedule: '* * 1-29 * *', duration: '1m' }],
      '2026-11-30T00:00:00Z',
    ],
    [
      'ends weeks that days of two schedules fill',
      [{ nodes: '0', schedule: '0 0 * * 1-5', duration: '24h' }, { nodes: '10%' }],
      '2026-11-21T00:00:00Z',
    ],
  ])('%s', (_, budgets, expected) => {
    const counted = { calls: 0 };
    const change = limitsChangeAt(
      { budgets: counting(readBudgets(budgets), counted), profile: 'karpenter-1.14' },
      total,
      now,
    );
    expect(change === undefined ? undefined : formatInstant(change)).toBe(expected);
    expect(counted.calls).toBeLessThan(5000);
  });

  it('is the first at which a clock sees another limit', { timeout: patience(20_000) }, () => {
    fc.assert(
      fc.property(fc.array(budget, { minLength: 1, maxLength: 4 }), fc.nat(400 * 24 * 60), (budgets, later) => {
        const from = now + later * minuteMs;
        const found = limitsChangeAt({ budgets: readBudgets(budgets), profile: 'karpenter-1.14' }, total, from);
        expect({ budgets, change: found !== undefined && found <= from + clockMs ? found : undefined }).toEqual({
          budgets,
          change: clockChange(budgets, from),
        });
      }),
      drawn(100, 6),
    );
  });
});

it('windows without a gap are no schedules that never fire', () => {
  const manifest = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    spec: { disruption: { budgets: [daily, everyMinute] } },
  };
  const lints = poolLints(readPool(manifest, undefined), { now, isDelegated: false });
  expect(lints.map(({ rule }) => rule)).toEqual(['NodeBudgetBlocksForever']);
});

/** The same budgets, which count how often a window is asked. */
const counting = (budgets: Budgets, counted: { calls: number }): Budgets =>
  budgets === 'invalid'
    ? budgets
    : budgets.map(({ window, ...budget }) => ({ ...budget, window: window && countingWindow(window, counted) }));

function countingWindow(window: Window, counted: { calls: number }): Window {
  const count =
    (ask: (at: number) => number | undefined) =>
    (at: number): number | undefined => {
      counted.calls++;
      return ask(at);
    };
  return { closesAt: count(window.closesAt), opensAfter: count(window.opensAfter) };
}

// A clock that asks every minute of ten days, with a cron of its own.

const clockMs = 10 * 24 * 60 * minuteMs;
const durations: Readonly<Record<string, number>> = {
  '1m': 1,
  '10m': 10,
  '30m': 30,
  '1h': 60,
  '1h1m': 61,
  '8h': 480,
  '23h59m': 1439,
  '24h': 1440,
  '48h': 2880,
  '120h': 7200,
};
const one = <T>(...of: readonly T[]) => fc.constantFrom(...of);
const budget: fc.Arbitrary<Written> = fc
  .record({
    nodes: one('0', '1', '3', '10%', '50%'),
    window: fc.option(
      fc.tuple(
        one('*', '*/2', '1-59/2', '0', '30', '15,45', '*/15', '0-29'),
        one('*', '*/3', '0', '9', '0-11', '12-23', '22,23'),
        one('*', '*', '*', '1', '*/2', '1-20', '31'),
        one('*', '*', '*', '11', '12', '1-11'),
        one('*', '*', '1-5', '6,0', '3'),
        one(...Object.keys(durations)),
      ),
      { freq: 6 },
    ),
    reasons: fc.option(fc.subarray(['Empty', 'Drifted', 'Underutilized']), { freq: 1 }),
  })
  .map(({ nodes, window, reasons }) => ({
    nodes,
    // The 31st of November never comes: such a budget counts as active for ever.
    ...(window === null || (window[2] === '31' && window[3] === '11')
      ? {}
      : { schedule: window.slice(0, 5).join(' '), duration: window[5] }),
    ...(reasons === null ? {} : { reasons }),
  }));

function clockChange(budgets: readonly Written[], from: number): number | undefined {
  const active = budgets.map((one) => activeMinutes(one, from));
  const amounts = budgets.map(({ nodes }) =>
    nodes.endsWith('%') ? Math.ceil((Number.parseInt(nodes, 10) * total) / 100) : Number(nodes),
  );
  const limitsAt = (minute: number): string =>
    ['Empty', 'Drifted', 'Underutilized']
      .map((reason) =>
        Math.min(
          ...budgets.map(({ reasons }, at) =>
            active[at]![minute] === 1 && (reasons?.includes(reason) ?? true) ? amounts[at]! : Number.POSITIVE_INFINITY,
          ),
        ),
      )
      .join();
  const before = limitsAt(0);
  for (let minute = 1; minute <= clockMs / minuteMs; minute++)
    if (limitsAt(minute) !== before) return from + minute * minuteMs;
  return undefined;
}

/** 1 for each minute from the instant on in which a hit of the last minutes, as many as the duration has, keeps the window open. */
function activeMinutes({ schedule, duration }: Written, from: number): Uint8Array {
  const minutes = clockMs / minuteMs + 1;
  const active = new Uint8Array(minutes).fill(schedule === undefined ? 1 : 0);
  if (schedule === undefined) return active;
  const length = durations[duration!]!;
  const hits = hitter(schedule);
  let last = Number.NEGATIVE_INFINITY;
  for (let minute = 1 - length; minute < minutes; minute++) {
    if (hits(from / minuteMs + minute)) last = minute;
    if (minute >= 0 && last > minute - length) active[minute] = 1;
  }
  return active;
}

/** Whether a schedule hits in a minute, counted from 1970. */
function hitter(schedule: string): (minute: number) => boolean {
  const fields = schedule.split(' ');
  const [minutes, hours, dates, months, weekdays] = fields.map((field, at) => valuesOf(field, at === 2 ? 1 : 0));
  const isEither = fields[2] !== '*' && fields[4] !== '*';
  const isOnDay = (day: number): boolean => {
    const at = new Date(day * 24 * 60 * minuteMs);
    const [date, weekday] = [dates!.has(at.getUTCDate()), weekdays!.has(at.getUTCDay())];
    return months!.has(at.getUTCMonth() + 1) && (isEither ? date || weekday : date && weekday);
  };
  return (minute) =>
    minutes!.has(minute % 60) && hours!.has(Math.floor(minute / 60) % 24) && isOnDay(Math.floor(minute / 1440));
}

/** The values of a field; `first`: the least, from which steps are counted. */
const valuesOf = (field: string, first: number): ReadonlySet<number> =>
  new Set(
    field.split(',').flatMap((part) => {
      const [range, step = '1'] = part.split('/');
      const [low, high = low] = range === '*' ? [first, 59] : range!.split('-').map(Number);
      return Array.from({ length: 60 }, (_, value) => value).filter(
        (value) => value >= low! && value <= high! && (value - low!) % Number(step) === 0,
      );
    }),
  );

import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import { formatInstant, parseInstant } from '../../../src/engine/kernel/instant.ts';
import { zeroBudgets } from '../../../src/engine/node-pools/allow-windows.ts';
import { budgetDurationMs } from '../../../src/engine/node-pools/budget-window.ts';
import { limitOf, limitsChangeAt, readBudgets, unbounded } from '../../../src/engine/node-pools/budgets.ts';
import { poolLints } from '../../../src/engine/node-pools/lints.ts';
import { readPool } from '../../../src/engine/node-pools/pool.ts';
import { poolEntry } from '../../../src/engine/nodes/plan-cluster.ts';

const at = (text: string) => parseInstant(text)!;
const limit = (
  budgets: unknown,
  nodes: number,
  now = '2026-11-20T10:00:00Z',
  reason: 'Empty' | 'Drifted' | 'Underutilized' = 'Drifted',
) => limitOf(readBudgets(budgets), reason, nodes, at(now));

describe('one budget', () => {
  it.each([
    ['5%', 10, 1],
    ['10%', 1, 1],
    ['1%', 1, 1],
    ['0%', 10, 0],
    ['0', 10, 0],
    ['100%', 7, 7],
    ['20', 5, 20],
    ['10%', 0, 0],
  ])('%s of %i nodes are %i', (nodes, total, expected) => {
    expect(limit([{ nodes }], total)).toBe(expected);
  });

  it('is 10% where the list is absent, and unlimited where it is empty', () => {
    expect(limit(undefined, 15)).toBe(2);
    expect(limit([], 15)).toBe(unbounded);
  });

  it('reads null as absent', () => {
    expect(limit([{ nodes: '50%', schedule: null, duration: null, reasons: null }], 10)).toBe(5);
  });

  it.each([
    ['a number', [{ nodes: 5 }]],
    ['a schedule without a duration', [{ nodes: '5', schedule: '@daily' }]],
    ['a macro with trailing text', [{ nodes: '5', schedule: '@dailyX', duration: '1h' }]],
    ['six fields', [{ nodes: '5', schedule: '0 0 0 * * *', duration: '1h' }]],
    ['a reversed range', [{ nodes: '5', schedule: '0 0 * * tue-mon', duration: '1h' }]],
    ['seconds', [{ nodes: '5', schedule: '@daily', duration: '30s' }]],
    ['an unknown reason', [{ nodes: '5', reasons: ['Expired'] }]],
    [
      'an invalid one beside a valid one',
      [{ nodes: '50%' }, { nodes: '5', schedule: '@every 1h', duration: '1h', reasons: ['Empty'] }],
    ],
  ])('allows nothing for any reason with %s', (_, budgets) => {
    expect(limit(budgets, 10)).toBe(0);
  });

  it.each([
    ['10h5m', 36_300_000],
    ['30m', 1_800_000],
    ['160h', 576_000_000],
    ['90m', 5_400_000],
    ['1h30m0s', 5_400_000],
    ['30s', undefined],
    ['1d', undefined],
    ['-20m', undefined],
  ])('lasts %s', (text, ms) => {
    expect(budgetDurationMs(text)).toBe(ms);
  });
});

describe('windows', () => {
  const noon = [{ nodes: '0', schedule: '0 12 * * *', duration: '1h' }];
  it.each([
    ['2026-11-20T11:59:59Z', unbounded],
    ['2026-11-20T12:00:00Z', 0],
    ['2026-11-20T12:59:59Z', 0],
    ['2026-11-20T13:00:00Z', unbounded],
  ])('are half-open: at %s', (now, expected) => {
    expect(limit(noon, 10, now)).toBe(expected);
  });

  it('that are longer than their period are always active', () => {
    expect(limit([{ nodes: '1', schedule: '@hourly', duration: '2h' }], 10)).toBe(1);
  });

  it('that never fire count as always active', () => {
    expect(limit([{ nodes: '1', schedule: '0 0 30 2 *', duration: '1h' }], 10)).toBe(1);
    const leap = [{ nodes: '1', schedule: '0 0 29 2 *', duration: '1h' }];
    expect(limit(leap, 10, '2095-06-01T00:00:00Z')).toBe(unbounded);
    expect(limit(leap, 10, '2096-03-02T00:00:00Z')).toBe(1);
    expect(limit(leap, 10, '2098-12-31T00:00:00Z')).toBe(1);
    expect(limit(leap, 10, '2099-01-02T00:00:00Z')).toBe(unbounded);
  });
});

describe('the examples of the product page', () => {
  const business = [{ nodes: '10%' }, { nodes: '0', schedule: '0 9 * * 1-5', duration: '8h' }];
  const three = [{ nodes: '20%' }, { nodes: '5' }, { nodes: '0', schedule: '@daily', duration: '10m' }];
  const weekend = [{ nodes: '50%', schedule: '0 0 * * 6', duration: '48h' }, { nodes: '0' }];
  const gradual = [
    { nodes: '1', schedule: '0 2 * * *', duration: '2h' },
    { nodes: '3', schedule: '0 4 * * *', duration: '4h' },
  ];
  it.each([
    ['business hours on Friday', business, 15, '2026-11-20T09:00:00Z', 0],
    ['business hours on Friday at 16:59:59', business, 15, '2026-11-20T16:59:59Z', 0],
    ['business hours on Friday at 17:00', business, 15, '2026-11-20T17:00:00Z', 2],
    ['business hours on Saturday', business, 15, '2026-11-21T10:00:00Z', 2],
    ['three budgets at midnight', three, 30, '2026-11-20T00:05:00Z', 0],
    ['three budgets, 20 % of 20', three, 20, '2026-11-20T10:00:00Z', 4],
    ['three budgets, 20 % of 25', three, 25, '2026-11-20T10:00:00Z', 5],
    ['three budgets, 5 of 26', three, 26, '2026-11-20T10:00:00Z', 5],
    ['weekend only, on a weekend', weekend, 10, '2026-11-21T10:00:00Z', 0],
    ['gradual at 3', gradual, 10, '2026-11-20T03:00:00Z', 1],
    ['gradual at 5', gradual, 10, '2026-11-20T05:00:00Z', 3],
    ['gradual at noon', gradual, 10, '2026-11-20T12:00:00Z', unbounded],
  ])('%s', (_, budgets, nodes, now, expected) => {
    expect(limit(budgets, nodes, now)).toBe(expected);
  });

  const rulesOf = (budgets: unknown) => {
    const pool = readPool(
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'p' },
        spec: { disruption: { budgets } },
      } as Manifest,
      undefined,
    );
    return poolLints(pool, { now: at('2026-11-20T10:00:00Z'), isDelegated: false }).map(({ rule, spans, reasons }) => ({
      rule,
      first: spans?.[0],
      reasons,
    }));
  };

  it('are looked at for 400 days: three changes a day until the next autumn hide nothing', () => {
    const daily = { nodes: '20%', schedule: '0 9 * * *', duration: '8h' };
    const rest = { nodes: '10%', schedule: '0 17 * 1-9,11-12 *', duration: '16h' };
    const october = { nodes: '5%', schedule: '0 20 * 10 *', duration: '13h' };
    // In October nothing is active between 17:00 and 20:00.
    expect(rulesOf([daily, rest, october])[0]).toEqual({
      rule: 'NodeBudgetUnbounded',
      first: { from: '2027-10-01T17:00:00Z', to: '2027-10-01T20:00:00Z' },
      reasons: undefined,
    });
  });

  it('span to their very end, also where that is years ahead', () => {
    const leapDay = { nodes: '0', schedule: '0 0 29 2 *', duration: '24h' };
    expect(rulesOf([leapDay])[0]).toEqual({
      rule: 'NodeBudgetUnbounded',
      first: { from: '2026-11-20T10:00:00Z', to: '2028-02-29T00:00:00Z' },
      reasons: undefined,
    });
    // A leap year is a day longer than this window.
    const almostAlways = { nodes: '0', schedule: '@yearly', duration: '8760h' };
    expect(rulesOf([{ nodes: '10%' }, almostAlways])).toEqual([]);
  });

  it('that change every other minute hide no budget of zero nodes', () => {
    const noise = { nodes: '20%', schedule: '*/2 * * * *', duration: '1m' };
    expect(rulesOf([{ nodes: '10%' }, noise])).toEqual([]);
    expect(rulesOf([{ nodes: '0' }, noise]).map(({ rule }) => rule)).toEqual(['NodeBudgetBlocksForever']);
    expect(rulesOf([{ nodes: '10%' }, noise, { nodes: '0', schedule: '@yearly', duration: '9000h' }])).toEqual([
      { rule: 'NodeBudgetBlocksForever', first: { from: '2026-11-20T10:00:00Z' }, reasons: undefined },
    ]);
  });

  it('get the lint they deserve', () => {
    expect(rulesOf(business)).toEqual([]);
    expect(rulesOf(weekend)).toEqual([
      { rule: 'NodeBudgetBlocksForever', first: { from: '2026-11-20T10:00:00Z' }, reasons: undefined },
    ]);
    expect(rulesOf(gradual)).toEqual([
      {
        rule: 'NodeBudgetUnbounded',
        first: { from: '2026-11-20T10:00:00Z', to: '2026-11-21T02:00:00Z' },
        reasons: undefined,
      },
    ]);
    expect(rulesOf([])).toEqual([
      { rule: 'NodeBudgetUnbounded', first: { from: '2026-11-20T10:00:00Z' }, reasons: undefined },
    ]);
    expect(rulesOf([{ nodes: '0', reasons: ['Drifted'] }, { nodes: '5' }])).toEqual([
      { rule: 'NodeBudgetBlocksForever', first: { from: '2026-11-20T10:00:00Z' }, reasons: ['Drifted'] },
    ]);
    const nightly = { nodes: '0', reasons: ['Empty'], schedule: '0 22 * * *', duration: '6h' };
    expect(rulesOf([{ nodes: '0', reasons: ['Drifted'] }, { nodes: '5' }, nightly])).toEqual([
      { rule: 'NodeBudgetBlocksForever', first: { from: '2026-11-20T10:00:00Z' }, reasons: ['Drifted'] },
    ]);
    expect(rulesOf([{ nodes: '0', schedule: '0 0 30 2 *', duration: '1h' }, { nodes: '5' }, nightly])).toMatchObject([
      { rule: 'NodeBudgetBlocksForever', reasons: undefined },
      { rule: 'NodeBudgetNeverFires' },
    ]);
    expect(rulesOf([{ nodes: '1', schedule: '0 0 30 2 *', duration: '1h' }])[0]).toEqual({
      rule: 'NodeBudgetNeverFires',
      first: { from: '2026-11-20T10:00:00Z' },
      reasons: undefined,
    });
    expect(rulesOf([{ nodes: '1', reasons: [] }, { nodes: '5' }]).map(({ rule }) => rule)).toEqual([
      'NodeBudgetWithoutReasons',
    ]);
  });

  it('change when their windows open and close', () => {
    const pool = { budgets: readBudgets(business), profile: 'karpenter-1.14' };
    const next = (now: string) => {
      const change = limitsChangeAt(pool, 15, at(now));
      return change === undefined ? undefined : formatInstant(change);
    };
    expect(next('2026-11-20T10:00:00Z')).toBe('2026-11-20T17:00:00Z');
    expect(next('2026-11-20T17:00:00Z')).toBe('2026-11-23T09:00:00Z');
  });
  it('changes of windows that are rare are found beyond the horizon', () => {
    const disruption = { budgets: [{ nodes: '10%' }, { nodes: '0', schedule: '0 0 29 2 *', duration: '24h' }] };
    const pool = readPool(
      { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'default' }, spec: { disruption } },
      undefined,
    );
    expect(poolEntry(pool, { total: 10, disrupting: 0 }, at('2026-11-20T10:00:00Z')).changesAt).toBe(
      '2028-02-29T00:00:00Z',
    );
  });
});

describe('windows that are allowed', () => {
  it.each([
    [
      'every night',
      '[{"schedule": "0 22 * * *", "duration": "6h"}]',
      [{ nodes: '0', schedule: '0 4 * * *', duration: '18h' }],
    ],
    [
      'the weekend',
      '[{"schedule": "0 0 * * 6", "duration": "48h"}]',
      [{ nodes: '0', schedule: '0 0 * * 1', duration: '120h' }],
    ],
    [
      'every day of every month, written as lists',
      '[{"schedule": "0 22 1-31 */1 *", "duration": "6h"}]',
      [{ nodes: '0', schedule: '0 4 * * *', duration: '18h' }],
    ],
    ['no time', '[]', [{ nodes: '0' }]],
    ['all the time', '[{"schedule": "@hourly", "duration": "1h"}]', []],
  ])('%s', (_, written, budgets) => {
    expect(zeroBudgets(written)).toEqual({ ok: true, budgets });
  });

  it.each([
    '[{"schedule": "0 0 1 * *", "duration": "6h"}]',
    '[{"schedule": "0 0 29 2 *", "duration": "6h"}]',
    '[{"schedule": "0 0 */2 * 1", "duration": "6h"}]',
    '[{"schedule": "0 0 * 1-11 *", "duration": "6h"}]',
    '[{"schedule": "@monthly", "duration": "6h"}]',
    'every night',
    '[{"schedule": "0 25 * * *", "duration": "6h"}]',
  ])('without such budgets are refused: %s', (written) => expect(zeroBudgets(written).ok).toBe(false));

  it.each([
    ['[{"schedul": "@daily", "duration": "6h"}]', 'a window has no field schedul, only schedule and duration'],
    ['[{"schedule": "@daily"}]', 'a window needs schedule and duration'],
    ['["@daily"]', 'a window needs schedule and duration'],
    ['[{"schedule": "@daily", "duration": 6}]', '6 is not a duration of hours and minutes'],
  ])('are refused with what is wrong: %s', (written, fault) =>
    expect(zeroBudgets(written)).toEqual({ ok: false, fault }),
  );
});

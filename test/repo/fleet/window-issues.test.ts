import { describe, expect, it } from 'vitest';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { treeOf } from '../../support/paper-fleet.ts';

const problems = async (entry: string) => {
  const { problems: found } = await loadFleet(
    treeOf({
      'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec:\n  freeze:\n  - {name: a, ${entry}}\n`,
    }),
  );
  return found.map(({ code, path, fix }) => [code, path?.replace('spec.freeze.0.', ''), fix]);
};
const cron = 'write five fields, minute hour day-of-month month day-of-week: `0 18 * * 5`, or @daily and the like';
const hours = 'write hours, minutes or seconds above 0: `62h`, `30m`';
const zone = 'write an IANA name: `Europe/Berlin`, or leave it out for UTC';

describe('a freeze that cannot be read', () => {
  it.each<[string, string, (string | undefined)[][]]>([
    ['no fault', 'schedule: 0 3 * * 5, duration: 2h', []],
    ['its schedule', 'schedule: 0 25 * * 5, duration: 2h', [['invalid-freeze', 'schedule', cron]]],
    [
      'all of it at once',
      'schedule: 0 25 * * 5, duration: "62", timeZone: Europe/Berlyn',
      [
        ['invalid-freeze', 'schedule', cron],
        ['invalid-freeze', 'duration', hours],
        ['invalid-freeze', 'timeZone', zone],
      ],
    ],
    [
      'a number for a duration, which in quotes is none either',
      'schedule: 0 25 * * 5, duration: 62',
      [['wrong-type', 'duration', hours]],
    ],
  ])('is reported for %s', async (_, entry, expected) => {
    expect(await problems(entry)).toEqual(expected);
  });
});

it('a budget of nodes that cannot be read is an invalid budget, and leaves the rest of the file in effect', async () => {
  const { config, problems: found } = await loadFleet(
    treeOf({
      'fleet.yaml':
        'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec:\n  nodeDisruption:\n    budgets:\n    - {nodes: "10%"}\n    - {nodes: "0", schedule: 0 25 * * 5, duration: 2h}\n',
    }),
  );
  expect(found).toMatchObject([
    {
      severity: 'error',
      code: 'invalid-budget',
      line: 7,
      path: 'spec.nodeDisruption.budgets.1.schedule',
      message: expect.stringContaining('this budget allows nothing until it is fixed'),
      fix: cron,
    },
  ]);
  expect(config?.spec.nodeDisruption?.budgets).toHaveLength(2);
});

it.each([
  ['that limits something', '{nodes: "1", reasons: [Empty]}', []],
  [
    'without a reason',
    '{nodes: "1", reasons: []}',
    ['warning no-use reasons: remove reasons for all of them, or list some'],
  ],
  ['of zero for some reasons', '{nodes: "0", reasons: [Drifted]}', []],
  [
    'of zero',
    '{nodes: 0%, clusters: "1"}',
    [
      'warning zero-budget nodes: give it a schedule and a duration or reasons, or set the mode of its clusters to plan',
    ],
  ],
  [
    'whose schedule matches no date',
    '{nodes: "1", schedule: 0 0 30 2 *, duration: 1h}',
    ['warning no-use schedule: write a schedule that matches a date, or remove schedule and duration'],
  ],
  [
    'without a duration',
    '{nodes: "1", schedule: "@daily"}',
    ['error field-required : add duration, or remove schedule'],
  ],
  ['without a schedule', '{nodes: "1", duration: 1h}', ['error field-required : add schedule, or remove duration']],
])('a budget of nodes %s', async (_, budget, expected) => {
  const head = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec:\n  nodeDisruption:\n    budgets:\n';
  const { problems: found } = await loadFleet(treeOf({ 'fleet.yaml': `${head}    - ${budget}\n` }));
  const field = (path = '') => path.replace(/^spec.nodeDisruption.budgets.0.?/, '');
  expect(found.map(({ severity, code, path, fix }) => `${severity} ${code} ${field(path)}: ${fix}`)).toEqual(expected);
});

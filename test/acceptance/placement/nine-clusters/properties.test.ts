import { describe, expect, it } from 'vitest';
import { carriedOut, filtered, outscored, picked, placement, plan, shop } from '../../../support/plan-command.ts';
import { decide, members, names, pickN, where } from './clusters.ts';

const cpu = (kind: string): string => `resources.kubernetes-fleet.io/${kind}-cpu`;
const memory = (kind: string): string => `resources.kubernetes-fleet.io/${kind}-memory`;
const nodes = 'kubernetes-fleet.io/node-count';
const rating = 'example.com/energy-efficiency-rating';
const asks = (...expressions: readonly (readonly [name: string, operator: string, value: string])[]) => ({
  propertySelector: {
    matchExpressions: expressions.map(([name, operator, value]) => ({ name, operator, values: [value] })),
  },
});
const by = (name: string, sortOrder: 'Ascending' | 'Descending', labels?: object) => ({
  ...(labels && { labelSelector: { matchLabels: labels } }),
  propertySorter: { name, sortOrder },
});

describe('properties of nine clusters', () => {
  const pickAll = (...clusterSelectorTerms: readonly object[]) => ({
    placementType: 'PickAll',
    affinity: { clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms } } },
  });
  it.each<[title: string, terms: readonly object[], expected: string]>([
    [
      'four expressions in one term',
      [
        asks(
          [nodes, 'Ge', '4'],
          [rating, 'Lt', '45'],
          [cpu('allocatable'), 'Ne', '14'],
          [memory('available'), 'Gt', '4Gi'],
        ),
      ],
      'c3',
    ],
    [
      'four terms of one expression',
      [
        asks([nodes, 'Ge', '8']),
        asks([rating, 'Gt', '99']),
        asks([cpu('total'), 'Eq', '12']),
        asks([memory('total'), 'Le', '4Gi']),
      ],
      'c1 c3 c4 c5 c7',
    ],
    ['labels and a property', [{ ...where({ region: 'east' }), ...asks([nodes, 'Ge', '4']) }], 'c2 c3'],
    [
      'labels or properties',
      [where({ env: 'prod', region: 'west' }), asks([rating, 'Ge', '40'], [cpu('total'), 'Gt', '12'])],
      'c5 c6',
    ],
    ['nothing matches', [asks([rating, 'Le', '0'])], ''],
  ])('%s', async (_, terms, expected) => {
    const { placement: found } = await decide(pickAll(...terms));
    expect(found().scheduled.status).toBe('True');
    expect(picked(found()).map((text) => text.split(' ')[0])).toEqual(expected.split(' ').filter(Boolean));
  });

  it('a new selector takes over what it still matches, drops the rest and adds what is new', async () => {
    const narrow = await decide(pickAll(asks([nodes, 'Le', '6'], [nodes, 'Ge', '2'])));
    const there = await plan({
      repo: {
        'clusters/all.yaml': members,
        'resources/shop.yaml': shop,
        'placements/web.yaml': placement(JSON.stringify(pickAll(asks([nodes, 'Le', '6'], [nodes, 'Ge', '2'])))),
      },
      observed: carriedOut(narrow, names),
      recorded: narrow.recorded,
    });
    expect(picked(there.placement())).toEqual(['c1 0/0', 'c2 0/0', 'c3 0/0', 'c4 0/0', 'c6 0/0']);
    const wide = await decide(pickAll(asks([nodes, 'Le', '8'], [nodes, 'Ge', '4'])), { recorded: there.recorded });
    expect(picked(wide.placement())).toEqual(['c2 0/0', 'c3 0/0', 'c5 0/0', 'c7 0/0']);
    expect(
      wide.placement().bindings.flatMap(({ clusterName, state }) => (state === 'Unscheduled' ? [clusterName] : [])),
    ).toEqual(['c1', 'c4', 'c6']);
    expect(wide.placement().policySnapshotIndex).toBe(1);
  });

  it.each<[title: string, n: number, preferred: readonly (readonly [number, object])[], expected: string]>([
    [
      'fewest nodes; the stale cluster has the smallest number',
      3,
      [[100, by(nodes, 'Ascending')]],
      'c6 86, c4 86, c1 86 | c2 57, c3 29, c7 0, c5 0',
    ],
    ['most nodes', 3, [[100, by(nodes, 'Descending')]], 'c7 100, c5 100, c3 71 | c2 43, c6 14, c4 14, c1 14'],
    [
      'a property that no cluster has',
      3,
      [[100, by('example.com/unknown', 'Ascending')]],
      'c7 0, c6 0, c5 0 | c4 0, c3 0, c2 0, c1 0',
    ],
    [
      'a property that is everywhere the same',
      3,
      [[100, by('example.com/same', 'Ascending')]],
      'c7 0, c6 0, c5 0 | c4 0, c3 0, c2 0, c1 0',
    ],
    [
      'three sorters',
      3,
      [
        [100, by(nodes, 'Ascending')],
        [80, by(rating, 'Descending')],
        [60, by(memory('allocatable'), 'Descending')],
      ],
      'c1 168, c4 146, c6 135 | c2 108, c3 68, c7 60, c5 46',
    ],
    [
      'a sorter for some labels',
      4,
      [[100, by(cpu('available'), 'Descending', { env: 'canary' })]],
      'c3 75, c7 50, c6 0, c5 0 | c4 0, c2 0, c1 0',
    ],
    [
      'two sorters, each for some labels',
      4,
      [
        [100, by(cpu('available'), 'Descending', { env: 'canary' })],
        [100, by(rating, 'Descending', { region: 'east' })],
      ],
      'c3 100, c1 100, c7 50, c2 50 | c6 0, c5 0, c4 0',
    ],
  ])('%s', async (_, n, preferred, expected) => {
    const { placement: found } = await decide(pickN(n, { preferred }), { extra: { 'example.com/same': '0' } });
    const affinity = (lines: readonly string[]): string => lines.map((line) => line.replace(/\/0$/, '')).join(', ');
    expect(`${affinity(picked(found()))} | ${affinity(outscored(found()))}`).toBe(expected);
    expect(filtered(found())).toEqual(['left', 'stale']);
  });
});

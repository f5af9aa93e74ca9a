import { expect, it } from 'vitest';
import {
  filtered,
  indent,
  member,
  type Observed,
  outscored,
  picked,
  placement,
  plan,
  reasonOf,
  seen,
  shop,
} from '../../support/plan-command.ts';

/** A PickN placement with these preferred terms (YAML list). */
const preferring = (number: number, terms: string): string =>
  placement(`placementType: PickN
numberOfClusters: ${number}
affinity:
  clusterAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
${indent(terms, 4)}`);

const sorter = (weight: number, name: string, sortOrder: string): string =>
  `- weight: ${weight}\n  preference:\n    propertySorter: {name: ${name}, sortOrder: ${sortOrder}}`;

/** Clusters with labels, each with what was seen of it. */
const fleet = async (
  policy: string,
  clusters: Readonly<Record<string, Observed & { readonly labels?: Readonly<Record<string, string>> }>>,
) =>
  plan({
    repo: {
      'clusters/all.yaml': Object.entries(clusters).map(([name, { labels }]) => member(name, labels ? { labels } : {})),
      'resources/shop.yaml': shop,
      'placements/web.yaml': policy,
    },
    observed: Object.entries(clusters).map(([name, { labels: _, ...observation }]) => seen(name, observation)),
  });

const nodes = (count: string): Observed => ({ properties: { 'kubernetes-fleet.io/node-count': count } });
const available = (cpu: string): Observed => ({
  usage: { capacity: { cpu: '200' }, allocatable: { cpu: '150' }, available: { cpu } },
});

it('product page: available CPU 100, 20, 10 is worth 100, 11 and 0 of weight 100', async () => {
  const { placement: web, code } = await fleet(
    preferring(1, sorter(100, 'resources.kubernetes-fleet.io/available-cpu', 'Descending')),
    { c1: available('100'), c2: available('20'), c3: available('10') },
  );
  expect(picked(web())).toEqual(['c1 100/0']);
  expect(outscored(web())).toEqual(['c2 11/0', 'c3 0/0']);
  expect(filtered(web())).toEqual([]);
  expect(code).toBe(1);
});

it('product page: costs 1, 0.2, 0.1 are worth 0, 89 and 100 of weight 100', async () => {
  const cost = (value: string): Observed => ({ properties: { 'kubernetes.azure.com/per-cpu-core-cost': value } });
  const { placement: web } = await fleet(
    preferring(3, sorter(100, 'kubernetes.azure.com/per-cpu-core-cost', 'Ascending')),
    { c1: cost('1'), c2: cost('0.2'), c3: cost('0.1') },
  );
  expect(picked(web())).toEqual(['c3 100/0', 'c2 89/0', 'c1 0/0']);
});

it.each([
  [5, 'Descending', ['c 5/0', 'b 3/0', 'a 0/0']],
  [5, 'Ascending', ['a 5/0', 'b 3/0', 'c 0/0']],
  [-5, 'Descending', ['a 0/0', 'b -3/0', 'c -5/0']],
  [-5, 'Ascending', ['c 0/0', 'b -3/0', 'a -5/0']],
  [0, 'Descending', ['c 0/0', 'b 0/0', 'a 0/0']],
])('half a point rounds away from zero: weight %d %s', async (weight, order, expected) => {
  const { placement: web } = await fleet(preferring(3, sorter(weight, 'kubernetes-fleet.io/node-count', order)), {
    a: nodes('0'),
    b: nodes('1'),
    c: nodes('2'),
  });
  expect(picked(web())).toEqual(expected);
});

it('terms add up, each rounded on its own; a label term counts only where the labels match', async () => {
  const { placement: web } = await fleet(
    preferring(
      4,
      `${sorter(1, 'kubernetes-fleet.io/node-count', 'Descending')}
${sorter(1, 'kubernetes-fleet.io/node-count', 'Ascending')}
- weight: -20
  preference: {labelSelector: {matchLabels: {env: dev}}}
- weight: 30
  preference:
    labelSelector: {matchExpressions: [{key: env, operator: NotIn, values: [dev]}]}
    propertySorter: {name: kubernetes-fleet.io/node-count, sortOrder: Descending}`,
    ),
    {
      // 0 + 1 - 20 + no label match
      low: { ...nodes('0'), labels: { env: 'dev' } },
      // round(0.5) + round(0.5) + 0 + 15; NotIn matches where the label is absent
      mid: nodes('1'),
      // 1 + 0 + 0 + 30
      top: { ...nodes('2'), labels: { env: 'prod' } },
      // no property: only the label term
      none: { labels: { env: 'dev' } },
    },
  );
  expect(picked(web())).toEqual(['top 31/0', 'mid 17/0', 'low -19/0', 'none -20/0']);
});

it('the smallest and the largest value are those of the whole fleet, ineligible and unmatched clusters included', async () => {
  const { placement: web } = await fleet(preferring(2, sorter(100, 'kubernetes-fleet.io/node-count', 'Descending')), {
    a: nodes('10'),
    b: nodes('40'),
    stale: { ...nodes('110'), at: '2026-11-20T09:00:00Z' },
  });
  // a is the minimum, the stale cluster the maximum: (40 - 10) / (110 - 10)
  expect(picked(web())).toEqual(['b 30/0', 'a 0/0']);
  expect(filtered(web())).toEqual(['stale']);
});

it('where all have the same value a sorter is worth nothing, however the value is written', async () => {
  const { placement: web } = await fleet(
    preferring(2, sorter(100, 'resources.kubernetes-fleet.io/available-cpu', 'Ascending')),
    { a: available('2'), b: available('2000m'), c: {} },
  );
  expect(picked(web())).toEqual(['c 0/0', 'b 0/0']);
});

it('binary and decimal suffixes compare as numbers', async () => {
  const memory = (value: string): Observed => ({
    usage: { capacity: { memory: value }, allocatable: {}, available: {} },
  });
  const { placement: web } = await fleet(
    preferring(4, sorter(100, 'resources.kubernetes-fleet.io/total-memory', 'Descending')),
    { a: memory('1Gi'), b: memory('1G'), c: memory('2048Mi'), d: memory('1536Mi') },
  );
  // min 1000000000, max 2147483648: d (1610612736 - 1e9) / 1147483648 = 53.2 %, a 6.4 %
  expect(picked(web())).toEqual(['c 100/0', 'd 53/0', 'a 6/0', 'b 0/0']);
});

it('one value that is not a quantity disqualifies its cluster and leaves the others alone', async () => {
  const { placement: web } = await fleet(preferring(3, sorter(100, 'kubernetes-fleet.io/node-count', 'Descending')), {
    a: nodes('10'),
    b: nodes('20'),
    bad: nodes('many'),
  });
  expect(picked(web())).toEqual(['b 100/0', 'a 0/0']);
  expect(filtered(web())).toEqual(['bad']);
  expect(reasonOf(web(), 'bad')).toMatch(/^ClusterUnschedulable, .*kubernetes-fleet\.io\/node-count.*many/);
  expect(web().scheduled).toMatchObject({ status: 'False', reason: 'SchedulingPolicyUnfulfilled' });
});

it('a resource name with dashes is a property like any other', async () => {
  const storage = (value: string): Observed => ({
    usage: { capacity: {}, allocatable: {}, available: { 'ephemeral-storage': value } },
  });
  const { placement: web } = await fleet(
    preferring(2, sorter(50, 'resources.kubernetes-fleet.io/available-ephemeral-storage', 'Descending')),
    { a: storage('100Gi'), b: storage('10Gi') },
  );
  expect(picked(web())).toEqual(['a 50/0', 'b 0/0']);
});

it('older spellings score the same and are warned about', async () => {
  const {
    placement: web,
    plan: printed,
    code,
  } = await fleet(
    preferring(
      1,
      `- weight: 100
  preference:
    - metricSorter: {name: kubernetes.azure.com/node-count, sortOrder: Descending}`,
    ),
    { a: nodes('9'), b: nodes('3'), c: { properties: { 'kubernetes.azure.com/node-count': '6' } } },
  );
  expect(picked(web())).toEqual(['a 100/0']);
  expect(outscored(web())).toEqual(['c 50/0', 'b 0/0']);
  expect(printed.problems.map(({ severity, code: what, line }) => `${severity} ${what} ${line}`)).toEqual([
    'warning old-spelling 15',
    'warning old-spelling 16',
    'warning old-spelling 16',
  ]);
  expect(code).toBe(1);
});

it("a property written in the MemberCluster's annotations scores, and goes before what was observed", async () => {
  const { placement: web } = await plan({
    repo: {
      'clusters/all.yaml': [
        member('a', { annotations: { 'property.gitfleet.dev/carbon': '50' } }),
        member('b', { annotations: { 'property.gitfleet.dev/carbon': '100' } }),
        member('c'),
      ],
      'resources/shop.yaml': shop,
      'placements/web.yaml': preferring(3, sorter(10, 'carbon', 'Ascending')),
    },
    observed: [seen('a', { properties: { carbon: '500' } }), seen('b'), seen('c', { properties: { carbon: '75' } })],
  });
  expect(picked(web())).toEqual(['a 10/0', 'c 5/0', 'b 0/0']);
});

it('full ties go to the greatest name, byte by byte', async () => {
  const { placement: web } = await fleet(placement('placementType: PickN\nnumberOfClusters: 2'), {
    'c-10': {},
    'c-2': {},
    'c-1': {},
    'c.9': {},
  });
  // "-" is before "." in ASCII
  expect(picked(web())).toEqual(['c.9 0/0', 'c-2 0/0']);
  expect(outscored(web())).toEqual(['c-10 0/0', 'c-1 0/0']);
});

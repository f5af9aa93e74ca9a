import { describe, expect, test } from 'vitest';
import type { PlacementRef } from '../../../src/api/placement.ts';
import {
  compiledIds,
  compileOverrides,
  matchCompiled,
  matchOverrides,
  noOverrides,
} from '../../../src/engine/overrides/match.ts';
import { idsOf } from '../../../src/engine/overrides/snapshot-id.ts';
import { listsDiffer, startsRollout } from '../../../src/engine/overrides/starts-rollout.ts';
import { object } from '../selection/world.ts';
import { addLabel, cro, everywhere, historyOf, ro, where } from './world.ts';

const web: PlacementRef = { kind: 'ClusterResourcePlacement', name: 'web' };
const shopWeb: PlacementRef = { kind: 'ResourcePlacement', name: 'web', namespace: 'shop' };
const manifests = [
  object('v1 Namespace shop'),
  object('apps/v1 Deployment shop/web'),
  object('rbac.authorization.k8s.io/v1 ClusterRole reader'),
  object('placement.kubernetes-fleet.io/v1beta1 ClusterResourceEnvelope guard', {
    data: { priority: object('scheduling.k8s.io/v1 PriorityClass high') },
  }),
];
const eu = { name: 'eu-1', labels: { region: 'eu' } };
const ids = (overrides: Parameters<typeof historyOf>[0], placement = web, cluster: typeof eu = eu) =>
  idsOf(matchOverrides({ placement, manifests, history: historyOf(overrides), cluster }));

const namespace = { kind: 'Namespace', name: 'shop' };
const deployment = { group: 'apps', kind: 'Deployment', name: 'web' };
const rule = { ...everywhere, ...addLabel('a') };

describe('which objects', () => {
  test.each([
    [
      'a cluster override by its object',
      cro('o', {
        selects: [{ group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' }],
        rules: [rule],
      }),
      ['o-0'],
    ],
    ['a cluster override by the namespace', cro('o', { selects: [namespace], rules: [rule] }), ['o-0']],
    ['a cluster override never by a namespaced object', cro('o', { selects: [deployment], rules: [rule] }), []],
    [
      'an object inside an envelope',
      cro('o', { selects: [{ group: 'scheduling.k8s.io', kind: 'PriorityClass', name: 'high' }], rules: [rule] }),
      ['o-0'],
    ],
    [
      'an envelope itself',
      cro('o', {
        selects: [
          {
            group: 'placement.kubernetes-fleet.io',
            version: 'v1beta1',
            kind: 'ClusterResourceEnvelope',
            name: 'guard',
          },
        ],
        rules: [rule],
      }),
      ['o-0'],
    ],
    [
      'another version of the kind does not',
      cro('o', {
        selects: [{ group: 'rbac.authorization.k8s.io', version: 'v1beta1', kind: 'ClusterRole', name: 'reader' }],
        rules: [rule],
      }),
      [],
    ],
    [
      'a namespaced override by name in its namespace',
      ro('shop/o', { selects: [deployment], rules: [rule] }),
      ['shop/o-0'],
    ],
    ['a namespaced override of another namespace does not', ro('pay/o', { selects: [deployment], rules: [rule] }), []],
  ])('%s', (_, override, expected) => {
    expect(ids([override])).toEqual(expected);
  });
});

describe('which clusters', () => {
  const withRules = (...rules: readonly object[]) => cro('o', { selects: [namespace], rules: rules as never });
  test.each([
    ['no selector matches no cluster', withRules(addLabel('a')), []],
    ['no terms are all clusters', withRules(rule), ['o-0']],
    [
      'terms are ORed',
      withRules({
        clusterSelector: {
          clusterSelectorTerms: [
            { labelSelector: { matchLabels: { region: 'us' } } },
            { labelSelector: { matchLabels: { region: 'eu' } } },
          ],
        },
      }),
      ['o-0'],
    ],
    [
      'a term without label selector matches nothing',
      withRules({ clusterSelector: { clusterSelectorTerms: [{}] } }),
      [],
    ],
    ['any rule will do', withRules({ ...where({ region: 'us' }) }, { ...where({ region: 'eu' }) }), ['o-0']],
    ['labels that differ do not match', withRules(where({ region: 'us' })), []],
    ["the member's name is an implied label", withRules(where({ 'kubernetes-fleet.io/member-name': 'eu-1' })), ['o-0']],
  ])('%s', (_, override, expected) => {
    expect(ids([override])).toEqual(expected);
  });
});

describe('which placements', () => {
  const cluster = (placement?: { name: string }) =>
    cro('c', { selects: [namespace], rules: [rule], ...(placement ? { placement } : {}) });
  const inShop = (placement?: { name: string; scope?: 'Cluster' | 'Namespaced' }) =>
    ro('shop/o', { selects: [deployment], rules: [rule], ...(placement ? { placement } : {}) });
  test.each([
    ['no reference is every placement', [cluster(), inShop()], web, ['c-0', 'shop/o-0']],
    ['no reference is every ResourcePlacement too', [cluster(), inShop()], shopWeb, ['c-0', 'shop/o-0']],
    ['a reference by name', [cluster({ name: 'web' }), inShop({ name: 'web' })], web, ['c-0', 'shop/o-0']],
    ['a reference to another', [cluster({ name: 'other' }), inShop({ name: 'other' })], web, []],
    ['a Cluster reference is no ResourcePlacement', [cluster({ name: 'web' }), inShop({ name: 'web' })], shopWeb, []],
    [
      'a Namespaced reference is the ResourcePlacement of its namespace',
      [inShop({ name: 'web', scope: 'Namespaced' })],
      shopWeb,
      ['shop/o-0'],
    ],
    ['a Namespaced reference is no ClusterResourcePlacement', [inShop({ name: 'web', scope: 'Namespaced' })], web, []],
    [
      'a Namespaced reference is none of another namespace',
      [inShop({ name: 'web', scope: 'Namespaced' })],
      { ...shopWeb, namespace: 'pay' },
      [],
    ],
  ])('%s', (_, overrides, placement, expected) => {
    expect(ids(overrides, placement)).toEqual(expected);
  });
});

test('cluster overrides are sorted by snapshot name, namespaced ones by namespace, then name', () => {
  const history = historyOf([
    ro('shop/b', { selects: [deployment], rules: [rule] }),
    ro('bar/c', { selects: [deployment], rules: [rule] }),
    ro('shop/a', { selects: [deployment], rules: [rule] }),
    cro('z', { selects: [namespace], rules: [rule] }),
    cro('b', { selects: [namespace], rules: [rule] }),
  ]);
  const beside = object('apps/v1 Deployment bar/web');
  const compiled = compileOverrides(web, [...manifests, beside], history);
  expect(matchCompiled(compiled, eu)).toEqual({
    clusterResourceOverrideSnapshots: ['b-0', 'z-0'],
    resourceOverrideSnapshots: [
      { name: 'c-0', namespace: 'bar' },
      { name: 'a-0', namespace: 'shop' },
      { name: 'b-0', namespace: 'shop' },
    ],
  });
  expect(compiledIds(compiled)).toEqual(['b-0', 'z-0', 'bar/c-0', 'shop/a-0', 'shop/b-0']);
});

test('only the latest snapshot counts, and a deleted override does not', () => {
  const first = cro('o', { selects: [namespace], rules: [rule] });
  const second = cro('o', { selects: [namespace], rules: [{ ...everywhere, ...addLabel('b') }] });
  const history = historyOf([second], historyOf([first]));
  expect(idsOf(matchOverrides({ placement: web, manifests, history, cluster: eu }))).toEqual(['o-1']);
  const gone = historyOf([], history);
  expect(matchOverrides({ placement: web, manifests, history: gone, cluster: eu })).toBe(noOverrides);
});

test('a rollback uses exactly the given snapshots, and fails for a missing one', () => {
  const first = cro('o', { selects: [namespace], rules: [rule] });
  const second = cro('o', { selects: [namespace], rules: [{ ...everywhere, ...addLabel('b') }] });
  const history = historyOf([second], historyOf([first]));
  const lists = matchCompiled(compileOverrides(web, manifests, history, ['o-0', 'gone-3', 'shop/gone-4']), eu);
  expect(idsOf(lists)).toEqual(['o-0', 'gone-3', 'shop/gone-4']);
  expect(matchCompiled(compileOverrides(web, manifests, history, []), eu)).toBe(noOverrides);
});

test('without overrides all clusters share one value', () => {
  const compiled = compileOverrides(web, manifests, historyOf([]));
  expect(matchCompiled(compiled, eu)).toBe(noOverrides);
  expect(compileOverrides(shopWeb, [], historyOf([]))).toBe(compiled);
});

describe('what starts a rollout', () => {
  const scoped = (label: string) =>
    cro('s', { placement: { name: 'web' }, selects: [namespace], rules: [{ ...everywhere, ...addLabel(label) }] });
  const free = (label: string) => cro('f', { selects: [namespace], rules: [{ ...everywhere, ...addLabel(label) }] });
  const none = {};
  const carries = (...names: string[]) => ({ clusterResourceOverrideSnapshots: names });
  const history = historyOf([scoped('b'), free('b')], historyOf([scoped('a'), free('a')]));
  const deleted = historyOf([], history);

  test.each([
    ['nothing, when the lists agree', carries('f-1'), carries('f-1'), history, false],
    ['a new override that names the placement', none, carries('s-1'), history, true],
    ['a new override that names none is rolled out with another change', none, carries('f-1'), history, false],
    ['a new version of one that names the placement', carries('s-0'), carries('s-1'), history, true],
    ['a new version of one that names none rides along', carries('f-0'), carries('f-1'), history, false],
    ['a new version that leaves the cluster out', carries('s-0'), none, history, true],
    ['a new version, naming none, that leaves the cluster out rides along', carries('f-0'), none, history, false],
    ['an override deleted, whatever it names', carries('f-1'), none, deleted, true],
    ['a cluster whose changed label no longer matches an override', carries('f-1'), none, history, true],
  ])('%s', (_, before, after, seen, begins) => {
    expect(startsRollout(before, after, seen, new Set())).toBe(begins);
  });

  test('a cluster whose changed label matches an override that the placement already uses', () => {
    expect(startsRollout(none, carries('f-1'), history, new Set(['f-1']))).toBe(true);
  });

  test('lists differ by their snapshots, an absent list being an empty one', () => {
    expect(listsDiffer({}, noOverrides)).toBe(false);
    expect(listsDiffer(carries('a-0'), carries('a-1'))).toBe(true);
    expect(listsDiffer(carries('a-0'), { resourceOverrideSnapshots: [{ namespace: 'a', name: 'a-0' }] })).toBe(true);
  });
});

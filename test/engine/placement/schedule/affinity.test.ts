import { describe, expect, test } from 'vitest';
import type { PropertyOperatorName } from '../../../../src/api/property-operators.ts';
import { cluster } from '../worlds.ts';
import {
  clusters,
  outside,
  pickN,
  preferring,
  reasonsOf,
  required,
  scores,
  selected,
  sortBy,
  withProperty,
} from './setting.ts';

describe('required terms', () => {
  const labelled = [
    cluster('a', { labels: { env: 'prod', tier: 'gold' } }),
    cluster('b', { labels: { env: 'test' } }),
    cluster('c'),
  ];
  test.each<[rule: string, selector: object, names: string[]]>([
    [
      'In takes any listed value',
      { matchExpressions: [{ key: 'env', operator: 'In', values: ['prod', 'test'] }] },
      ['a', 'b'],
    ],
    [
      'NotIn takes an absent label',
      { matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['prod'] }] },
      ['b', 'c'],
    ],
    ['Exists', { matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, ['a']],
    ['DoesNotExist', { matchExpressions: [{ key: 'env', operator: 'DoesNotExist' }] }, ['c']],
    ['all parts of a selector are needed', { matchLabels: { env: 'prod', tier: 'tin' } }, []],
    ['an empty selector takes all', {}, ['a', 'b', 'c']],
    ['a cluster can be selected by its name', { matchLabels: { 'kubernetes-fleet.io/member-name': 'b' } }, ['b']],
  ])('%s', (_, labelSelector, names) => {
    expect(selected({ policy: { affinity: required({ labelSelector }) }, fleet: labelled })).toEqual(names);
  });

  test('any term is enough, within a term labels and properties are both needed', () => {
    const cost = { propertySelector: { matchExpressions: [{ name: 'cost', operator: 'Lt', values: ['2'] }] } };
    const fleet = [
      cluster('a', { labels: { env: 'prod' } }),
      cluster('b', { labels: { env: 'test' }, properties: { cost: '1' } }),
      cluster('c', { properties: { cost: '1' } }),
    ];
    const affinity = required(
      { labelSelector: { matchLabels: { env: 'prod' } } },
      { labelSelector: { matchLabels: { env: 'test' } }, ...cost },
    );
    expect(reasonsOf({ policy: { affinity }, fleet })).toMatchObject({ c: outside });
    expect(selected({ policy: { affinity }, fleet })).toEqual(['a', 'b']);
  });

  test('no terms at all match every cluster', () => {
    expect(selected({ policy: { affinity: required() }, fleet: clusters('a', 'b') })).toEqual(['a', 'b']);
  });

  test.each<[operator: PropertyOperatorName, values: string[], names: string[]]>([
    ['Gt', ['1048576Ki'], ['c']],
    ['Ge', ['1048576Ki'], ['a', 'b', 'c']],
    ['Eq', ['1048576Ki'], ['a', 'b']],
    ['Ne', ['1048576Ki'], ['c', 'd']],
    ['Lt', ['1048576Ki'], ['d']],
    ['Le', ['1048576Ki'], ['a', 'b', 'd']],
  ])('%s %j compares exactly and never matches an absent property', (operator, values, names) => {
    const fleet = withProperty('size', { a: '1Gi', b: '1024Mi', c: '1073741825', d: '1G', e: undefined });
    const affinity = required({
      propertySelector: { matchExpressions: [{ name: 'size', operator, values }] },
    });
    expect(selected({ policy: { affinity }, fleet })).toEqual(names);
  });

  test('a resource name may have dashes, and the old name of the node count works', () => {
    const fleet = [
      cluster('a', { status: { resourceUsage: { available: { 'ephemeral-storage': '1Ti' } } } }),
      cluster('b', { properties: { 'kubernetes-fleet.io/node-count': '3' } }),
    ];
    const having = (name: string) =>
      required({ propertySelector: { matchExpressions: [{ name, operator: 'Ge', values: ['1'] }] } });
    expect(
      selected({ policy: { affinity: having('resources.kubernetes-fleet.io/available-ephemeral-storage') }, fleet }),
    ).toEqual(['a']);
    expect(selected({ policy: { affinity: having('kubernetes.azure.com/node-count') }, fleet })).toEqual(['b']);
  });
});

describe('preferred terms', () => {
  test('the product page: available CPU 100, 20, 10 with weight 100, descending', () => {
    const usage = (cpu: string) => ({ status: { resourceUsage: { available: { cpu } } } });
    const fleet = [cluster('a', usage('100')), cluster('b', usage('20')), cluster('c', usage('10'))];
    const affinity = preferring(sortBy('resources.kubernetes-fleet.io/available-cpu', 'Descending', 100));
    expect(scores({ policy: pickN(1, { affinity }), fleet })).toEqual({ a: [0, 100], b: [0, 11], c: [0, 0] });
  });
  test('the product page: cost 1, 0.2, 0.1 with weight 100, ascending', () => {
    const name = 'kubernetes.azure.com/per-cpu-core-cost';
    const policy = pickN(1, { affinity: preferring(sortBy(name, 'Ascending', 100)) });
    expect(scores({ policy, fleet: withProperty(name, { a: '1', b: '0.2', c: '0.1' }) })).toEqual({
      a: [0, 0],
      b: [0, 89],
      c: [0, 100],
    });
  });
  test.each<[weight: number, middle: number]>([
    [5, 3],
    [-5, -3],
    [1, 1],
    [-1, -1],
    [3, 2],
    [0, 0],
  ])('half of weight %d is %d: half goes away from zero', (weight, middle) => {
    const fleet = withProperty('cost', { a: '0', b: '1', c: '2' });
    expect(
      scores({ policy: pickN(1, { affinity: preferring(sortBy('cost', 'Descending', weight)) }), fleet })['b'],
    ).toEqual([0, middle]);
  });
  test('terms are rounded one by one, then added', () => {
    const fleet = withProperty('cost', { a: '0', b: '1', c: '2' });
    const affinity = preferring(sortBy('cost', 'Descending', 1), sortBy('cost', 'Ascending', 1));
    expect(scores({ policy: pickN(1, { affinity }), fleet })['b']).toEqual([0, 2]);
  });
  test('a label preference adds its whole weight or nothing; with a sorter both are needed', () => {
    const labelSelector = { matchLabels: { env: 'prod' } };
    const fleet = [
      cluster('a', { labels: { env: 'prod' }, properties: { cost: '2' } }),
      cluster('b', { properties: { cost: '4' } }),
      cluster('c', { labels: { env: 'prod' }, properties: { cost: '0' } }),
    ];
    const sorted = {
      weight: 10,
      preference: { labelSelector, propertySorter: { name: 'cost', sortOrder: 'Descending' } },
    };
    expect(
      scores({ policy: pickN(1, { affinity: preferring({ weight: 7, preference: { labelSelector } }) }), fleet }),
    ).toEqual({ a: [0, 7], b: [0, 0], c: [0, 7] });
    expect(scores({ policy: pickN(1, { affinity: preferring(sorted) }), fleet })).toEqual({
      a: [0, 5],
      b: [0, 0],
      c: [0, 0],
    });
  });
  test('an absent property and a property without range score nothing', () => {
    const affinity = preferring(sortBy('cost', 'Ascending', 100));
    expect(
      scores({ policy: pickN(1, { affinity }), fleet: withProperty('cost', { a: '3', b: '3', c: undefined }) }),
    ).toEqual({ a: [0, 0], b: [0, 0], c: [0, 0] });
  });
});

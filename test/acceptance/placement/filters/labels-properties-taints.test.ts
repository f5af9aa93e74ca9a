import { describe, expect, it } from 'vitest';
import type { PropertyOperatorName } from '../../../../src/api/property-operators.ts';
import {
  filtered,
  member,
  type Observed,
  picked,
  placement,
  plan,
  reasonOf,
  seen,
  shop,
} from '../../../support/plan-command.ts';
import { names, requiring } from './requiring.ts';

describe('required labels', () => {
  const clusters = [
    member('a', { labels: { env: 'prod', region: 'eu' } }),
    member('b', { labels: { env: 'prod', region: 'us' } }),
    member('c', { labels: { env: 'dev' } }),
    member('d', { labels: { env: '' } }),
    member('e'),
  ];
  it.each([
    ['matchLabels: every pair', '- labelSelector: {matchLabels: {env: prod, region: eu}}', 'a'],
    ['In', '- labelSelector: {matchExpressions: [{key: env, operator: In, values: [prod, dev]}]}', 'a b c'],
    [
      'NotIn matches an absent label',
      '- labelSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}',
      'c d e',
    ],
    ['Exists matches an empty value', '- labelSelector: {matchExpressions: [{key: env, operator: Exists}]}', 'a b c d'],
    ['DoesNotExist', '- labelSelector: {matchExpressions: [{key: region, operator: DoesNotExist}]}', 'c d e'],
    [
      'expressions and labels of one term are ANDed',
      '- labelSelector: {matchLabels: {env: prod}, matchExpressions: [{key: region, operator: NotIn, values: [eu]}]}',
      'b',
    ],
    [
      'terms are ORed',
      '- labelSelector: {matchLabels: {region: us}}\n- labelSelector: {matchLabels: {env: dev}}',
      'b c',
    ],
    ['an empty selector matches all', '- labelSelector: {}', 'a b c d e'],
    [
      'the name of a cluster is a label of it',
      '- labelSelector: {matchExpressions: [{key: kubernetes-fleet.io/member-name, operator: In, values: [b, e]}]}',
      'b e',
    ],
  ])('%s', async (_, terms, expected) => {
    const { placement: web } = await plan({
      repo: { 'c.yaml': clusters, 'resources/shop.yaml': shop, 'web.yaml': requiring(terms) },
    });
    expect(names(picked(web()))).toBe(expected);
    expect(web().scheduled).toMatchObject({ status: 'True', reason: 'SchedulingPolicyFulfilled' });
  });

  it('without terms all clusters match; unmatched ones are listed by name with the reason', async () => {
    const { placement: none } = await plan({
      repo: {
        'c.yaml': clusters,
        'resources/shop.yaml': shop,
        'web.yaml': placement(`placementType: PickAll
affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: []}}}`),
      },
    });
    expect(picked(none())).toEqual(['a 0/0', 'b 0/0', 'c 0/0', 'd 0/0', 'e 0/0']);
    const { placement: few } = await plan({
      repo: {
        'c.yaml': clusters,
        'resources/shop.yaml': shop,
        'web.yaml': requiring('- labelSelector: {matchLabels: {region: us}}'),
      },
    });
    expect(filtered(few())).toEqual(['a', 'c', 'd', 'e']);
    expect(reasonOf(few(), 'e')).toBe(
      'ClusterUnschedulable, cluster does not match any of the required cluster affinity terms',
    );
  });
});

describe('required properties', () => {
  const nodes = (count: string): Observed => ({ properties: { 'kubernetes-fleet.io/node-count': count } });
  const observations: Readonly<Record<string, Observed>> = {
    one: nodes('1'),
    three: nodes('3'),
    'three-milli': nodes('3000m'),
    'three-more': nodes('3000000001n'),
    five: nodes('5'),
    none: {},
  };
  it.each<[operator: PropertyOperatorName, values: string[], expected: string]>([
    ['Gt', ['3'], 'five three-more'],
    ['Ge', ['3'], 'five three three-milli three-more'],
    ['Eq', ['3'], 'three three-milli'],
    ['Eq', ['3e0'], 'three three-milli'],
    ['Ne', ['3'], 'five one three-more'],
    ['Lt', ['3'], 'one'],
    ['Le', ['3'], 'one three three-milli'],
    ['Gt', ['-1'], 'five one three three-milli three-more'],
  ])('%s %j compares exactly; a cluster without the property never matches', async (operator, values, expected) => {
    const { placement: web } = await plan({
      repo: {
        'c.yaml': Object.keys(observations).map((name) => member(name)),
        'resources/shop.yaml': shop,
        'web.yaml': requiring(
          `- propertySelector: {matchExpressions: [{name: kubernetes-fleet.io/node-count, operator: ${operator}, values: ${JSON.stringify(values)}}]}`,
        ),
      },
      observed: Object.entries(observations).map(([name, observation]) => seen(name, observation)),
    });
    expect(names(picked(web()))).toBe(expected);
  });

  const usage = (capacity: object, allocatable: object, available: object): Observed => ({
    usage: { capacity, allocatable, available } as NonNullable<Observed['usage']>,
  });
  it('resource properties are read from the usage, each kind from its own list, 1Gi being 1024Mi', async () => {
    const { placement: web } = await plan({
      repo: {
        'c.yaml': ['a', 'b', 'c', 'd'].map((name) => member(name)),
        'resources/shop.yaml': shop,
        'web.yaml': requiring(`- propertySelector:
    matchExpressions:
      - {name: resources.kubernetes-fleet.io/total-memory, operator: Eq, values: [1Gi]}
      - {name: resources.kubernetes-fleet.io/allocatable-cpu, operator: Ge, values: ["2"]}
- propertySelector:
    matchExpressions:
      - {name: resources.kubernetes-fleet.io/available-cpu, operator: Lt, values: [500m]}`),
      },
      observed: [
        seen('a', usage({ memory: '1024Mi' }, { cpu: '2000m' }, { cpu: '1' })),
        seen('b', usage({ memory: '1Gi' }, { cpu: '1999m' }, { cpu: '1' })),
        seen('c', usage({}, {}, { cpu: '499m' })),
        // a property of that name among the ordinary ones is not looked at
        seen('d', { properties: { 'resources.kubernetes-fleet.io/available-cpu': '100m' } }),
      ],
    });
    expect(names(picked(web()))).toBe('a c');
  });

  it('labels and properties of one term must both match', async () => {
    const { placement: web } = await plan({
      repo: {
        'c.yaml': [member('a', { labels: { env: 'prod' } }), member('b'), member('c', { labels: { env: 'prod' } })],
        'resources/shop.yaml': shop,
        'web.yaml': requiring(`- labelSelector: {matchLabels: {env: prod}}
  propertySelector:
    matchExpressions: [{name: kubernetes-fleet.io/node-count, operator: Ge, values: ["2"]}]`),
      },
      observed: [seen('a', nodes('3')), seen('b', nodes('3')), seen('c', nodes('1'))],
    });
    expect(names(picked(web()))).toBe('a');
  });
});

describe('taints', () => {
  const clusters = [
    member('free'),
    member('gpu', { taints: [{ key: 'gpu', value: 'a100', effect: 'NoSchedule' }] }),
    member('bare', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
    member('two', {
      taints: [
        { key: 'gpu', value: 'a100', effect: 'NoSchedule' },
        { key: 'edge', effect: 'NoSchedule' },
      ],
    }),
  ];
  it.each([
    ['no toleration', '[]', 'free'],
    ['Equal is the default and compares the value', '[{key: gpu, value: a100}]', 'free gpu'],
    ['Equal without a value tolerates an empty value only', '[{key: gpu, operator: Equal}]', 'bare free'],
    ['Exists tolerates any value', '[{key: gpu, operator: Exists, effect: NoSchedule}]', 'bare free gpu'],
    [
      'each taint must be tolerated by some toleration',
      '[{key: gpu, operator: Exists}, {key: edge}]',
      'bare free gpu two',
    ],
    ['Exists without a key tolerates everything', '[{operator: Exists}]', 'bare free gpu two'],
    ['another value is not tolerated', '[{key: gpu, value: h100}]', 'free'],
  ])('%s', async (_, tolerations, expected) => {
    const { placement: web } = await plan({
      repo: {
        'c.yaml': clusters,
        'resources/shop.yaml': shop,
        'web.yaml': placement(`placementType: PickAll\ntolerations: ${tolerations}`),
      },
    });
    expect(names(picked(web()))).toBe(expected);
  });

  it('the reason names the first taint that is not tolerated', async () => {
    const { placement: web } = await plan({
      repo: {
        'c.yaml': clusters,
        'resources/shop.yaml': shop,
        'web.yaml': placement('placementType: PickAll\ntolerations: [{key: gpu, operator: Exists}]'),
      },
    });
    expect(reasonOf(web(), 'two')).toMatch(/^ClusterUnschedulable, .*edge:NoSchedule/);
    expect(reasonOf(web(), 'two')).not.toContain('gpu');
  });
});

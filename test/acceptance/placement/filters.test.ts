import { describe, expect, it } from 'vitest';
import {
  bindings,
  conditionLines,
  filtered,
  indent,
  member,
  now,
  picked,
  placement,
  plan,
  reasonOf,
  type Sight,
  seen,
  shop,
} from './world.ts';

const requiring = (terms: string, type = 'placementType: PickAll'): string =>
  placement(`${type}
affinity:
  clusterAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      clusterSelectorTerms:
${indent(terms, 8)}`);

const names = (list: readonly string[]): string => list.map((entry) => entry.split(' ')[0]).join(' ');

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
  const nodes = (count: string): Sight => ({ properties: { 'kubernetes-fleet.io/node-count': count } });
  const sights: Readonly<Record<string, Sight>> = {
    one: nodes('1'),
    three: nodes('3'),
    'three-milli': nodes('3000m'),
    'three-more': nodes('3000000001n'),
    five: nodes('5'),
    none: {},
  };
  it.each([
    ['Gt', '3', 'five three-more'],
    ['Ge', '3', 'five three three-milli three-more'],
    ['Eq', '3', 'three three-milli'],
    ['Eq', '3e0', 'three three-milli'],
    ['Ne', '3', 'five one three-more'],
    ['Lt', '3', 'one'],
    ['Le', '3', 'one three three-milli'],
    ['Gt', '-1', 'five one three three-milli three-more'],
  ])('%s %s compares exactly; a cluster without the property never matches', async (operator, value, expected) => {
    const { placement: web } = await plan({
      repo: {
        'c.yaml': Object.keys(sights).map((name) => member(name)),
        'resources/shop.yaml': shop,
        'web.yaml': requiring(
          `- propertySelector: {matchExpressions: [{name: kubernetes-fleet.io/node-count, operator: ${operator}, values: ["${value}"]}]}`,
        ),
      },
      observed: Object.entries(sights).map(([name, sight]) => seen(name, sight)),
    });
    expect(names(picked(web()))).toBe(expected);
  });

  const usage = (capacity: object, allocatable: object, available: object): Sight => ({
    usage: { capacity, allocatable, available } as NonNullable<Sight['usage']>,
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

const agent = (heartbeat: string, joined: object | undefined, healthy: object | undefined): object => ({
  agentStatus: [
    {
      type: 'MemberAgent',
      lastReceivedHeartbeat: heartbeat,
      conditions: [
        ...(joined ? [{ type: 'Joined', reason: 'x', ...joined }] : []),
        ...(healthy ? [{ type: 'Healthy', reason: 'x', ...healthy }] : []),
      ],
    },
  ],
});
const yes = { status: 'True' };

describe('eligibility', () => {
  const sick = (since: string) => ({ status: 'False', lastTransitionTime: since });
  it.each([
    ['as written, well', agent(now, yes, yes), true],
    ['a heartbeat five minutes old', agent('2026-11-20T09:55:00Z', yes, yes), true],
    ['a heartbeat older than five minutes', agent('2026-11-20T09:54:59Z', yes, yes), 'since 2026-11-20T09:54:59Z'],
    ['Joined False', agent(now, { status: 'False' }, yes), 'joined'],
    ['Joined Unknown', agent(now, { status: 'Unknown' }, yes), 'joined'],
    ['no Joined', agent(now, undefined, yes), 'joined'],
    ['no Healthy', agent(now, yes, undefined), 'health'],
    ['unhealthy for five minutes', agent(now, yes, sick('2026-11-20T09:55:00Z')), true],
    ['unhealthy for longer', agent(now, yes, sick('2026-11-20T09:54:59Z')), 'unhealthy since 2026-11-20T09:54:59Z'],
    [
      'health Unknown for longer',
      agent(now, yes, { status: 'Unknown', lastTransitionTime: '2026-11-20T09:00:00Z' }),
      'unhealthy',
    ],
    ['an empty list of agents', { agentStatus: [] }, 'not online'],
    [
      'only another agent',
      { agentStatus: [{ type: 'MultiClusterServiceAgent', lastReceivedHeartbeat: now, conditions: [] }] },
      'not online',
    ],
    ['no agentStatus on a reachable member', {}, true],
    [
      'the first reason in order: stale before not joined',
      agent('2026-11-20T09:00:00Z', undefined, undefined),
      'since',
    ],
  ])('%s', async (_, more, expected) => {
    const { placement: web } = await plan({
      repo: { 'c.yaml': member('a'), 'resources/shop.yaml': shop, 'web.yaml': placement('placementType: PickAll') },
      observed: [seen('a', { more })],
    });
    if (expected === true) expect(picked(web())).toEqual(['a 0/0']);
    else {
      expect(filtered(web())).toEqual(['a']);
      expect(reasonOf(web(), 'a')).toMatch(/^ClusterUnschedulable, cluster /);
      expect(reasonOf(web(), 'a')).toContain(expected);
    }
  });

  it('a member without an observation is unreachable, one that leaves is leaving, and neither is picked', async () => {
    const { placement: web } = await plan({
      repo: {
        'c.yaml': [member('a'), member('b', { leaving: true }), member('c')],
        'resources/shop.yaml': shop,
        'web.yaml': placement('placementType: PickAll'),
      },
      observed: [seen('a'), seen('b')],
    });
    expect(picked(web())).toEqual(['a 0/0']);
    expect(filtered(web())).toEqual(['b', 'c']);
    expect(reasonOf(web(), 'b')).toContain('leaving');
  });

  it('without observations every member is reachable, except as its own status in the repo says', async () => {
    const { placement: web, plan: printed } = await plan({
      repo: {
        'c.yaml': [
          member('a'),
          member('b', { status: agent('2026-11-20T09:50:00Z', yes, yes) }),
          member('c', { status: agent('2026-11-20T09:58:00Z', yes, yes) }),
          member('d', { status: { properties: { carbon: { value: '1' } } } }),
        ],
        'resources/shop.yaml': shop,
        'web.yaml': placement('placementType: PickAll'),
      },
    });
    expect(picked(web())).toEqual(['a 0/0', 'c 0/0', 'd 0/0']);
    expect(filtered(web())).toEqual(['b']);
    // c was picked and is not asked again; nothing else changes by time alone
    expect(printed.wakeAt).toBeUndefined();
  });

  it('a cluster that is not picked and goes stale bounds wakeAt', async () => {
    const { plan: printed } = await plan({
      repo: {
        'c.yaml': [member('a'), member('b')],
        'resources/shop.yaml': shop,
        'web.yaml': placement('placementType: PickN\nnumberOfClusters: 1'),
      },
      observed: [seen('a', { at: '2026-11-20T09:57:00Z' }), seen('b')],
    });
    expect(printed.wakeAt).toMatch(/^2026-11-20T10:02:00/);
  });
});

describe('namespace affinity', () => {
  const rp = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: prices, namespace: shop}
spec:
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: prices}]
`;
  const collected = (status: string, namespaces?: Readonly<Record<string, string>>): Sight => ({
    more: {
      conditions: [{ type: 'NamespaceCollectionSucceeded', status, reason: 'x' }],
      ...(namespaces && { namespaces }),
    },
  });
  it('a ResourcePlacement asks for its namespace where namespaces are collected; a ClusterResourcePlacement does not', async () => {
    const { placement: of } = await plan({
      repo: {
        'c.yaml': ['a', 'b', 'c', 'd', 'e'].map((name) => member(name)),
        'resources/shop.yaml': shop,
        'rp.yaml': rp,
        'web.yaml': placement('placementType: PickAll'),
      },
      observed: [
        seen('a'),
        seen('b', collected('True', { shop: 'work', other: '' })),
        seen('c', collected('True', { other: '' })),
        seen('d', collected('False', { shop: '' })),
        seen('e', collected('False')),
      ],
    });
    expect(names(picked(of('prices')))).toBe('a b d');
    expect(filtered(of('prices'))).toEqual(['c', 'e']);
    expect(reasonOf(of('prices'), 'c')).toMatch(/^ClusterUnschedulable, .*shop/);
    expect(names(picked(of('web')))).toBe('a b c d e');
    expect(conditionLines(of('prices').conditions).slice(0, 2)).toEqual([
      'Scheduled True SchedulingPolicyFulfilled',
      'RolloutStarted True RolloutStarted',
    ]);
    expect(of('prices').conditions[0]!.type).toBe('ResourcePlacementScheduled');
    expect(of('prices')).toMatchObject({ kind: 'ResourcePlacement', namespace: 'shop' });
  });
});

describe('decisions', () => {
  it('name every reason, in the order of the filters', async () => {
    const { placement: web } = await plan({
      repo: {
        'c.yaml': [member('a', { labels: { zone: 'z1' }, taints: [{ key: 'x', effect: 'NoSchedule' }] })],
        'resources/shop.yaml': shop,
        'web.yaml': requiring(
          `- labelSelector: {matchLabels: {zone: z2}}
  propertySelector: {matchExpressions: [{name: carbon, operator: Lt, values: ["5"]}]}`,
        ),
      },
      observed: [seen('a', { at: '2026-11-20T09:00:00Z', properties: { carbon: 'much' } })],
    });
    const parts = reasonOf(web(), 'a')!.split('; ');
    expect(parts).toHaveLength(4);
    expect(parts[0]).toBe('ClusterUnschedulable, cluster does not match any of the required cluster affinity terms');
    expect(parts[1]).toContain('carbon');
    expect(parts[2]).toContain('2026-11-20T09:00:00Z');
    expect(parts[3]).toContain('x:NoSchedule');
  });

  it('list all clusters, more than twenty too', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `c${String(at).padStart(2, '0')}`);
    const { placement: web } = await plan({
      repo: {
        'c.yaml': many.map((name) => member(name)),
        'resources/shop.yaml': shop,
        'web.yaml': placement('placementType: PickN\nnumberOfClusters: 2'),
      },
      observed: many.slice(0, 30).map((name) => seen(name)),
    });
    expect(web().decisions.map(({ clusterName }) => clusterName)).toEqual([
      ...many.slice(0, 30).reverse(),
      ...many.slice(30),
    ]);
  });

  it('PickAll with nothing to pick is fulfilled', async () => {
    const { placement: web, plan: printed } = await plan({
      repo: {
        'c.yaml': member('a'),
        'resources/shop.yaml': shop,
        'web.yaml': requiring('- labelSelector: {matchLabels: {env: unheard-of}}'),
      },
    });
    expect(web().scheduled).toMatchObject({ status: 'True', reason: 'SchedulingPolicyFulfilled' });
    expect(conditionLines(web().conditions)).toEqual(['Scheduled True SchedulingPolicyFulfilled']);
    expect(bindings(web())).toEqual([]);
    expect(printed.targets).toEqual([]);
  });

  it('preferred terms under PickAll are a warning and count for nothing', async () => {
    const { plan: printed, placement: found } = await plan({
      repo: {
        'clusters/all.yaml': [member('a', { labels: { env: 'prod' } }), member('b')],
        'resources/shop.yaml': shop,
        'placements/web.yaml': placement(`
placementType: PickAll
affinity:
  clusterAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 50
        preference:
          labelSelector: {matchLabels: {env: prod}}`),
      },
    });
    expect(picked(found())).toEqual(['a 0/0', 'b 0/0']);
    expect(
      printed.problems.map(({ severity, code, file, line, column }) => ({ severity, code, file, line, column })),
    ).toEqual([{ severity: 'warning', code: 'ignored-field', file: 'placements/web.yaml', line: 12, column: 9 }]);
  });

  it('a placement without a policy picks all', async () => {
    const { placement: web } = await plan({
      repo: { 'c.yaml': [member('a'), member('b')], 'resources/shop.yaml': shop, 'web.yaml': placement('') },
    });
    expect(picked(web())).toEqual(['a 0/0', 'b 0/0']);
  });
});

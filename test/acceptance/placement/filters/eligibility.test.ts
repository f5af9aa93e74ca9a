import { describe, expect, it } from 'vitest';
import {
  bindings,
  conditionLines,
  filtered,
  member,
  now,
  type Observed,
  picked,
  placement,
  plan,
  reasonOf,
  seen,
  shop,
} from '../../../support/plan-command.ts';
import { names, requiring } from './requiring.ts';

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

  it('without observations every member is reachable, unless its status in the repo differs', async () => {
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
  const collected = (status: string, namespaces?: Readonly<Record<string, string>>): Observed => ({
    more: {
      conditions: [{ type: 'NamespaceCollectionSucceeded', status, reason: 'x' }],
      ...(namespaces && { namespaces }),
    },
  });
  it('a ResourcePlacement requires its namespace where namespaces are collected; a ClusterResourcePlacement does not', async () => {
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

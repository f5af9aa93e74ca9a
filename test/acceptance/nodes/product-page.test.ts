import { expect, it } from 'vitest';
import { claim, node, nodeMember, observedNodes, poolPlacement, smallMarket } from '../../support/node-world.ts';
import { plan, rendered } from '../../support/plan-command.ts';

/** A NodePool in the form of the product page: labelled v1, with fields in the places of v1beta1. */
const typical = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    consolidationPolicy: WhenUnderutilized
    expireAfter: 24h
    budgets:
    - nodes: 30%
    - {nodes: "0", schedule: "0 9 * * 1-5", duration: 8h}
  template:
    spec:
      nodeClassRef: {apiVersion: karpenter.azure.com/v1beta1, kind: AKSNodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
      - {key: kubernetes.io/os, operator: In, values: [linux]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
`;

it('a pool whose file is invalid says nothing about its nodes: nothing drifts, and the budgets count as far as they can be read', async () => {
  const nodes = Array.from({ length: 10 }, (_, at) => node(`n${at}`));
  const live = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'default' } };
  const disrupting = (budgets: string) => `spec: {disruption: {budgets: ${budgets}}}\n`;
  const at = async (spec: string, isLive = false) => {
    const shown = isLive ? [live] : [];
    const seen = observedNodes('eu-1', { nodes, pods: [], extras: [...nodes.map((of) => claim(of)), ...shown] });
    const repo = {
      'members/eu-1.yaml': nodeMember('eu-1', 'plan'),
      'resources/pool.yaml': `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n${spec}`,
      'placements/pools.yaml': poolPlacement,
      ...smallMarket,
    };
    const { plan: whole } = await plan({ repo, observed: [seen], now: '2026-11-20T10:00:00Z' });
    const { pools, commands, blocked } = whole.nodes[0]!;
    const drifted = [...commands.map(({ reason }) => [reason]), ...blocked.map(({ reasons }) => reasons)].flat();
    return { limit: pools[0]!.limit.Drifted, drifted: drifted.filter((reason) => reason === 'Drifted') };
  };
  // Without a template.
  expect(await at(disrupting('[{nodes: 20%}]'))).toEqual({ limit: 2, drifted: [] });
  // The object on the cluster does not count instead.
  expect(await at(disrupting('[{nodes: x}, {nodes: "3"}]'), true)).toEqual({ limit: 0, drifted: [] });
});

it.each([
  ['disruption: {budgets: [{nodes: "1"}]}', { budgets: [{ nodes: '1' }], consolidateAfter: '0s' }],
  ['disruption: {consolidateAfter: null}', { consolidateAfter: '0s' }],
  ['disruption: {consolidateAfter: Never}', { consolidateAfter: 'Never' }],
  ['weight: 1', undefined],
])('a NodePool with %s is delivered as Karpenter 1.14 accepts it', async (own, expected) => {
  const spec = typical.replace(/ {2}disruption:[\s\S]*?(?= {2}template:)/, `  ${own}\n`);
  const repo = {
    'eu-1.yaml': nodeMember('eu-1', 'plan'),
    'resources/pool.yaml': spec,
    'placement.yaml': poolPlacement,
  };
  const now = '2026-11-20T10:00:00Z';
  const observed = [observedNodes('eu-1', { nodes: [], pods: [], extras: [] })];
  const [delivered] = (await rendered({ repo, observed, now }, 'eu-1'))['eu-1']!;
  expect((delivered!['spec'] as { disruption?: object }).disruption).toEqual(expected);
});

it('the typical NodePool of the product page is delivered in the form of v1, and expires gracefully', async () => {
  const arch = { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' };
  const nodes = Array.from({ length: 10 }, (_, at) => node(`n${at}`, { labels: arch }));
  const claims = nodes.map((of) => claim(of, { spec: { expireAfter: '24h' } }));
  const repo = {
    'members/eu-1.yaml': nodeMember('eu-1', 'plan'),
    'resources/pool.yaml': typical,
    'placements/pools.yaml': poolPlacement,
    ...smallMarket,
  };
  const seen = JSON.parse(observedNodes('eu-1', { nodes, pods: [], extras: claims }));
  const world = (now: string) => ({ repo, observed: [JSON.stringify({ ...seen, observedAt: now })], now });
  const at = async (now: string) => {
    const { plan: whole } = await plan(world(now));
    const [planned] = whole.nodes;
    return {
      pool: planned!.pools[0]!,
      leaving: planned!.commands.map(({ method, nodes: own }) => `${method} ${own.length}`),
      problems: whole.problems.map(({ code, severity }) => `${severity} ${code}`),
    };
  };
  const office = await at('2026-11-20T16:59:59Z');
  const zero = { Empty: 0, Drifted: 0, Underutilized: 0, Expired: 0 };
  expect(office.pool).toMatchObject({ profile: 'karpenter-v1beta1', limit: zero, changesAt: '2026-11-20T17:00:00Z' });
  expect(office.leaving).toEqual([]);
  expect(office.problems).toEqual(['warning v1beta1-field', 'warning v1beta1-field', 'warning v1beta1-field']);
  const evening = await at('2026-11-20T17:00:00Z');
  expect(evening.pool.limit).toEqual({ Empty: 3, Drifted: 3, Underutilized: 3, Expired: 3 });
  expect(evening.leaving).toEqual(['Expiration 1', 'Expiration 1', 'Expiration 1']);
  const [delivered] = (await rendered(world('2026-11-20T17:00:00Z'), 'eu-1'))['eu-1']!;
  expect(delivered!['spec']).toMatchObject({
    disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
    template: { spec: { expireAfter: '24h', nodeClassRef: { group: 'karpenter.azure.com', name: 'default' } } },
  });
  expect(JSON.stringify(delivered!['spec'])).not.toMatch(/apiVersion|WhenUnderutilized/);
  // The cluster keeps the pool when its placement is gone, and nodes expire as gracefully as before.
  const { 'placements/pools.yaml': _, ...unplaced } = repo;
  const shown = { ...seen, observedAt: '2026-11-20T16:59:59Z', extras: [...seen.extras, delivered] };
  const left = await plan({ repo: unplaced, observed: [JSON.stringify(shown)], now: '2026-11-20T16:59:59Z' });
  expect(left.plan.nodes[0]!.pools[0]).toMatchObject({ profile: 'karpenter-v1beta1', limit: zero });
  expect(left.plan.nodes[0]!.commands).toEqual([]);
});

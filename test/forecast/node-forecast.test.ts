import { describe, expect, it } from 'vitest';
import { type Forecast, forecast } from '../../src/forecast/forecast.ts';
import { inputOf } from '../engine/guard/nodes/judged.ts';
import { claim, market, node, nodeMember, nodePool, observedNodes, pod, smallMarket } from '../support/node-world.ts';

const hour = 3_600_000;
const assumptions = { readyAfterMs: 90_000, upgradedAfterMs: hour, approveAfterMs: hour, untilMs: 7 * 24 * hour };

interface Given {
  readonly mode?: string;
  readonly nodes: readonly ReturnType<typeof node>[];
  readonly pods?: readonly object[];
  readonly pool?: ReturnType<typeof nodePool>;
  /** None: the cluster has no NodeClaims. */
  readonly claims?: readonly object[];
  readonly more?: object;
  readonly files?: Readonly<Record<string, string>>;
}

const of = async (given: Given): Promise<Forecast> => {
  const { mode = 'delegate', nodes, pods = [], pool = nodePool('default', { disruption: unlimited }), files } = given;
  const extras = [pool, ...(given.claims ?? nodes.map((one) => claim(one)))];
  const observed = observedNodes('eu-1', { nodes, pods, extras, ...given.more });
  const repo = { 'members/eu-1.yaml': nodeMember('eu-1', mode), ...smallMarket, ...files };
  return forecast(await inputOf(repo, [observed]), assumptions);
};
const unlimited = { budgets: [{ nodes: '100%' }] };
/** `10:00:00-10:01:30 Emptiness n1,n4`, on other days with their number. */
const lines = ({ nodes }: Forecast): string[] =>
  nodes[0]!.commands.map(({ from, to, method, nodes: own, replacements }) => {
    const names = own.map(({ name }) => name.replace(/^default-like-\w+$/, 'like').replace(/^default-\w+$/, 'new'));
    const types = replacements.map(({ instanceType }) => instanceType);
    const time = (at: string | undefined) =>
      at?.replace(/^\d{4}-11-(\d\d)T(.*)Z$/, (_, day, of) => (day === '20' ? of : `${day} ${of}`)) ?? '';
    return `${time(from)}-${time(to)} ${method} ${names.join(',')}${types.length === 0 ? '' : ` -> ${types.join(',')}`}`;
  });
const waits = ({ nodes }: Forecast) => nodes[0]!.waits.map(({ reason, from, to }) => [reason, from, to]);
const blocked = ({ nodes }: Forecast) => nodes[0]!.blocked.map(({ node: name, reason }) => `${name} ${reason}`);
const drifted = (one: ReturnType<typeof node>) =>
  claim(one, {
    status: {
      conditions: [
        { type: 'Drifted', status: 'True', reason: 'ImageDrift', lastTransitionTime: '2026-11-19T00:00:00Z' },
        { type: 'Initialized', status: 'True', lastTransitionTime: '2026-11-01T00:00:00Z' },
      ],
    },
  });
const halfEmpty = {
  nodes: [node('n1'), node('n2'), node('n3')],
  pods: [pod('a', 'n2'), pod('b', 'n3', { cpu: '2' })],
};

describe('a forecast of nodes', () => {
  it.each(['delegate', 'plan'])('in mode %s carries out what is proposed, once a window opens', async (mode) => {
    const budgets = [{ nodes: '0', schedule: '0 9 * * 1-5', duration: '8h' }, { nodes: '100%' }];
    const found = await of({ mode, ...halfEmpty, pool: nodePool('default', { disruption: { budgets } }) });
    expect(lines(found)).toEqual([
      '17:00:00-17:01:30 Emptiness n1',
      '17:00:00-17:03:00 MultiNodeConsolidation n2,n3 -> D4',
    ]);
    expect(waits(found)).toEqual([['NodeBudget', '2026-11-20T10:00:00Z', '2026-11-20T17:00:00Z']]);
    expect(found.nodes[0]!.commands.map(({ saving }) => saving)).toEqual([0.4, 0.6]);
    expect(found.guard).toEqual([]);
  });

  it('in mode execute takes every step of a command', async () => {
    const found = await of({ mode: 'execute', ...halfEmpty, more: { launches: [] } });
    expect(lines(found)).toEqual([
      '10:00:00-10:01:45 Emptiness n1',
      '10:00:00-10:03:15 MultiNodeConsolidation n2,n3 -> D4',
    ]);
    expect(found.guard).toEqual([]);
  });
  it('in mode execute nothing is replaced where nothing can be launched', async () => {
    const found = await of({ mode: 'execute', ...halfEmpty });
    expect(lines(found)).toEqual(['10:00:00-10:01:45 Emptiness n1', '10:00:00-10:01:45 SingleNodeConsolidation n2']);
    expect(waits(found)).toEqual([['NoLauncher', '2026-11-20T10:01:45Z', undefined]]);
  });

  it('rolls drifted nodes one after the other, as the budget allows', async () => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => node(name));
    const pods = nodes.map(({ metadata: { name } }) => pod(`of-${name}`, name, { cpu: '7' }));
    const pool = nodePool('default', { disruption: { budgets: [{ nodes: '1' }] } });
    const found = await of({ nodes, pods, pool, claims: nodes.map(drifted) });
    expect(lines(found)).toEqual([
      '10:00:00-10:03:00 Drift n1 -> D8',
      '10:03:00-10:06:00 Drift n2 -> D8',
      '10:06:00-10:09:00 Drift n3 -> D8',
    ]);
    expect(waits(found)).toEqual([['NodeBudget', '2026-11-20T10:00:00Z', '2026-11-20T10:06:00Z']]);
  });

  it('waits until consolidateAfter ends, from when the pods of a node changed last', async () => {
    const pool = nodePool('default', { disruption: { ...unlimited, consolidateAfter: '2h' } });
    const n1 = node('n1', { createdAt: '2026-11-20T09:00:00Z' });
    const found = await of({ nodes: [n1, node('n2')], pods: [pod('a', 'n2', { cpu: '6' })], pool });
    expect(lines(found)).toEqual(['11:00:00-11:01:30 Emptiness n1']);
  });

  it.each([true, false])('gives pods of an expired node one like it (NodeClaims: %s)', async (hasClaims) => {
    const n1 = node('n1', { createdAt: '2026-11-20T09:00:00Z' });
    const pool = nodePool('default', { disruption: { consolidateAfter: 'Never' }, template: { expireAfter: '48h' } });
    const claims = hasClaims ? [claim(n1, { spec: { expireAfter: '48h' } })] : [];
    const found = await of({ nodes: [n1], pods: [pod('a', 'n1')], pool, claims });
    expect(lines(found)).toEqual([
      '22 09:00:00-22 09:01:30 Expiration n1',
      '24 09:01:30-24 09:03:00 Expiration like',
      '26 09:03:00-26 09:04:30 Expiration like',
    ]);
  });

  const d4 = { name: 'D4', cpu: 4, price: 0.2 };
  const d8 = { name: 'D8', cpu: 8, price: 0.4 };
  const only = (...values: string[]) => [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values }];
  it.each<[string, Readonly<Record<string, string>>, readonly object[]]>([
    ['the pool does not admit its type', market([d8, d4]), only('D4')],
    ['the catalog lacks its type', market([d4]), []],
    ['there is no catalog, and the pool does not admit its type', { 'nodes/catalog.yaml': '' }, only('D2', 'D4')],
  ])('gives pods of a node whose drain has a deadline another where %s', async (_, files, requirements) => {
    const n1 = node('n1');
    const pods = [pod('a', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })];
    const pool = nodePool('default', {
      disruption: unlimited,
      template: { terminationGracePeriod: '30m' },
      requirements,
    });
    const claims = [claim(n1, { spec: { terminationGracePeriod: '30m' } })];
    expect(lines(await of({ nodes: [n1], pods, pool, claims, files }))).toEqual(['10:00:00-10:30:00 Drift n1']);
  });

  it('launches no node for pods where the pool can launch none', async () => {
    const n1 = node('n1', { createdAt: '2026-11-20T09:00:00Z' });
    const pool = nodePool('default', {
      disruption: { consolidateAfter: 'Never' },
      template: { expireAfter: '48h' },
      requirements: only('D16'),
    });
    const found = await of({ nodes: [n1], pods: [pod('a', 'n1')], pool, claims: [] });
    expect(lines(found)).toEqual(['22 09:00:00-22 09:01:30 Expiration n1']);
  });

  it('lets a protected pod hold the drain of an expired node until its deadline, or for ever', async () => {
    const n1 = node('n1');
    const pods = [pod('a', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })];
    const pool = nodePool('default', { disruption: { consolidateAfter: 'Never' } });
    const expired = (grace: object) => [claim(n1, { spec: { expireAfter: '24h', ...grace } })];
    const held = await of({ nodes: [n1], pods, pool, claims: expired({}) });
    expect(lines(held)).toEqual(['10:00:00- Expiration n1']);
    const ended = await of({ nodes: [n1], pods, pool, claims: expired({ terminationGracePeriod: '10m' }) });
    expect(lines(ended)).toEqual(['10:00:00-10:10:00 Expiration n1']);
  });

  it('lists what may not go at the end, and why', async () => {
    const pods = [pod('a', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })];
    expect(blocked(await of({ nodes: [node('n1'), node('n2')], pods }))).toEqual(['n1 PodDoNotDisrupt']);
  });

  it('says where nodes were not observed', async () => {
    const repo = { 'members/eu-1.yaml': nodeMember('eu-1', 'delegate'), ...smallMarket };
    const { nodes } = forecast(await inputOf(repo, []), assumptions);
    expect(nodes).toMatchObject([{ clusterName: 'eu-1', isObserved: false, commands: [] }]);
  });
});

import { describe, expect, it } from 'vitest';
import { folder } from '../../support/folders.ts';
import { claim, node, nodeMember, nodePool, observedNodes, pod, smallMarket } from '../../support/node-world.ts';
import { member } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';

const nodes = [node('n1'), node('n2'), node('n3'), node('n4', { type: 'D2', cpu: '2', memory: '8Gi' })];
const karpenters = { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }] };
const drifted = {
  conditions: [
    { type: 'Initialized', status: 'True', lastTransitionTime: '2026-11-01T00:00:00Z' },
    { type: 'Drifted', status: 'True', reason: 'ImageDrift', lastTransitionTime: '2026-11-19T00:00:00Z' },
  ],
};
const pool = {
  ...nodePool('default', {
    disruption: {
      budgets: [{ nodes: '50%' }, { nodes: '0', schedule: '0 17 * * *', duration: '2h', reasons: ['Empty'] }],
    },
  }),
  status: karpenters,
};

const event = (kind: string, name: string, reason: string, message: string, minute: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `${name}.${minute}`, namespace: 'default' },
  involvedObject: { kind, name },
  type: 'Normal',
  reason,
  message,
  count: 3,
  lastTimestamp: `2026-11-20T09:${minute}:00Z`,
});
const events = [
  event('NodePool', 'default', 'DisruptionBlocked', 'No allowed disruptions due to blocking budget', '58'),
  event('NodeClaim', 'n2-claim', 'DisruptionBlocked', 'Pod has do-not-disrupt', '57'),
  event('Node', 'n2', 'DisruptionBlocked', 'Pod has do-not-disrupt', '56'),
  event('Node', 'n4', 'Unconsolidatable', 'Cannot replace', '55'),
];

/** n1 is full, n2 protected and drifted, n3 empty, n4 small enough to go. */
const flags = () => [
  '--repo',
  folder({ 'members/eu-1.yaml': nodeMember('eu-1', 'delegate'), ...smallMarket }),
  '--observed',
  folder({
    'eu-1.yaml': observedNodes('eu-1', {
      nodes,
      pods: [
        pod('a', 'n1', { cpu: '7' }),
        pod('b', 'n2', {
          cpu: '6',
          annotations: { 'karpenter.sh/do-not-disrupt': '2h' },
          status: { startTime: '2026-11-20T09:00:00Z' },
        }),
        pod('c', 'n4', { cpu: '2' }),
      ],
      extras: [pool, ...events, ...nodes.map((of) => claim(of, of.metadata.name === 'n2' ? { status: drifted } : {}))],
    }),
  }),
  ...['--recorded', 'none', '--now', '2026-11-20T10:00:00Z'],
];
const shown = async (...argv: readonly string[]) => {
  const { out, err, code } = await cli(...argv, ...flags());
  expect({ err, code }).toEqual({ err: '', code: 0 });
  return out;
};

describe('get without a status branch', () => {
  it('nodes: what is not known of them', async () => {
    const bare = {
      ...node('n1'),
      metadata: { ...node('n1').metadata, labels: { 'karpenter.sh/nodepool': 'default' } },
    };
    const { out } = await cli(
      ...['get', 'nodes', '--recorded', 'none', '--now', '2026-11-20T10:00:00Z'],
      ...['--repo', folder({ 'members/eu-1.yaml': nodeMember('eu-1', 'plan') })],
      ...['--observed', folder({ 'eu-1.yaml': observedNodes('eu-1', { nodes: [bare], pods: [], extras: [pool] }) })],
    );
    const unknown = Array(4).fill('<unknown>').join(' | ');
    expect(out.trim().split('\n').at(-1)?.split(/ {2,}/).join(' | ')).toBe(
      `eu-1 | n1 | default | ${unknown} | 0 | Emptiness | <none> | plan | Proposed`,
    );
  });

  it('nodes: what takes or keeps each of them', async () => {
    const table = (await shown('get', 'nodes', 'eu-1')).split('\n').map((line) => line.split(/ {2,}/).join(' | '));
    expect(table.filter((line) => line !== '')).toEqual([
      'CLUSTER | NODE | POOL | TYPE | ZONE | CAPACITY | PRICE | PODS | STATE | UNTIL | MODE | PHASE',
      'eu-1 | n1 | default | D8 | eu-1a | on-demand | 0.4 | 1 | Idle | <none> | delegate | <none>',
      'eu-1 | n2 | default | D8 | eu-1a | on-demand | 0.4 | 1 | PodDoNotDisrupt | 2026-11-20T11:00:00Z | delegate | <none>',
      'eu-1 | n3 | default | D8 | eu-1a | on-demand | 0.4 | 0 | Emptiness | <none> | delegate | Proposed',
      'eu-1 | n4 | default | D2 | eu-1a | on-demand | 0.1 | 1 | SingleNodeConsolidation | <none> | delegate | Proposed',
    ]);
  });

  it('nodepools: that nothing is planned for those of others', async () => {
    const placed = {
      'placements/pools.yaml': JSON.stringify({
        apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
        kind: 'ClusterResourcePlacement',
        metadata: { name: 'pools' },
        spec: {
          resourceSelectors: [{ group: 'karpenter.sh', version: 'v1', kind: 'NodePool', name: 'default' }],
          policy: { placementType: 'PickAll' },
        },
      }),
      'resources/pool.yaml': JSON.stringify(nodePool('default')),
    };
    const extras = [nodePool('default'), nodePool('theirs')];
    const { out, err } = await cli(
      ...['get', 'nodepools', '--recorded', 'none', '--now', '2026-11-20T10:00:00Z'],
      ...['--repo', folder({ 'members/eu-1.yaml': nodeMember('eu-1', 'plan'), ...placed })],
      ...['--observed', folder({ 'eu-1.yaml': observedNodes('eu-1', { nodes: [], pods: [], extras }) })],
    );
    expect([out.includes('theirs'), err]).toEqual([
      false,
      'note: nothing is planned for the nodes of NodePools that the fleet repo does not place: eu-1/theirs\n',
    ]);
  });

  it('nodepools: how many nodes may go', async () => {
    const [head, row] = (await shown('get', 'nodepools')).split('\n').map((line) => line.split(/ {2,}/).join(' | '));
    expect(head).toBe(
      'CLUSTER | POOL | NODES | DISRUPTING | ALLOWED-EMPTY | ALLOWED-DRIFTED | ALLOWED-UNDERUTILIZED | NEXT-CHANGE | MODE | COMMANDS',
    );
    expect(row).toBe('eu-1 | default | 4 | 0 | 2 | 2 | 2 | 2026-11-20T17:00:00Z | delegate | Proposed 2');
    const { items } = JSON.parse(await shown('get', 'nodepools', '-o', 'json'));
    expect(items[0]).toMatchObject({ mode: 'delegate', commands: [{ phase: 'Proposed' }, { phase: 'Proposed' }] });
  });

  it('a cluster without any is no unknown name', async () => {
    const { out, err } = await cli(
      ...['get', 'nodes', 'eu-1', '--recorded', 'none', '--now', '2026-11-20T10:00:00Z'],
      ...['--repo', folder({ 'members/eu-1.yaml': member('eu-1') })],
      ...['--observed', folder({})],
    );
    expect(`${out}${err}`).toContain('No nodes of eu-1 in the plan.');
  });

  it('other kinds are refused, and so is -w', async () => {
    expect((await cli('get', 'placements', ...flags())).err).toContain('are for nodes and nodepools');
    expect((await cli('get', 'nodes', '-w', ...flags())).err).toContain('-w follows the status branch');
  });
});

describe('describe without a status branch', () => {
  const explanation = async (name: string) =>
    JSON.parse(await shown('describe', 'node', name, '--cluster', 'eu-1', '-o', 'json')).items[0].object.explanation;

  it('a node: every rule in order, where its pods would go, and why nothing replaces it', async () => {
    const { rules, pods, replacement } = await explanation('n1');
    expect(rules.map(({ rule, verdict }: { rule: string; verdict: string }) => `${rule} ${verdict}`)).toEqual(
      [
        ...['NoNodeClaim', 'NotInitialized', 'Deleting', 'Marked', 'Nominated', 'NodeDoNotDisrupt', 'NoNodePool'],
        ...['UnknownNodePool', 'PodDoNotDisrupt', 'MultiplePodDisruptionBudgets', 'PodDisruptionBudget', 'NotModelled'],
        ...['ConsolidateAfter', 'InstanceTypeUnknown', 'NoPlaceForPods', 'PoolLimit', 'CoolDown'],
      ].map((rule) => `${rule} passed`),
    );
    expect(pods).toEqual([{ namespace: 'shop', name: 'a', to: 'new node 1' }]);
    expect(replacement).toMatchObject({
      isReplacement: false,
      instanceType: 'D8',
      price: 0.4,
      message: 'no cheaper node holds the pods',
    });
  });

  it('prices have the currency of their list', async () => {
    const page = await shown('describe', 'node', 'n4', '--cluster', 'eu-1');
    expect(page).toMatch(/Type: +D2 on-demand eu-1a\nPrice: +0.1 EUR an hour/);
    expect(page).toMatch(/Saves: +0.1 EUR an hour, 73 EUR a month/);
    expect(await shown('describe', 'node', 'n1', '--cluster', 'eu-1')).toContain(
      'D8 on-demand in eu-1a for 0.4 EUR an hour',
    );
    expect(await shown('describe', 'nodepool', 'default', '--cluster', 'eu-1')).toContain('0.1 EUR an hour');
  });

  it('a node without an InstanceCatalog: that nothing can be launched instead', async () => {
    const { 'nodes/catalog.yaml': _, ...prices } = smallMarket;
    const repo = folder({ 'members/eu-1.yaml': nodeMember('eu-1', 'delegate'), ...prices });
    const { out } = await cli('describe', 'node', 'n1', '--cluster', 'eu-1', ...flags(), '--repo', repo);
    expect(out).toContain(
      'no place for pod shop/a, and without an InstanceCatalog for its cluster plans launch no node',
    );
  });

  it('a node of a NodePool that is not there: what only the pool would tell is unknown', async () => {
    const lonely = { ...node('n1'), metadata: { ...node('n1').metadata, labels: { 'karpenter.sh/nodepool': 'gone' } } };
    const { out } = await cli(
      ...['describe', 'node', 'n1', '--cluster', 'eu-1', '--recorded', 'none', '--now', '2026-11-20T10:00:00Z'],
      ...['--repo', folder({ 'members/eu-1.yaml': nodeMember('eu-1', 'plan') })],
      ...['--observed', folder({ 'eu-1.yaml': observedNodes('eu-1', { nodes: [lonely], pods: [], extras: [pool] }) })],
    );
    expect(out).toMatch(/Expires: +unknown without its NodePool\nConsolidation: +unknown without its NodePool\n/);
    expect(out).toMatch(
      /UnknownNodePool +blocks .*NodePool gone is not known: the fleet repo places none of that name here/,
    );
    expect(out).not.toContain('ConsolidateAfter');
  });

  it('a blocked node: which rule, until when, and its drift', async () => {
    const { rules, drift } = await explanation('n2');
    expect(rules.filter(({ verdict }: { verdict: string }) => verdict !== 'passed')).toEqual([
      {
        rule: 'PodDoNotDisrupt',
        verdict: 'blocks',
        message: 'pod shop/b has karpenter.sh/do-not-disrupt until 2026-11-20T11:00:00Z',
        until: '2026-11-20T11:00:00Z',
      },
    ]);
    expect(drift).toEqual({ reason: 'ImageDrift', since: '2026-11-19T00:00:00Z' });
  });

  it("a node in mode delegate: Karpenter's conditions beside what is predicted", async () => {
    const page = await shown('describe', 'node', 'eu-1/n2');
    expect(page).toContain('Cluster:  eu-1 (delegate)');
    expect(page).toMatch(/Drifted: +ImageDrift, since 2026-11-19T00:00:00Z/);
    expect(page).toMatch(/Conditions of its NodeClaim:\n.*\n +Initialized.*\n +Drifted +True +ImageDrift +34h/);
  });

  it("Karpenter's events: about a node and its claim, about a pool and its claims, the latest last", async () => {
    const rows = (page: string) => page.match(/2026-11-20T09:5\d.*/g)?.map((row) => row.replaceAll(/ {2,}/g, ' | '));
    expect(rows(await shown('describe', 'node', 'n2', '--cluster', 'eu-1'))).toEqual([
      '2026-11-20T09:56:00Z | Normal | DisruptionBlocked | Node n2 | 3 | Pod has do-not-disrupt',
      '2026-11-20T09:57:00Z | Normal | DisruptionBlocked | NodeClaim n2-claim | 3 | Pod has do-not-disrupt',
    ]);
    expect(rows(await shown('describe', 'nodepool', 'default', '--cluster', 'eu-1'))).toEqual([
      '2026-11-20T09:57:00Z | Normal | DisruptionBlocked | NodeClaim n2-claim | 3 | Pod has do-not-disrupt',
      '2026-11-20T09:58:00Z | Normal | DisruptionBlocked | NodePool default | 3 | No allowed disruptions due to blocking budget',
    ]);
    const page = await shown('describe', 'node', 'n4', '--cluster', 'eu-1', '-o', 'json');
    expect(JSON.parse(page).items[0].object.events).toMatchObject([{ object: 'Node n4', reason: 'Unconsolidatable' }]);
  });

  it('a pool: each budget, and the conditions of the pool and its claims', async () => {
    const page = await shown('describe', 'nodepool', 'default', '--cluster', 'eu-1');
    expect(page).toMatch(/50% +always +<none> +all +yes +2\n +0 +0 17 \* \* \* +2h +Empty +no +0/);
    expect(page).toMatch(/Conditions:\n.*\n +Ready +True +Ready/);
    expect(page).toMatch(/n2-claim +n2 +<none> +True .*ImageDrift/);
    expect(page).toMatch(/SingleNodeConsolidation \(Underutilized\)/);
    expect(page).not.toContain('Static');
  });

  it('a static pool: who sees to its replicas', async () => {
    const own = node('s1', { pool: 'static' });
    const fixed = nodePool('static', { more: { replicas: 2 } });
    const seen = observedNodes('eu-1', { nodes: [own], pods: [], extras: [fixed, claim(own)] });
    const repo = folder({ 'members/eu-1.yaml': nodeMember('eu-1', 'execute') });
    const where = ['--repo', repo, '--observed', folder({ 'eu-1.yaml': seen }), '--recorded', 'none'];
    const at = ['--now', '2026-11-20T10:00:00Z', '--cluster', 'eu-1'];
    const { out } = await cli('describe', 'nodepool', 'static', ...where, ...at);
    expect(out).toMatch(/Static: +2 replicas, which Karpenter sees to, not gitfleet/);
  });
});

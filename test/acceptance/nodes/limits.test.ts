import { describe, expect, it } from 'vitest';
import { claim, node, nodeMember, nodePool, observedNodes, pod, smallMarket } from '../../support/node-world.ts';
import { plan } from '../../support/plan-command.ts';

const flow = (value: unknown): string => JSON.stringify(value);
const all = { budgets: [{ nodes: '100%' }] };
const repo = (more: Readonly<Record<string, string>> = {}, members: readonly string[] = ['eu-1']) => ({
  ...Object.fromEntries(members.map((name) => [`members/${name}.yaml`, nodeMember(name, 'execute')])),
  ...smallMarket,
  ...more,
});
const observed = (
  nodes: readonly ReturnType<typeof node>[],
  {
    name = 'eu-1',
    pool = nodePool('default', { disruption: all }),
    pods = [],
    claims,
    extras = [],
    ...more
  }: {
    name?: string;
    pool?: object;
    pods?: readonly object[];
    claims?: readonly object[];
    extras?: readonly object[];
    objects?: readonly object[];
  } = {},
) =>
  observedNodes(name, { nodes, pods, extras: [pool, ...(claims ?? nodes.map((of) => claim(of))), ...extras], ...more });

const fleetConfig = (spec: object) => ({
  'fleet.yaml': flow({ apiVersion: 'gitfleet.dev/v1alpha1', kind: 'FleetConfig', metadata: { name: 'fleet' }, spec }),
});
const oldPlace = (more: object = all) =>
  nodePool('default', { disruption: { ...more, expireAfter: '24h' }, template: { expireAfter: undefined } });

describe('the limits above the pools', () => {
  it('hold a graceful expiry of a node without pods', async () => {
    const of = node('n1');
    const { plan: whole } = await plan({
      repo: repo(fleetConfig({ nodeDisruption: { budgets: [{ nodes: '0' }] } })),
      observed: [
        observed([of], {
          pool: oldPlace({ ...all, consolidateAfter: 'Never' }),
          claims: [claim(of, { spec: { expireAfter: '24h' } })],
        }),
      ],
    });
    expect(whole.nodes[0]!.commands.map(({ method, phase }) => `${method} ${phase}`)).toEqual(['Expiration Proposed']);
    expect(whole.holds.map(({ reason }) => reason)).toEqual(['FleetNodeBudget']);
  });

  it('count a forceful expiry that begins in the same plan', async () => {
    const [a, b] = [node('a1'), node('b1')];
    const { plan: whole } = await plan({
      repo: repo(fleetConfig({ nodeDisruption: { budgets: [{ clusters: '1' }] } }), ['eu-1', 'eu-2']),
      observed: [observed([a]), observed([b], { name: 'eu-2', claims: [claim(b, { spec: { expireAfter: '24h' } })] })],
    });
    expect(whole.nodes.flatMap(({ commands }) => commands.map(({ method, phase }) => `${method} ${phase}`))).toEqual([
      'Emptiness Proposed',
      'Expiration Removing',
    ]);
    expect(whole.holds).toMatchObject([{ subject: { name: 'eu-1' }, reason: 'FleetNodeBudget' }]);
  });
});

describe('a command of empty nodes', () => {
  it('has the price of those that are left after validation', async () => {
    const nodes = [node('n1'), node('n2')];
    const first = await plan({ repo: repo(), observed: [observed(nodes)] });
    expect(first.plan.nodes[0]!.commands).toMatchObject([{ phase: 'Validating', priceBefore: 0.8 }]);
    const second = await plan({
      repo: repo(),
      observed: [observed(nodes, { pods: [pod('a', 'n2')] })],
      recorded: first.recorded,
      now: '2026-11-20T10:00:15Z',
    });
    expect(second.plan.nodes[0]!.commands[0]).toMatchObject({
      phase: 'Removing',
      nodes: [{ name: 'n1' }],
      priceBefore: 0.4,
    });
  });
});

describe('a node that is not ready', () => {
  it('takes its share of what is left, and once its command is under way counts once', async () => {
    const shown = observed([node('n1', { ready: false }), node('n2')], {
      pool: nodePool('default', { disruption: { budgets: [{ nodes: '2' }] } }),
    });
    const first = await plan({ repo: repo(), observed: [shown] });
    const { plan: second } = await plan({
      repo: repo(),
      observed: [shown],
      recorded: first.recorded,
      now: '2026-11-20T10:00:15Z',
    });
    expect(first.plan.nodes[0]!.pools).toMatchObject([{ allowed: { Empty: 1 } }]);
    expect(first.plan.nodes[0]!.commands).toMatchObject([{ phase: 'Validating', nodes: [{ name: 'n1' }] }]);
    expect(second.nodes[0]!.commands).toMatchObject([
      { phase: 'Removing', nodes: [{ name: 'n1' }] },
      { phase: 'Validating', nodes: [{ name: 'n2' }] },
    ]);
  });
});

describe('a cluster that is not observed', () => {
  it('has what is left of its limits, and when they change', async () => {
    const pool = nodePool('default', {
      disruption: { budgets: [{ nodes: '2' }, { nodes: '0', schedule: '0 12 * * *', duration: '1h' }] },
    });
    const files = repo({
      'resources/pool.yaml': flow(pool),
      'placements/pools.yaml': flow({
        apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
        kind: 'ClusterResourcePlacement',
        metadata: { name: 'pools' },
        spec: {
          resourceSelectors: [{ group: 'karpenter.sh', version: 'v1', kind: 'NodePool', name: 'default' }],
          policy: { placementType: 'PickAll' },
        },
      }),
    });
    const first = await plan({
      repo: files,
      observed: [observed([node('n1'), node('n2', { ready: false })], { pool })],
    });
    const pools = [
      {
        name: 'default',
        nodes: 2,
        disrupting: 1,
        limit: { Empty: 2 },
        allowed: { Empty: 1 },
        changesAt: '2026-11-20T12:00:00Z',
      },
    ];
    expect(first.plan.nodes[0]!.pools).toMatchObject(pools);
    const second = await plan({ repo: files, recorded: first.recorded, now: '2026-11-20T10:00:01Z' });
    expect(second.plan.nodes[0]!.pools).toMatchObject(pools);
  });
});

describe('what placements deliver', () => {
  it('protects pods too', async () => {
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { matchLabels: { app: 'web' } } },
      status: { disruptionsAllowed: 0 },
    };
    const pods = [pod('a', 'n1', { labels: { app: 'web' } })];
    const { plan: whole } = await plan({
      repo: repo(),
      observed: [observed([node('n1')], { pods, objects: [budget] })],
    });
    expect(whole.nodes[0]!.blocked).toMatchObject([{ node: 'n1', reason: 'PodDisruptionBudget' }]);
    const both = { pods, objects: [budget], extras: [budget] };
    const again = await plan({ repo: repo(), observed: [observed([node('n1')], both)] });
    expect(again.plan.nodes[0]!.blocked).toMatchObject([{ node: 'n1', reason: 'PodDisruptionBudget' }]);
  });
});

import { describe, expect, it } from 'vitest';
import { upgradeRun } from '../../support/cluster-upgrades.ts';
import { folder } from '../../support/folders.ts';
import {
  claim,
  market,
  node,
  nodeMember,
  nodePool,
  observedNodes,
  pod,
  smallMarket,
} from '../../support/node-world.ts';
import { plan } from '../../support/plan-command.ts';
import { line, planned } from '../../support/planned-nodes.ts';
import { cli } from '../../support/run-cli.ts';

const flow = (value: unknown): string => JSON.stringify(value);
const config = (nodeDisruption: object) => ({
  'fleet.yaml': flow({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'FleetConfig',
    metadata: { name: 'fleet' },
    spec: { nodeDisruption },
  }),
});
const members = { 'dev-1': { env: 'dev' }, 'prod-1': { env: 'prod' }, 'prod-2': { env: 'prod' } };
const repo = (more: Readonly<Record<string, string>>) => ({
  ...Object.fromEntries(
    Object.entries(members).map(([name, labels]) => [`members/${name}.yaml`, nodeMember(name, 'execute', labels)]),
  ),
  ...smallMarket,
  ...more,
});
const isDrifted = (of: ReturnType<typeof node>) => ({
  nodeName: of.metadata.name,
  conditions: ['Initialized', 'Drifted'].map((type) => ({
    type,
    status: 'True',
    reason: type === 'Drifted' ? 'NodePoolDrifted' : type,
    lastTransitionTime: '2026-11-20T08:00:00Z',
  })),
});
/** Two empty nodes on each member; on these one of them is drifted. */
const observed = (...drifted: readonly string[]) =>
  Object.keys(members).map((name) => {
    const nodes = [node(`${name}-a`), node(`${name}-b`)];
    const pool = nodePool('default', { disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '100%' }] } });
    const claims = nodes.map((of, at) =>
      claim(of, at === 0 && drifted.includes(name) ? { status: isDrifted(of) } : {}),
    );
    return observedNodes(name, { nodes, pods: [], extras: [pool, ...claims] });
  });

const outcome = async (nodeDisruption: object, drifted: readonly string[], now?: string) => {
  const { plan: whole } = await plan({
    repo: repo(config(nodeDisruption)),
    observed: observed(...drifted),
    ...(now ? { now } : {}),
  });
  return {
    begun: whole.nodes.flatMap(({ clusterName, commands }) =>
      commands.filter(({ phase }) => phase !== 'Proposed').map(() => clusterName),
    ),
    holds: whole.holds.map(({ subject, reason }) => `${subject.name} ${reason}`),
  };
};

describe('waves of drifted nodes', () => {
  const waves = { waves: [{ matchLabels: { env: 'dev' } }, { matchLabels: { env: 'prod' } }] };

  it('start one after the other', async () => {
    expect(await outcome(waves, ['dev-1', 'prod-1'])).toEqual({ begun: ['dev-1'], holds: ['prod-1 NodeWave'] });
    expect(await outcome(waves, ['prod-1', 'prod-2'])).toEqual({ begun: ['prod-1', 'prod-2'], holds: [] });
  });

  it.each([
    ['execute', 'dev-1 has 1 drifted node'],
    ['delegate', 'dev-1 has 1 drifted node, which Karpenter replaces (mode delegate)'],
    [
      'plan',
      'dev-1 has 1 drifted node, which nothing replaces in mode plan: annotate it with gitfleet.dev/node-disruption: execute, or replace them',
    ],
  ])('name who replaces the nodes of a member in mode %s', async (mode, why) => {
    const { plan: whole } = await plan({
      repo: { ...repo(config(waves)), 'members/dev-1.yaml': nodeMember('dev-1', mode, members['dev-1']) },
      observed: observed('dev-1', 'prod-1'),
    });
    const held = whole.holds.filter(({ reason }) => reason === 'NodeWave').map(({ message }) => message);
    expect(held).toEqual([`drifted nodes of prod-1 wait for an earlier wave: ${why}`]);
  });

  it('come before clusters in no wave', async () => {
    const dev = { waves: [{ matchLabels: { env: 'dev' } }] };
    expect(await outcome(dev, ['dev-1', 'prod-1'])).toEqual({ begun: ['dev-1'], holds: ['prod-1 NodeWave'] });
  });
});

describe('budgets of the fleet', () => {
  const all = ['dev-1', 'prod-1', 'prod-2'];

  it('limit clusters, by name where nothing else orders them', async () => {
    expect(await outcome({ budgets: [{ clusters: '2' }] }, all)).toEqual({
      begun: ['dev-1', 'prod-1'],
      holds: ['prod-2 FleetNodeBudget'],
    });
  });

  it.each<[string, object, readonly string[], readonly object[]]>([
    ['Emptiness', { nodes: '2' }, ['Emptiness Validating n1,n2'], []],
    ['Emptiness', { nodes: '50%' }, ['Emptiness Validating n1,n2'], []],
    [
      'consolidation',
      { nodes: '1' },
      ['SingleNodeConsolidation Validating n1'],
      ['n1', 'n2', 'n3'].map((name) => pod(name, name)),
    ],
    [
      'consolidation, with what a budget for it leaves,',
      { nodes: '2', reasons: ['Underutilized'] },
      ['MultiNodeConsolidation Validating n1,n2'],
      ['n1', 'n2', 'n3'].map((name) => pod(name, name)),
    ],
  ])('cut commands of %s: %j', async (_, budget, begun, pods) => {
    const files = { ...smallMarket, ...config({ budgets: [budget] }) };
    const shown = { nodes: ['n1', 'n2', 'n3'].map((name) => node(name)), pods, launches: [] };
    const { nodes, plan: whole } = await planned(shown, {
      files: { 'members/eu-1.yaml': nodeMember('eu-1', 'execute'), ...files },
    });
    expect(nodes.commands.filter(({ phase }) => phase !== 'Proposed').map(line)).toEqual(begun);
    expect(new Set(whole.holds.map(({ reason }) => reason))).toEqual(new Set(['FleetNodeBudget']));
    expect(whole.guard).toEqual([]);
  });

  it('give the first places to clusters with a command under way, whatever else goes on', async () => {
    const leaving = observed(...all).map((text) =>
      text.replace('"uid":"uid-prod-2-b-claim"', '$&,"deletionTimestamp":"2026-11-20T09:00:00Z"'),
    );
    const { plan: whole } = await plan({ repo: repo(config({ budgets: [{ nodes: '3' }] })), observed: leaving });
    expect(whole.nodes.map(({ pools }) => pools[0]!.disrupting)).toEqual([0, 0, 1]);
    expect(whole.holds).toMatchObject([{ subject: { name: 'prod-2' }, reason: 'FleetNodeBudget' }]);
  });

  it.each([
    ['nodes', { nodes: '1', reasons: ['Underutilized'] }],
    ['clusters', { clusters: '1', reasons: ['Underutilized'] }],
  ])(
    'for a reason leave a command its place, whatever began for others while it was validated: %s',
    async (_, budget) => {
      const seen = (...drifted: readonly string[]) => {
        const [n1, n2] = [node('n1'), node('n2')];
        const pool = nodePool('default', { disruption: { budgets: [{ nodes: '100%' }] } });
        const pods = [pod('a', 'n1', { cpu: '1' }), pod('b', 'n2', { cpu: '2' })];
        const dev = observedNodes('dev-1', { nodes: [n1, n2], pods, extras: [pool, claim(n1), claim(n2)] });
        return [dev, ...observed(...drifted).slice(1)];
      };
      const files = repo(config({ budgets: [budget] }));
      const first = await plan({ repo: files, observed: seen(), now: '2026-11-20T10:00:00Z' });
      const at = (now: string, recorded: Readonly<Record<string, string>>) =>
        plan({ repo: files, observed: seen('prod-1'), now, recorded });
      const second = await at('2026-11-20T10:00:05Z', first.recorded);
      const third = await at('2026-11-20T10:00:15Z', second.recorded);
      const lines = [first, second, third].map(({ plan: { nodes, guard } }) => [
        ...nodes.flatMap(({ commands }) => commands.map(line)),
        ...guard,
      ]);
      expect(lines).toEqual([
        ['SingleNodeConsolidation Validating n1'],
        ['SingleNodeConsolidation Validating n1', 'Drift Removing prod-1-a'],
        ['SingleNodeConsolidation Removing n1', 'Drift Removing prod-1-a'],
      ]);
    },
  );

  it('limit the nodes of the clusters that they select', async () => {
    const budgets = [{ nodes: '1', clusterSelector: { matchLabels: { env: 'prod' } } }];
    expect(await outcome({ budgets }, all)).toEqual({
      begun: ['dev-1', 'prod-1'],
      holds: ['prod-2 FleetNodeBudget'],
    });
  });

  it('bind in their window, in their time zone, and for their reasons', async () => {
    const closed = { nodes: '0', schedule: '0 9 * * 1-5', duration: '8h', timeZone: 'Europe/Berlin' };
    const at = (budget: object, now: string) => outcome({ budgets: [budget] }, ['dev-1'], now);
    // 09:00 in Berlin is 08:00 UTC in winter.
    expect((await at(closed, '2026-11-20T08:00:00Z')).begun).toEqual([]);
    expect((await at(closed, '2026-11-20T16:00:00Z')).begun).toEqual(['dev-1']);
    expect((await at({ ...closed, reasons: ['Empty'] }, '2026-11-20T08:00:00Z')).begun).toEqual(['dev-1']);
  });
});

describe.each<[string, object]>([
  ['a budget of the fleet', { budgets: [{ nodes: '0', reasons: ['Drifted'] }] }],
  ['a wave', { waves: [{ matchLabels: { env: 'dev' } }] }],
])('what %s keeps from starting', (_, nodeDisruption) => {
  const [keeper, old, large] = [node('n1', { type: 'D4', cpu: '4' }), node('n2', { type: 'D2', cpu: '2' }), node('n3')];
  const world = (budget: string) => ({
    nodes: [keeper, old, large],
    pods: [
      pod('kept', 'n1', { cpu: '2.5', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      pod('small', 'n2'),
      pod('other', 'n3'),
    ],
    claims: [claim(keeper), claim(old, { status: isDrifted(old) }), claim(large)],
    pool: nodePool('default', { disruption: { budgets: [{ nodes: budget }] } }),
    launches: [],
  });
  const files = {
    'members/eu-1.yaml': nodeMember('eu-1', 'execute'),
    'members/us-1.yaml': nodeMember('us-1', 'execute', { env: 'dev' }),
    ...smallMarket,
    ...config(nodeDisruption),
  };

  it.each([
    ['places for pods', '3', ['Drift Proposed n2 -> D2']],
    ['the budget of its pool', '1', []],
  ])('keeps %s from no other command', async (_what, budget, held) => {
    const first = await planned(world(budget), { files });
    expect(first.nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Validating n3', ...held]);
    expect(first.plan.holds.map(({ subject }) => subject.name)).toContain('eu-1');
    const { nodes, plan: next } = await planned(world(budget), {
      files,
      at: '2026-11-20T10:00:15Z',
      recorded: first.recorded,
    });
    expect(nodes.commands.map(line)[0]).toBe('SingleNodeConsolidation Removing n3');
    expect(next.guard).toEqual([]);
  });
});

it('what the fleet keeps from starting when its validation ends keeps nothing from others', async () => {
  const of = node('n1');
  const world = { nodes: [of], claims: [claim(of, { status: isDrifted(of) })] };
  const closed = { nodes: '0', reasons: ['Empty'], schedule: '1 10 * * *', duration: '1h' };
  const files = {
    'members/eu-1.yaml': nodeMember('eu-1', 'execute'),
    ...smallMarket,
    ...config({ budgets: [closed] }),
  };
  const first = await planned(world, { files, at: '2026-11-20T10:00:50Z' });
  expect(first.nodes.commands.map(line)).toEqual(['Emptiness Validating n1']);
  const next = await planned(world, { files, at: '2026-11-20T10:01:05Z', recorded: first.recorded });
  expect(next.nodes.commands.map(line)).toEqual(['Drift Removing n1']);
});

describe('several InstanceCatalogs and PriceLists', () => {
  const small = market([{ name: 'D2', cpu: 2, price: 0.1 }]);
  const other = market([{ name: 'D2', cpu: 3, price: 0.3 }]);
  const named = (files: Readonly<Record<string, string>>, name: string, spec: object) =>
    Object.fromEntries(
      Object.entries(files).map(([path, text]) => {
        const document = JSON.parse(text);
        return [
          path.replace('.yaml', `-${name}.yaml`),
          flow({ ...document, metadata: { name }, spec: { ...document.spec, ...spec } }),
        ];
      }),
    );
  const problems = async (spec: object) => {
    const files = { ...named(small, 'one', {}), ...named(other, 'two', spec) };
    const { plan: whole } = await plan({
      repo: { 'members/dev-1.yaml': nodeMember('dev-1', 'plan', { env: 'dev' }), ...files },
      observed: [observed()[0]!],
    });
    return whole.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  };

  it('that contradict each other on a cluster are errors that name both places', async () => {
    const found = await problems({});
    expect(found.length).toBeGreaterThanOrEqual(2);
    for (const message of found) expect(message).toMatch(/\(also nodes\/(catalog|prices)-one\.yaml:\d+\)/);
  });

  it('that contradict each other are found by validate', async () => {
    const files = { ...named(small, 'one', {}), ...named(other, 'two', {}) };
    const { out, code } = await cli(
      'validate',
      folder({ 'members/dev-1.yaml': nodeMember('dev-1', 'plan'), ...files }),
    );
    expect(code).toBe(2);
    expect(out).toMatch(/nodes\/prices-two\.yaml:\d+:\d+: error\[duplicate\]: .*\(also nodes\/prices-one\.yaml:\d+\)/);
  });

  it('may differ where no cluster has both', async () => {
    expect(await problems({ clusterSelector: { matchLabels: { env: 'prod' } } })).toEqual([]);
  });
});

it('gitfleet budgets shows what a pool allows at an instant', async () => {
  const of = node('n1');
  const pool = nodePool('default', {
    disruption: { budgets: [{ nodes: '50%' }, { nodes: '0', schedule: '0 9 * * *', duration: '8h' }] },
  });
  const seen = folder({
    'eu-1.yaml': observedNodes('eu-1', {
      nodes: [of, node('n2')],
      pods: [],
      extras: [pool, claim(of), claim(node('n2'))],
    }),
  });
  const fleet = folder({ 'members/eu-1.yaml': nodeMember('eu-1', 'plan') });
  const asked = (at: string) =>
    cli(
      'budgets',
      'eu-1',
      '--repo',
      fleet,
      '--observed',
      seen,
      '--recorded',
      'none',
      '--at',
      at,
      '--now',
      '2026-11-20T10:00:00Z',
    );
  expect((await asked('2026-11-20T16:59:59Z')).out).toMatch(
    /default: 2 nodes, 0 disrupting\n.*\n.* 2026-11-20T17:00:00Z +0 +0 +0/,
  );
  expect((await asked('2026-11-20T17:00:00Z')).out).toMatch(/ 2026-11-21T09:00:00Z +1 +1 +1/);
});

describe('an update run that upgrades a cluster whose nodes have drifted', () => {
  /** dev-1 is upgraded, by which one of its drifted nodes is being deleted, and so is not ready. */
  const upgraded = async (nodeDisruption: object) => {
    const nodes = [node('dev-1-a'), node('dev-1-b', { ready: false })];
    const leaving = { metadata: { deletionTimestamp: '2026-11-20T09:59:00Z' } };
    const claims = nodes.map((of, at) => claim(of, { status: isDrifted(of), ...(at === 1 ? leaving : {}) }));
    const pool = nodePool('default', { disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '2' }] } });
    const [, ...others] = observed('prod-1');
    const { plan: whole } = await plan({
      repo: repo({
        ...config(nodeDisruption),
        'members/dev-1.yaml': nodeMember('dev-1', 'execute', {}, { 'gitfleet.dev/upgrade-provider': 'simulated' }),
        ...upgradeRun({}),
      }),
      observed: [
        flow({
          ...JSON.parse(observedNodes('dev-1', { nodes, pods: [], extras: [pool, ...claims] })),
          versions: { controlPlane: 'v1.30.9', pools: [{ name: 'np1', kubernetes: 'v1.30.9' }] },
        }),
        ...others,
      ],
    });
    return {
      commands: whole.nodes.flatMap(({ clusterName, commands }) =>
        commands.map(({ phase, nodes: own }) => `${clusterName} ${own.map(({ name }) => name).join()} ${phase}`),
      ),
      pool: whole.nodes[0]!.pools[0],
      holds: whole.holds.map(({ subject, reason }) => `${subject.name} ${reason}`),
    };
  };

  it('disrupts each node once', async () => {
    const { commands, pool, holds } = await upgraded({});
    expect(pool).toMatchObject({ nodes: 2, disrupting: 1, allowed: { Drifted: 1 } });
    expect(commands).toEqual(['dev-1 dev-1-a Proposed', 'prod-1 prod-1-a Removing']);
    expect(holds).toContain('dev-1 ClusterUpgrading');
  });

  it('counts once as a cluster with a disruption under way', async () => {
    expect((await upgraded({ budgets: [{ clusters: '2' }] })).commands).toContain('prod-1 prod-1-a Removing');
    const { commands, holds } = await upgraded({ budgets: [{ clusters: '1' }] });
    expect(commands).toContain('prod-1 prod-1-a Proposed');
    expect(holds).toContain('prod-1 FleetNodeBudget');
  });

  it('counts before any of its nodes goes', async () => {
    const { plan: whole } = await plan({
      repo: repo({
        ...config({ budgets: [{ clusters: '1' }] }),
        'members/dev-1.yaml': nodeMember('dev-1', 'execute', {}, { 'gitfleet.dev/upgrade-provider': 'simulated' }),
        ...upgradeRun({}),
      }),
      observed: observed('prod-1').map((text, at) =>
        at > 0
          ? text
          : flow({
              ...JSON.parse(text),
              versions: { controlPlane: 'v1.30.9', pools: [{ name: 'np1', kubernetes: 'v1.30.9' }] },
            }),
      ),
    });
    expect(whole.holds.map(({ subject, reason }) => `${subject.name} ${reason}`)).toContain('prod-1 FleetNodeBudget');
  });
});

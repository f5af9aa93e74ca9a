import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { claim, market, node, nodePool, pod } from '../../support/node-world.ts';
import { plan } from '../../support/plan-command.ts';
import { line, nodeRepo, planned, unlimited, type World } from '../../support/planned-nodes.ts';

const old = {
  conditions: [
    { type: 'Drifted', status: 'True', reason: 'ImageDrift', lastTransitionTime: '2026-11-19T00:00:00Z' },
    { type: 'Initialized', status: 'True' },
  ],
};

describe('what goes', () => {
  it('empty nodes in one command, and two half-empty ones for a smaller one', async () => {
    const { nodes } = await planned({
      nodes: [node('n1'), node('n2'), node('n3'), node('n4')],
      pods: [pod('a', 'n2'), pod('b', 'n3', { cpu: '2' })],
    });
    expect(nodes.commands.map(line)).toEqual([
      'Emptiness Proposed n1,n4',
      'MultiNodeConsolidation Proposed n2,n3 -> D4',
    ]);
    expect(nodes.commands[1]).toMatchObject({ priceBefore: 0.8, priceAfter: 0.2, reason: 'Underutilized' });
  });

  it('as many empty nodes as the budget bears, and the rest waits for it', async () => {
    const { nodes, plan: whole } = await planned({
      nodes: [node('n1'), node('n2'), node('n3')],
      pool: nodePool('default'),
    });
    expect(nodes.commands.map(line)).toEqual(['Emptiness Proposed n1']);
    expect(nodes.pools).toMatchObject([{ nodes: 3, disrupting: 0, limit: { Empty: 1 }, allowed: { Empty: 1 } }]);
    expect(whole.holds).toMatchObject([
      { subject: { kind: 'NodePool', name: 'default', clusterName: 'eu-1' }, reason: 'NodeBudget' },
    ]);
  });

  it('a drifted node, with a replacement where its pods fit nowhere else', async () => {
    const [full, drifted] = [node('n1'), node('n2')];
    const { nodes } = await planned({
      nodes: [full, drifted],
      pods: [pod('a', 'n1', { cpu: '7' }), pod('b', 'n2', { cpu: '6' })],
      claims: [claim(full), claim(drifted, { status: old })],
    });
    expect(nodes.commands.map(line)).toEqual(['Drift Proposed n2 -> D8']);
    expect(nodes.commands[0]!.nodes[0]).toMatchObject({ drift: 'ImageDrift' });
  });

  it('an expired node by force, whatever its budget and pods say', async () => {
    const of = node('n1');
    const { nodes } = await planned({
      nodes: [of],
      pods: [pod('a', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
      pool: nodePool('default', { disruption: { budgets: [{ nodes: '0' }] } }),
      claims: [claim(of, { spec: { expireAfter: '24h' } })],
    });
    expect(nodes.commands.map(line)).toEqual(['Expiration Proposed n1']);
    expect(nodes.commands[0]).toMatchObject({
      reason: 'Expired',
      pods: [{ namespace: 'shop', name: 'a', from: 'n1' }],
    });
  });

  it('an expired node of the old place gracefully, with a replacement', async () => {
    const of = node('n1');
    const pool = nodePool('default', {
      disruption: { ...unlimited, expireAfter: '24h' },
      template: { expireAfter: undefined },
    });
    const { nodes } = await planned({
      nodes: [of],
      pods: [pod('a', 'n1', { cpu: '3' })],
      pool,
      claims: [claim(of, { spec: { expireAfter: '24h' } })],
    });
    expect(nodes.pools[0]).toMatchObject({ profile: 'karpenter-v1beta1', limit: { Expired: 1 } });
    expect(nodes.commands.map(line)).toEqual(['Expiration Proposed n1 -> D4']);
  });

  it('spot nodes are replaced by spot nodes behind the gate only', async () => {
    const files = market([
      { name: 'D2', cpu: 2, price: 0.1, spot: 0.02 },
      { name: 'D8', cpu: 8, price: 0.4, spot: 0.1 },
    ]);
    const world = { nodes: [node('n1', { capacityType: 'spot' })], pods: [pod('a', 'n1')] };
    expect((await planned(world, { files })).nodes.commands).toEqual([]);
  });

  it('nothing is replaced without a catalogue', async () => {
    const world = {
      nodes: [node('n1'), node('n2')],
      pods: [pod('a', 'n1', { cpu: '1' }), pod('b', 'n2', { cpu: '2' })],
    };
    const { nodes } = await planned(world, { files: {} });
    expect(nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Proposed n1']);
    expect(nodes.commands[0]).not.toHaveProperty('priceBefore');
  });
});

describe('what blocks', () => {
  const blockedBy = async (world: World) => (await planned(world)).nodes.blocked;
  it.each<[string, World, object]>([
    [
      'a pod',
      { nodes: [node('n1')], pods: [pod('a', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })] },
      { reason: 'PodDoNotDisrupt', message: 'pod shop/a has karpenter.sh/do-not-disrupt' },
    ],
    [
      'a pod for a while',
      {
        nodes: [node('n1')],
        pods: [
          pod('a', 'n1', {
            annotations: { 'karpenter.sh/do-not-disrupt': '1h' },
            status: { phase: 'Running', startTime: '2026-11-20T09:30:00Z' },
          }),
        ],
      },
      { reason: 'PodDoNotDisrupt', until: '2026-11-20T10:30:00Z' },
    ],
    [
      'the node',
      { nodes: [node('n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })] },
      { reason: 'NodeDoNotDisrupt' },
    ],
    ['its state', { nodes: [node('n1', { initialized: false })] }, { reason: 'NotInitialized' }],
    [
      'a missing claim',
      { nodes: [node('n1'), node('n2')], claims: [claim(node('n2'))] },
      { reason: 'NoNodeClaim', node: 'n1' },
    ],
    [
      'a budget of pods',
      {
        nodes: [node('n1')],
        pods: [pod('a', 'n1', { labels: { app: 'a' } })],
        extras: [
          {
            apiVersion: 'policy/v1',
            kind: 'PodDisruptionBudget',
            metadata: { name: 'pdb', namespace: 'shop' },
            spec: { selector: { matchLabels: { app: 'a' } } },
            status: { disruptionsAllowed: 0 },
          },
        ],
      },
      { reason: 'PodDisruptionBudget' },
    ],
    [
      'a volume that is not observed',
      {
        nodes: [node('n1')],
        pods: [pod('a', 'n1', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] } })],
      },
      { reason: 'NotModelled' },
    ],
    [
      'consolidateAfter',
      {
        nodes: [node('n1', { createdAt: '2026-11-20T09:00:00Z' })],
        pool: nodePool('default', { disruption: { consolidateAfter: '2h' } }),
      },
      { reason: 'ConsolidateAfter', reasons: ['Empty', 'Underutilized'], until: '2026-11-20T11:00:00Z' },
    ],
    [
      'an unknown type',
      {
        nodes: [node('n1', { type: 'X1' })],
        pods: [pod('a', 'n1')],
        claims: [claim(node('n1', { createdAt: '2026-11-20T09:30:00Z' }))],
      },
      { reason: 'InstanceTypeUnknown', reasons: ['Underutilized'] },
    ],
  ])('%s', async (_, world, expected) => {
    const [first] = await blockedBy(world);
    expect(first).toMatchObject({ node: 'n1', ...expected });
  });
});

describe('commands over time', () => {
  const world = { nodes: [node('n1'), node('n2')], pods: [pod('a', 'n1', { cpu: '3' }), pod('b', 'n2', { cpu: '6' })] };
  const steps = { mode: 'execute' } as const;

  it('wait for a provider where a replacement is wanted', async () => {
    const { nodes, plan: whole, code } = await planned(world, steps);
    expect(nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Proposed n1 -> D4']);
    expect(whole.holds.map(({ reason }) => reason)).toEqual(['NoLauncher']);
    expect(code).toBe(0);
  });

  it('are validated, launch, remove and end', async () => {
    const with_ = { ...world, launches: [] };
    const first = await planned(with_, steps);
    expect(first.nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Validating n1 -> D4']);
    expect(first.nodes.target).toMatchObject({ nodes: [], launches: [] });
    expect(first.plan.wakeAt).toBe('2026-11-20T10:00:15Z');
    expect(first.code).toBe(1);
    const second = await planned(with_, { ...steps, at: '2026-11-20T10:00:15Z', recorded: first.recorded });
    expect(second.nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Launching n1 -> D4']);
    const { name } = second.nodes.commands[0]!.replacements[0]!;
    expect(second.nodes.target).toMatchObject({
      nodes: [{ name: 'n1', uid: 'uid-n1-claim', claim: 'n1-claim', want: 'Tainted' }],
      launches: [{ name, instanceType: 'D4' }],
    });
    expect(second.plan.targets).toEqual([]);
    const up = node(name, { type: 'D4', cpu: '4', memory: '16Gi', createdAt: '2026-11-20T10:01:00Z' });
    const third = await planned(
      { ...with_, nodes: [...world.nodes, up] },
      { ...steps, at: '2026-11-20T10:02:00Z', recorded: second.recorded },
    );
    expect(third.nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Removing n1 -> D4']);
    expect(third.nodes.target).toMatchObject({ nodes: [{ name: 'n1', want: 'Gone' }], launches: [] });
    const after = {
      nodes: [node('n2'), up],
      pods: [pod('a', name, { cpu: '3' }), pod('b', 'n2', { cpu: '6' })],
      launches: [],
    };
    const last = await planned(after, { ...steps, at: '2026-11-20T10:05:00Z', recorded: third.recorded });
    expect(last.nodes.commands).toEqual([]);
    expect(last.nodes.target).toMatchObject({ nodes: [], launches: [] });
    expect(last.code).toBe(0);
  });

  it.each<[string, Readonly<Record<string, readonly string[]>>, string]>([
    ['nodes that stay anyway are filled first', { a: ['4'], b_: ['5'], n: ['3', '2', '2'] }, 'n'],
    ['the pods of one node after those of another', { a_: ['4'], b_: ['5'], n1: ['2', '2'], n2: ['3'] }, 'n1,n2'],
  ])('pass their validation where pods fit because %s', async (_, used, gone) => {
    const doNotDisrupt = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
    const entries = Object.entries(used);
    const world = {
      nodes: entries.map(([name]) => node(name, name.endsWith('_') ? doNotDisrupt : {})),
      pods: entries.flatMap(([name, cpus]) =>
        cpus.map((cpu, at) => {
          const spec = name === 'a' ? { nodeSelector: { 'kubernetes.io/hostname': 'a' } } : {};
          return pod(`${name}-${at}`, name, { cpu, spec });
        }),
      ),
    };
    const execute = { mode: 'execute', files: {} };
    const { recorded } = await planned(world, execute);
    const later = await planned(world, { ...execute, at: '2026-11-20T10:00:15Z', recorded });
    expect(later.nodes.commands).toMatchObject([{ phase: 'Removing', replacements: [] }]);
    expect(later.nodes.commands[0]!.nodes.map(({ name }) => name).join()).toBe(gone);
  });

  it('are rolled back when a launch fails, and their nodes cool down', async () => {
    const with_ = { ...world, launches: [] };
    const first = await planned(with_, steps);
    const second = await planned(with_, { ...steps, at: '2026-11-20T10:00:15Z', recorded: first.recorded });
    const { name } = second.nodes.commands[0]!.replacements[0]!;
    const failed = await planned(
      { ...world, launches: [{ name, phase: 'Failed', message: 'no capacity' }] },
      { ...steps, at: '2026-11-20T10:01:00Z', recorded: second.recorded },
    );
    expect(failed.nodes.commands).toEqual([]);
    expect(failed.nodes.blocked).toMatchObject([{ node: 'n1', reason: 'CoolDown', until: '2026-11-20T10:06:00Z' }]);
    expect(failed.plan.holds).toMatchObject([{ reason: 'CommandRolledBack', until: '2026-11-20T10:06:00Z' }]);
    expect(failed.plan.wakeAt).toBe('2026-11-20T10:06:00Z');
  });

  it.each<[string, object, Parameters<typeof claim>[1], string[], string[]]>([
    ['drift goes on', {}, { status: { nodeName: 'n1', ...old } }, ['Drift Launching n1 -> D4'], []],
    [
      'a graceful expiry is rolled back',
      { expireAfter: '24h' },
      { spec: { expireAfter: '24h', terminationGracePeriod: '1h' } },
      [],
      ['CommandRolledBack'],
    ],
  ])('that launch when a pod begins to block their node: %s', async (_, disruption, of, lines, holds) => {
    const n1 = node('n1');
    const pool = nodePool('default', {
      disruption: { ...unlimited, ...disruption },
      template: { expireAfter: undefined },
    });
    const shown = { nodes: [n1], pool, claims: [claim(n1, of)], launches: [] };
    const first = await planned({ ...shown, pods: [pod('a', 'n1', { cpu: '3' })] }, steps);
    expect(first.nodes.commands.map(line)).toMatchObject([expect.stringContaining('Launching n1 -> D4')]);
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    const second = await planned(
      { ...shown, pods: [pod('a', 'n1', { cpu: '3', annotations })] },
      { ...steps, at: '2026-11-20T10:01:00Z', recorded: first.recorded },
    );
    expect(second.nodes.commands.map(line)).toEqual(lines);
    expect(second.plan.holds.map(({ reason }) => reason)).toEqual(holds);
  });

  it('wait longer for replacements while very many nodes are under way', async () => {
    const n1 = node('n1');
    const status = { nodeName: 'n1', ...old };
    const shown = { nodes: [n1], pods: [pod('a', 'n1', { cpu: '3' })], claims: [claim(n1, { status })], launches: [] };
    const first = await planned(shown, steps);
    const record = parse(first.recorded['nodes/eu-1.yaml']!);
    const [launching] = record.commands;
    const nodes = Array.from({ length: 8_000 }, (_, at) => ({ name: `m${at}`, pool: 'default', disruptionCost: 1 }));
    const removing = { ...launching, id: '0'.repeat(12), phase: 'Removing', nodes, replacements: [], pods: [] };
    record.commands.push(removing);
    const { nodes: later, plan: whole } = await planned(
      { ...shown, nodes: [n1, node('m0')] },
      {
        ...steps,
        at: '2026-11-20T10:10:30Z',
        recorded: { ...first.recorded, 'nodes/eu-1.yaml': JSON.stringify(record) },
      },
    );
    expect(later.commands.map(({ phase }) => phase)).toEqual(['Launching', 'Removing']);
    // 8,001 times 80 ms.
    expect(whole.wakeAt).toBe('2026-11-20T10:10:40.081Z');
  });
});

describe('the next plan', () => {
  it('is due when a node is old enough for its type to be looked up, where there is a catalogue', async () => {
    const world = {
      nodes: [node('n1', { createdAt: '2026-11-20T09:30:00Z', type: 'D2', cpu: '2' })],
      pods: [pod('a', 'n1')],
    };
    expect((await planned(world)).plan.wakeAt).toBe('2026-11-20T10:30:00.001Z');
    expect((await planned(world, { files: {} })).plan).not.toHaveProperty('wakeAt');
  });

  it.each<[string, World, string]>([
    [
      'a type that the catalog lacks becomes drift',
      { nodes: [node('n1', { type: 'X1', createdAt: '2026-11-20T09:30:00Z' })], pods: [pod('a', 'n1')] },
      '2026-11-20T10:30:00.001Z',
    ],
    [
      'pods may land again on a node that something else keeps',
      {
        nodes: [
          node('n1', { createdAt: '2026-11-20T08:30:00Z', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
        ],
        pods: [pod('a', 'n1')],
        pool: nodePool('default', { disruption: { ...unlimited, consolidateAfter: '2h' } }),
      },
      '2026-11-20T10:30:00Z',
    ],
    [
      'a pod is free that is not the first one in the way',
      {
        nodes: [node('n1')],
        pods: ['true', '1h'].map((isFor, at) =>
          pod(`p${at}`, 'n1', {
            annotations: { 'karpenter.sh/do-not-disrupt': isFor },
            status: { phase: 'Running', startTime: '2026-11-20T09:30:00Z' },
          }),
        ),
      },
      '2026-11-20T10:30:00Z',
    ],
  ])('is made when %s', async (_, world, at) => {
    expect((await planned(world)).plan.wakeAt).toBe(at);
  });
});

describe('what is not known', () => {
  it('plans nothing', async () => {
    const { plan: whole } = await plan({ repo: nodeRepo() });
    expect(whole.nodes).toMatchObject([{ clusterName: 'eu-1', mode: 'plan', pools: [], commands: [] }]);
    // Its subject is the cluster, so the sentence does not repeat it.
    expect(whole.holds.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'NodesNotObserved: nothing is planned: its nodes and pods were not observed',
    ]);
  });
});

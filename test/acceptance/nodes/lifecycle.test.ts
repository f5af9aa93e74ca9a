import { describe, expect, it } from 'vitest';
import { claim, market, node, nodeMember, nodePool, pod, smallMarket } from '../../support/node-world.ts';
import { line, planned, unlimited, type World } from '../../support/planned-nodes.ts';

const execute = { mode: 'execute' };
const drifted = {
  conditions: [
    { type: 'Initialized', status: 'True', lastTransitionTime: '2026-11-01T00:00:00Z' },
    { type: 'Drifted', status: 'True', reason: 'ImageDrift', lastTransitionTime: '2026-11-10T00:00:00Z' },
  ],
};
const driftedClaim = (of: ReturnType<typeof node>) => claim(of, { status: { nodeName: of.metadata.name, ...drifted } });
const at = (seconds: number): string =>
  new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000).toISOString().replace('.000', '');

/** The plans of these observations, each with the record of the one before, at these seconds. */
async function over(...steps: readonly (readonly [number, World])[]) {
  const results: Awaited<ReturnType<typeof planned>>[] = [];
  for (const [seconds, world] of steps) {
    const recorded = results.at(-1)?.recorded;
    results.push(await planned(world, { ...execute, at: at(seconds), ...(recorded ? { recorded } : {}) }));
  }
  return results;
}

const whenEmpty = nodePool('default', { disruption: { ...unlimited, consolidationPolicy: 'WhenEmpty' } });

describe('a node that gets the name of one that a command removes', () => {
  const keeper = node('n3');
  const full = pod('a', 'n3', { cpu: '7' });
  const named = (name: string, uid: string) => {
    const made = node(name);
    return { ...made, metadata: { ...made.metadata, uid } };
  };
  const shown = (nodes: readonly ReturnType<typeof node>[], hasClaims: boolean): World => ({
    nodes,
    pods: [full, ...(nodes.includes(n1) ? [] : [pod('new', 'n1', { cpu: '7' })])],
    claims: hasClaims
      ? nodes.map((of) => claim(of, { metadata: { name: `c-${of.metadata.uid}`, uid: `c-${of.metadata.uid}` } }))
      : [],
  });
  const n1 = node('n1');
  const other = named('n1', 'another');

  it.each([
    ['with NodeClaims', true, 'c-'],
    ['without NodeClaims', false, ''],
  ])('stays, %s', async (_, hasClaims, prefix) => {
    const before = shown([n1, node('n2'), keeper], hasClaims);
    const after = shown([other, node('n2'), keeper], hasClaims);
    const [, removing, first, second] = await over([0, before], [15, before], [60, after], [90, after]);
    expect(removing!.nodes.commands.map(line)).toEqual(['Emptiness Removing n1,n2']);
    const target = removing!.nodes.target!.nodes.map(({ name, uid }) => [name, uid]);
    expect(target).toEqual([
      ['n1', `${prefix}uid-n1`],
      ['n2', `${prefix}uid-n2`],
    ]);
    for (const { nodes } of [first!, second!]) {
      expect(nodes.commands.map(line)).toEqual(['Emptiness Removing n1,n2']);
      expect(nodes.target!.nodes.map(({ name, uid }) => [name, uid])).toEqual(target);
    }
  });

  it('is known by its name where the record has no uid', async () => {
    const world = shown([n1, node('n2'), keeper], true);
    const [, removing] = await over([0, world], [15, world]);
    const bare = Object.fromEntries(
      Object.entries(removing!.recorded).map(([path, text]) => [
        path,
        path.startsWith('nodes/') ? text.replaceAll(/(\{name: n\d), uid: [^,]*/g, '$1') : text,
      ]),
    );
    const next = (of: typeof bare) => planned(world, { ...execute, at: at(30), recorded: of });
    const [known, unknown] = [await next(removing!.recorded), await next(bare)];
    expect(bare).not.toEqual(removing!.recorded);
    expect(unknown.nodes.commands.map(line)).toEqual(['Emptiness Removing n1,n2']);
    expect(unknown.nodes.target).toEqual(known.nodes.target);
  });

  it('ends the command where no other node of it is left', async () => {
    const before = shown([n1, keeper], true);
    const after = shown([other, keeper], true);
    const [, removing, later] = await over([0, before], [15, before], [60, after]);
    expect(removing!.nodes.commands.map(line)).toEqual(['Emptiness Removing n1']);
    expect(later!.nodes.commands).toEqual([]);
    expect(later!.nodes.target).toMatchObject({ nodes: [], launches: [] });
  });

  it('is not what a validation looked at', async () => {
    const empty = { ...shown([other, keeper], true), pods: [full] };
    const [, validated] = await over([0, shown([n1, keeper], true)], [15, empty]);
    expect(validated!.nodes.commands.map(line)).toEqual(['Emptiness Validating n1']);
    expect(validated!.nodes.commands[0]!.since).toBe(at(15));
  });
});

it('commands of one plan are validated in the order in which it found them', async () => {
  const nodes = [node('a1'), node('k1'), node('b1', { type: 'D2', cpu: '2' })];
  const held = { 'karpenter.sh/do-not-disrupt': 'true' };
  // Its place is on k1, unless a1 is looked at while it still counts as one that stays.
  const pods = [pod('kept', 'k1', { cpu: '6', annotations: held }), pod('a', 'b1', { cpu: '1.2' })];
  const world = { nodes, pods, launches: [] };
  const [, again, validated] = await over([0, world], [5, world], [15, world]);
  const both = (phase: string) => [`Emptiness ${phase} a1`, `SingleNodeConsolidation ${phase} b1`];
  expect(again!.nodes.commands.map(line)).toEqual(both('Validating'));
  expect(validated!.nodes.commands.map(line)).toEqual(both('Removing'));
});

it('no pod is validated to move to a node that expires now', async () => {
  const nodes = [node('n1'), node('n2'), node('n3')];
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  const pods = [pod('a', 'n1'), pod('b', 'n2', { annotations }), pod('c', 'n3', { annotations })];
  const aged = (name: string, createdAt: string) =>
    claim(nodes.find(({ metadata }) => metadata.name === name)!, {
      metadata: { creationTimestamp: createdAt },
      spec: { expireAfter: '24h' },
    });
  const claims = [aged('n1', at(0)), aged('n2', '2026-11-19T10:00:10Z'), aged('n3', at(0))];
  const world = {
    nodes,
    pods,
    claims,
    pool: nodePool('default', { disruption: unlimited, template: { expireAfter: '24h' } }),
    launches: [],
  };
  const [first, second] = await over([0, world], [15, world]);
  const places = (nodes: (typeof first & object)['nodes']) =>
    nodes.commands.map((one) => `${line(one)} ${one.pods!.map(({ to }) => to)}`);
  expect(places(first!.nodes)).toEqual(['SingleNodeConsolidation Validating n1 n2']);
  expect(places(second!.nodes).sort()).toEqual(['Expiration Removing n2 ', 'SingleNodeConsolidation Removing n1 n3']);
});

describe('commands that one plan begins do not end each other at validation', () => {
  const held = { 'karpenter.sh/do-not-disrupt': 'true' };
  const places = ({ nodes }: Awaited<ReturnType<typeof planned>>): readonly string[] =>
    nodes.commands.map((one) => `${line(one)} ${one.pods!.map(({ to }) => to)}`.trim()).sort();

  it('no pod lands on a node of another one', async () => {
    const nodes = ['n1', 'n2', 'n3', 'n9'].map((name) => node(name));
    const pods = [
      ...[pod('a', 'n1', { cpu: '1' }), pod('b', 'n2', { cpu: '1' }), pod('c', 'n3', { cpu: '3' })],
      pod('d', 'n9', { cpu: '6', annotations: held }),
    ];
    const world = { nodes, pods, launches: [] };
    const [first, second] = await over([0, world], [15, world]);
    expect(places(first!)).toEqual([
      'MultiNodeConsolidation Validating n1,n2 n9,n9',
      expect.stringMatching('SingleNodeConsolidation Validating n3 -> D4 default-'),
    ]);
    expect(places(second!)).toEqual([
      'MultiNodeConsolidation Removing n1,n2 n9,n9',
      expect.stringMatching('SingleNodeConsolidation Launching n3 -> D4 default-'),
    ]);
  });

  it.each([
    ['none takes the share of a budget that an earlier one has', '1', ['d1', 'd2', 'e1'], []],
    [
      'also where only some of its nodes go in the end',
      '2',
      ['d1', 'd2', 'e1', 'e2'],
      [pod('late', 'e2', { annotations: held })],
    ],
  ])('%s', async (_, most, names, late) => {
    const pool = nodePool('default', {
      disruption: { budgets: [{ nodes: most, reasons: ['Empty'] }, { nodes: '4' }] },
    });
    const nodes = [...names, 'z8', 'z9'].map((name) => node(name));
    const claims = nodes.map((of) => (of.metadata.name.startsWith('d') ? driftedClaim(of) : claim(of)));
    const stays = ['z8', 'z9'].map((name) => pod(`on-${name}`, name, { cpu: '0.5', annotations: held }));
    const pods = [pod('c', 'd1', { cpu: '2' }), pod('d', 'd2', { cpu: '7' }), ...stays];
    const world = { nodes, claims, pool, launches: [], pods };
    const [first, second] = await over([0, world], [15, { ...world, pods: [...pods, ...late] }]);
    const empty = names.filter((name) => name.startsWith('e')).join();
    const drift = ['Drift Removing d1', 'Drift Removing d2'];
    expect(first!.nodes.commands.map(line)).toEqual([`Emptiness Validating ${empty}`, ...drift]);
    expect(second!.nodes.commands.map(line)).toEqual([...drift, 'Emptiness Removing e1']);
    expect(second!.plan.guard).toEqual([]);
  });
});

describe('where no provider can launch nodes', () => {
  const one = { disruption: { budgets: [{ nodes: '1' }] } };

  it('nodes go whose pods fit elsewhere, also where a replacement of more nodes would save more', async () => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => node(name));
    const pods = ['n1', 'n2', 'n3'].map((name) => pod(name, name));
    const plan = await planned({ nodes, pods }, { mode: 'plan' });
    expect(plan.nodes.commands.map(line)).toEqual(['MultiNodeConsolidation Proposed n1,n2,n3 -> D4']);
    const acts = await planned({ nodes, pods }, execute);
    expect(acts.nodes.commands.map(line)).toEqual(['MultiNodeConsolidation Validating n1,n2']);
    expect(acts.plan.holds).toEqual([]);
  });

  it('neither while a provider cannot be read: what needs no new node goes, and stays begun', async () => {
    const provider = { 'gitfleet.dev/upgrade-provider': 'cluster-api' };
    const files = { 'members/eu-1.yaml': nodeMember('eu-1', 'execute', {}, provider), ...smallMarket };
    const nodes = ['a0', 'n1', 'n2'].map((name) => node(name));
    const claims = [claim(nodes[0]!), driftedClaim(nodes[1]!), claim(nodes[2]!)];
    const unschedulable = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
    const pods = [
      pod('a', 'a0', { cpu: '4', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      pod('b', 'n1', { cpu: '1' }),
      pod('c', 'n2', { cpu: '2' }),
      pod('d', undefined, { cpu: '7.5', status: { phase: 'Pending', conditions: unschedulable } }),
    ];
    const first = await planned({ nodes, claims, pods }, { files });
    expect(first.nodes.commands.map(line)).toEqual(['Drift Removing n1', 'SingleNodeConsolidation Validating n2']);
    const second = await planned({ nodes, claims, pods }, { files, recorded: first.recorded, at: at(15) });
    expect(second.nodes.commands.map(line)).toEqual(['Drift Removing n1', 'SingleNodeConsolidation Removing n2']);
  });

  it('why launches could not be read is said of what needs one, until they are read', async () => {
    const nodes = [node('n1'), node('n2')];
    const pods = [pod('a', 'n1', { cpu: '3' }), pod('b', 'n2', { cpu: '7' })];
    const [first, second, third] = await over(
      [0, { nodes, pods, launchesNotRead: 'connection refused' }],
      [15, { nodes, pods, launchesNotRead: 'connection refused' }],
      [30, { nodes, pods, launches: [] }],
    );
    for (const { nodes: shown, plan } of [first!, second!]) {
      expect(shown.commands.map(line)).toEqual(['SingleNodeConsolidation Proposed n1 -> D4']);
      expect(plan.holds.map(({ reason, message }) => [reason, message])).toEqual([
        [
          'NoLauncher',
          'SingleNodeConsolidation of n1 starts once a provider can launch D4 on eu-1 (launches not read: connection refused)',
        ],
      ]);
    }
    expect(third!.nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Validating n1 -> D4']);
  });

  it('nodes go that need no replacement, while a pending pod could get a new node', async () => {
    const waiting = {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
    };
    const pods = [pod('a', 'n1'), pod('b', 'n2'), pod('x', undefined, { cpu: '7.5', status: waiting })];
    const world = { nodes: [node('n1'), node('n2')], pods };
    const [first, second] = await over([0, world], [15, world]);
    expect(first!.nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Validating n1']);
    expect(second!.nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Removing n1']);
  });

  it('a drifted node that needs a replacement takes no budget from one that needs none', async () => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => node(name));
    // The pods of n1 fit nowhere, those of n2 on n3.
    const pods = [pod('a', 'n1', { cpu: '7' }), pod('b', 'n2', { cpu: '2' }), pod('c', 'n3', { cpu: '5' })];
    const claims = [driftedClaim(nodes[0]!), driftedClaim(nodes[1]!), claim(nodes[2]!)];
    const { nodes: shown } = await planned({ nodes, pods, claims, pool: nodePool('default', one) }, execute);
    expect(shown.commands.map(line)).toEqual(['Drift Removing n2']);
  });

  it('a replacement is still listed, and held', async () => {
    const nodes = [node('n1'), node('n2')];
    const pods = [pod('a', 'n1', { cpu: '3' }), pod('b', 'n2', { cpu: '7' })];
    const { nodes: shown, plan } = await planned({ nodes, pods }, execute);
    expect(shown.commands.map(line)).toEqual(['SingleNodeConsolidation Proposed n1 -> D4']);
    expect(plan.holds.map(({ reason }) => reason)).toEqual(['NoLauncher']);
  });
});

it('a node whose claim only reports InstanceTerminating goes like any other, and is none of those of which budgets take a share', async () => {
  const [n1, n2] = [node('n1'), node('n2')];
  const conditions = ['Initialized', 'InstanceTerminating'].map((type) => ({ type, status: 'True' }));
  const claims = [claim(n1, { status: { nodeName: 'n1', conditions } }), claim(n2)];
  const { nodes, plan } = await planned({ nodes: [n1, n2], claims, pool: whenEmpty }, execute);
  expect([nodes.commands.map(line), nodes.pools[0]!.nodes, plan.guard]).toEqual([['Emptiness Validating n1'], 1, []]);
});

it('no command begins while fleet.yaml, which was never valid, may have a freeze', async () => {
  const files = { 'members/eu-1.yaml': nodeMember('eu-1', 'execute'), ...smallMarket, 'fleet.yaml': 'spec: [\n' };
  const { nodes, plan } = await planned({ nodes: [node('n1')] }, { files });
  expect(nodes.commands.map(line)).toEqual(['Emptiness Proposed n1']);
  expect(plan.holds.map(({ reason, subject: { kind } }) => `${reason} ${kind}`)).toEqual([
    'Freeze FleetConfig',
    'Freeze MemberCluster',
  ]);
});

describe('a drifted node is named', () => {
  const nodes = ['n1', 'n2'].map((name) => node(name));
  const claims = nodes.map(driftedClaim);
  const pods = nodes.map(({ metadata: { name } }) => pod(`on-${name}`, name));
  const pool = (more: object, status = {}) => ({ ...nodePool('default', { disruption: unlimited, more }), status });
  const notReady = pool({}, { conditions: [{ type: 'Ready', status: 'False' }] });

  it.each<[string, World, string, string[], readonly (readonly [string, string])[]]>([
    [
      'where no pool can launch anything',
      { nodes, pods, claims, pool: notReady },
      'can launch',
      [],
      [
        ['n1', 'NoPlaceForPods'],
        ['n2', 'NoPlaceForPods'],
      ],
    ],
    [
      'where its static pool has more nodes than replicas',
      { nodes, claims, pool: pool({ replicas: 1, limits: { nodes: '4' } }) },
      'more than its 1 replicas',
      [],
      [
        ['n1', 'PoolLimit'],
        ['n2', 'PoolLimit'],
      ],
    ],
    [
      'where it takes in the pods of another first',
      { nodes, pods, claims },
      'n2 is to take in pods',
      ['Drift Proposed n1'],
      [['n2', 'NoPlaceForPods']],
    ],
  ])('%s', async (_, world, message, commands, blocked) => {
    const { nodes: of } = await planned(world);
    expect(of.commands.map(line)).toEqual(commands);
    expect(of.blocked.filter(({ reasons }) => reasons?.includes('Drifted'))).toMatchObject(
      blocked.map(([name, reason]) => ({ node: name, reason, message: expect.stringContaining(message) })),
    );
  });
});

describe('drifted nodes of a static pool', () => {
  const nodes = ['n1', 'n2', 'n3'].map((name) => node(name));
  const shown = (budget: string, most: string, launches: readonly object[] = []): World => ({
    nodes,
    claims: nodes.map(driftedClaim),
    pool: nodePool('default', {
      disruption: { budgets: [{ nodes: budget }] },
      more: { replicas: 3, limits: { nodes: most } },
    }),
    launches,
  });

  it.each([
    ['as limits.nodes leaves room', shown('100%', '4'), shown('100%', '4')],
    ['as the pool has more than its replicas', shown('1', '6'), shown('100%', '6')],
  ])('wait for replacements that are asked for, %s', async (_, first, then) => {
    const launching = 'StaticDrift Launching n1 -> D2';
    const [begun, later] = await over([0, first], [10, then]);
    expect([begun, later].map((of) => of!.nodes.commands.map(line))).toEqual([[launching], [launching]]);
    const { name } = begun!.nodes.commands[0]!.replacements[0]!;
    const asked = { ...then, launches: [{ name, phase: 'Launching', since: at(5) }] };
    const [, , last] = await over([0, first], [10, then], [20, asked]);
    expect(last!.nodes.commands.map(line)).toEqual([launching]);
  });
});

it('a node that expires by force goes at once, whatever its command waits for', async () => {
  const nodes = ['n1', 'n2'].map((name) => node(name, { createdAt: '2026-11-20T09:00:00Z' }));
  const [n1, n2] = [nodes[0]!, nodes[1]!];
  const shown: World = {
    nodes,
    pods: [pod('a', 'n1', { cpu: '7' }), pod('b', 'n2', { cpu: '7' })],
    claims: [claim(n1, { spec: { expireAfter: '61m' }, status: { nodeName: 'n1', ...drifted } }), claim(n2)],
    launches: [],
  };
  const [first, second, third] = await over([0, shown], [60, shown], [70, shown]);
  expect(first!.nodes.commands.map(line)).toEqual(['Drift Launching n1 -> D8']);
  for (const { nodes: of } of [second!, third!]) {
    expect(of.commands.map(line)).toEqual(['Expiration Removing n1']);
    expect(of.target).toMatchObject({ nodes: [{ name: 'n1', want: 'Gone' }], launches: [] });
  }
});

describe('a command whose replacement is launching', () => {
  const [n1, k] = [node('n1'), node('k')];
  const own = [pod('a', 'n1', { cpu: '1' }), pod('b', 'n1', { cpu: '5' })];
  const shown: World = {
    nodes: [n1, k],
    pods: [...own, pod('c', 'k', { cpu: '6.5' })],
    claims: [driftedClaim(n1), claim(k)],
    launches: [],
  };
  const launching = 'Drift Launching n1 -> D8';
  const disrupted = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }];
  const old = claim(k, { spec: { expireAfter: '24h' }, metadata: { creationTimestamp: at(30 - 86_400) } });

  it.each<[string, World, readonly string[]]>([
    ['goes on', shown, [launching]],
    ['is rolled back where a node that was to take in its pods is gone', { ...shown, nodes: [n1], pods: own }, []],
    [
      'is rolled back where a node that was to take in its pods is being deleted',
      { ...shown, claims: [shown.claims![0]!, claim(k, { metadata: { deletionTimestamp: at(20) } })] },
      [],
    ],
    [
      'is rolled back where Karpenter disrupts a node that was to take in its pods',
      { ...shown, nodes: [n1, node('k', { taints: disrupted })] },
      [],
    ],
    [
      'is rolled back where a node that was to take in its pods expires by force',
      { ...shown, claims: [shown.claims![0]!, old] },
      ['Expiration Removing k'],
    ],
    [
      'goes on where the pod has gone that a lost node was to take in',
      { ...shown, nodes: [n1], pods: [own[1]!] },
      [launching],
    ],
  ])('%s', async (_, later, expected) => {
    const [first, second] = await over([0, shown], [30, later]);
    expect(first!.nodes.commands.map(line)).toEqual([launching]);
    expect(first!.nodes.commands[0]!.pods!.map(({ to }) => to)).toContain('k');
    expect(second!.nodes.commands.map(line)).toEqual(expected);
    expect(second!.plan.guard).toEqual([]);
  });

  it('is rolled back where Karpenter takes its node meanwhile', async () => {
    const used = { nodes: [n1], pods: [own[0]!], launches: [] };
    const marked = { ...used, nodes: [node('n1', { taints: disrupted })] };
    const [, begun, last] = await over([0, used], [15, used], [30, marked]);
    expect(begun!.nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Launching n1 -> D2']);
    expect(last!.nodes.commands).toEqual([]);
  });
});

it('a command that is rolled back leaves a target without its nodes, so that they lose their taint', async () => {
  const shown: World = {
    nodes: [node('n1')],
    pods: [pod('a', 'n1')],
    claims: [driftedClaim(node('n1'))],
    launches: [],
  };
  const [first] = await over([0, shown]);
  const { name } = first!.nodes.commands[0]!.replacements[0]!;
  const failed = { ...shown, launches: [{ name, phase: 'Failed', message: 'no quota', since: at(5) }] };
  const [, last] = await over([0, shown], [10, failed]);
  expect(last!.nodes.commands).toEqual([]);
  expect(last!.nodes.target).toMatchObject({ nodes: [], launches: [] });
});

it('a replacement has vanished only where launches were read', async () => {
  const unread: World = {
    nodes: [node('n1')],
    pods: [pod('a', 'n1')],
    claims: [driftedClaim(node('n1'))],
  };
  const read = { ...unread, launches: [] };
  const [first] = await over([0, read]);
  const { name } = first!.nodes.commands[0]!.replacements[0]!;
  const launched = { ...read, launches: [{ name, phase: 'Launched', since: at(5) }] };
  const [, , notRead, gone] = await over(
    [0, read],
    [10, launched],
    [20, { ...unread, launchesNotRead: 'timeout' }],
    [30, read],
  );
  expect(notRead!.nodes.commands.map(line)).toEqual(['Drift Launching n1 -> D2']);
  expect(gone!.nodes.commands).toEqual([]);
});

describe('a replacement is validated', () => {
  const types = [
    { name: 'D2', cpu: 2, price: 0.1 },
    { name: 'D4', cpu: 4, price: 0.2 },
    { name: 'D8', cpu: 8, price: 0.4 },
  ];
  const shown = (cpu: string): World => ({ nodes: [node('n1')], pods: [pod('a', 'n1', { cpu })], launches: [] });
  const weighty = (name: string, weight: number) => ({
    ...nodePool(name, { disruption: unlimited, more: { weight } }),
  });

  it.each<[string, World, readonly (typeof types)[number][], string]>([
    ['and launched', shown('1'), types, 'Launching n1 -> D2'],
    [
      'where one that may stand in for it is no longer sold: not launched',
      shown('1'),
      [types[0]!, types[2]!],
      'Validating n1 -> D2',
    ],
    [
      'where only one that may stand in for it holds the pods by now: not launched',
      shown('3'),
      types,
      'Validating n1 -> D4',
    ],
    [
      'where another pool comes first by now: not launched',
      { ...shown('1'), extras: [weighty('other', 50)] },
      types,
      'Validating n1 -> D2',
    ],
  ])('%s', async (_, later, sold, expected) => {
    const first = await planned(shown('1'), { ...execute, files: market(types) });
    expect(first.nodes.commands[0]!.replacements[0]!.options).toEqual(['D2', 'D4']);
    const { nodes: of } = await planned(later, {
      ...execute,
      at: at(15),
      recorded: first.recorded,
      files: market(sold),
    });
    expect(of.commands.map(line)).toEqual([`SingleNodeConsolidation ${expected}`]);
  });
});

it.each<[string, Partial<World>, readonly string[]]>([
  ['as it was, goes', {}, ['SingleNodeConsolidation Removing n1']],
  ['under a policy that takes empty nodes only by now, stays', { pool: whenEmpty }, []],
  [
    'that is empty by now, is looked at again as such',
    { pods: [pod('b', 'n2', { cpu: '7' })] },
    ['Emptiness Validating n1'],
  ],
])('an underutilized node at the end of its validation, %s', async (_, later, expected) => {
  const one = { nodes: [node('n1'), node('n2')], pods: [pod('a', 'n1'), pod('b', 'n2', { cpu: '7' })] };
  const [first, second] = await over([0, one], [15, { ...one, ...later }]);
  expect(first!.nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Validating n1']);
  expect(second!.nodes.commands.map(line)).toEqual(expected);
});

describe('what a command that was rolled back left behind is not taken for what the next one launches', () => {
  const shown: World = {
    nodes: [node('n1')],
    pods: [pod('a', 'n1', { cpu: '7' })],
    claims: [driftedClaim(node('n1'))],
    launches: [],
  };

  it.each<[string, (name: string) => World]>([
    [
      'a node that came up late',
      (name) => ({
        ...shown,
        nodes: [...shown.nodes, node(name)],
        pods: [...shown.pods!, pod('b', name, { cpu: '7' })],
        claims: [...shown.claims!, claim(node(name), { metadata: { name, uid: 'late' } })],
      }),
    ],
    [
      'a NodeClaim without a node',
      (name) => ({
        ...shown,
        claims: [...shown.claims!, { ...claim(node(name), { metadata: { name } }), status: {} }],
      }),
    ],
    [
      'a launch that still says it failed',
      (name) => ({ ...shown, launches: [{ name, phase: 'Failed', message: 'no quota', since: at(5) }] }),
    ],
  ])('%s', async (_, later) => {
    const [first] = await over([0, shown]);
    const { name } = first!.nodes.commands[0]!.replacements[0]!;
    const failed = { ...shown, launches: [{ name, phase: 'Failed', message: 'no quota', since: at(5) }] };
    const steps = await over([0, shown], [10, failed], [1000, later(name)], [1010, later(name)]);
    for (const { nodes: of } of steps.slice(2)) {
      expect(of.commands.map(line)).toEqual(['Drift Launching n1 -> D8']);
      expect(of.target!.launches.map((launch) => launch.name)).toEqual([`${name}-2`]);
      expect(of.commands[0]!.pods!.map(({ to }) => to)).toEqual([`${name}-2`]);
    }
  });

  it('nor where it comes up during the validation of the next one', async () => {
    const used: World = { nodes: [node('n1')], pods: [pod('a', 'n1')], launches: [] };
    const [first] = await over([0, used]);
    const { name } = first!.nodes.commands[0]!.replacements[0]!;
    const late = node(name, { taints: [{ key: 'full', effect: 'NoSchedule' }] });
    const [, last] = await over([0, used], [15, { ...used, nodes: [...used.nodes, late] }]);
    expect(last!.nodes.commands.map(line)).toContain('SingleNodeConsolidation Launching n1 -> D2');
    expect(last!.nodes.target!.launches.map((launch) => launch.name)).toEqual([`${name}-2`]);
  });
});

describe('a pod whose node goes gets another place before others do, where its own', () => {
  const held = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  const nodes = ['k', 'm', 'n1', 'n2'].map((name) => node(name));
  const a = pod('a', 'n1', { cpu: '3' });
  const full = pod('on-m', 'm', { cpu: '4.5', ...held });
  const kept = pod('b', 'n2', { cpu: '3', ...held });
  const free = pod('b', 'n2', { cpu: '3' });
  const placesOf = ({ nodes: { commands } }: Awaited<ReturnType<typeof planned>>, which: 'first' | 'others') =>
    (which === 'first' ? commands.slice(0, 1) : commands.slice(1)).flatMap(({ pods = [] }) => pods.map(({ to }) => to));

  it.each<[string, Partial<World>]>([
    ['is gone', { nodes: nodes.slice(1) }],
    [
      'is being deleted',
      {
        claims: [
          claim(nodes[0]!, { metadata: { deletionTimestamp: at(20) } }),
          ...nodes.slice(1).map((of) => claim(of)),
        ],
      },
    ],
  ])('%s', async (_, of) => {
    const shown = { nodes, pods: [full, a, kept, pod('on-k', 'k', { cpu: '4.5', ...held })], launches: [] };
    const [, begun, last] = await over([0, shown], [15, shown], [30, { ...shown, pods: [full, a, free], ...of }]);
    expect(begun!.nodes.commands.map(line)).toEqual(['SingleNodeConsolidation Removing n1']);
    expect(placesOf(begun!, 'first')).toEqual(['k']);
    expect(placesOf(last!, 'others')).not.toContain('m');
  });

  it('was a replacement, and is gone', async () => {
    const own = nodes.slice(1);
    const claims = own.map((of) => (of.metadata.name === 'n1' ? driftedClaim(of) : claim(of)));
    const shown = { nodes: own, pods: [pod('on-m', 'm', { cpu: '7', ...held }), a, kept], claims, launches: [] };
    const one = { ...shown, pods: [...shown.pods.slice(0, 2), pod('b', 'n2', { cpu: '7', ...held })] };
    const [first] = await over([0, one]);
    const [place] = placesOf(first!, 'first');
    const up = node(place!, { type: 'D4', cpu: '4' });
    const ready = { ...one, nodes: [...own, up], claims: [...claims, claim(up)] };
    const [, begun, last] = await over([0, one], [20, ready], [30, { ...shown, pods: [full, a, free] }]);
    expect(begun!.nodes.commands.map(line)).toEqual(['Drift Removing n1 -> D4']);
    expect(placesOf(last!, 'others')).not.toContain('m');
  });
});

it('commands under way are listed in the order in which they began', async () => {
  const [n1, n2, n3] = [node('n1'), node('n2'), node('n3')];
  const pods = [pod('b', 'n2', { cpu: '7' }), pod('c', 'n3', { cpu: '7' })];
  const shown = { nodes: [n1, n2, n3], pods, launches: [] };
  const claims = [claim(n1), driftedClaim(n2), claim(n3)];
  const [, , last] = await over([0, shown], [5, { ...shown, claims }], [15, { ...shown, claims }]);
  expect(last!.nodes.commands.map(line)).toEqual(['Emptiness Removing n1', 'Drift Launching n2 -> D8']);
});

import { describe, expect, it } from 'vitest';
import { claim, market, node, nodePool, pod } from '../../support/node-world.ts';
import { line, planned, unlimited, type World } from '../../support/planned-nodes.ts';

const never = { ...unlimited, consolidateAfter: 'Never' };
const pool = (of: Parameters<typeof nodePool>[1] = {}) => nodePool('default', { disruption: never, ...of });
const nodeClass = (spec: object, status: object = {}) => ({
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec,
  status,
});
const initialized = { type: 'Initialized', status: 'True', lastTransitionTime: '2026-11-01T00:00:00Z' };
const liveDrift = (since: string) => ({
  conditions: [initialized, { type: 'Drifted', status: 'True', reason: 'ImageDrift', lastTransitionTime: since }],
});

const reasons = async (world: World, of: Parameters<typeof planned>[1] = {}) =>
  (await planned(world, of)).nodes.commands.map(({ nodes }) => nodes[0]!.drift);
/** The reasons that the second plan finds when the first one recorded the claim. */
const then = async (first: Partial<World>, second: Partial<World>) => {
  const world = { nodes: [node('n1')], pool: pool() };
  const { recorded } = await planned({ ...world, ...first });
  return reasons({ ...world, ...second }, { recorded });
};

describe('what is recorded of a claim and differs later', () => {
  it.each<[string, Parameters<typeof pool>[0], string[]]>([
    ['a taint', { template: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }, ['NodePoolDrifted']],
    ['the node class', { template: { nodeClassRef: { group: 'g', kind: 'K', name: 'n' } } }, ['NodePoolDrifted']],
    ['expireAfter', { template: { expireAfter: '900h' } }, ['NodePoolDrifted']],
    ['terminationGracePeriod, also 0s', { template: { terminationGracePeriod: '0s' } }, ['NodePoolDrifted']],
    ['weight', { more: { weight: 7 } }, []],
    ['limits', { more: { limits: { cpu: '1' } } }, []],
    ['budgets and policies', { disruption: { ...never, consolidationPolicy: 'WhenEmpty' } }, []],
    ['a requirement that still fits', { requirements: [{ key: 'a', operator: 'NotIn', values: ['b'] }] }, []],
  ])('%s', async (_, change, expected) => {
    // A claim that shows nothing of its template.
    const claims = [claim(node('n1'), { spec: { expireAfter: undefined } })];
    expect(await then({ claims }, { claims, pool: pool(change) })).toEqual(expected);
  });

  it('the order of taints, and an equal duration, are no difference', async () => {
    const [a, b] = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', effect: 'NoSchedule' },
    ];
    const claims = [claim(node('n1'), { spec: { expireAfter: undefined } })];
    const of = (taints: object[], expireAfter: string) => ({
      claims,
      pool: pool({ template: { taints, expireAfter } }),
    });
    expect(await then(of([a, b], '720h'), of([b, a], '43200m'))).toEqual([]);
  });

  it('the node class, but not its tags', async () => {
    const with_ = (spec: object) => ({ extras: [nodeClass(spec)] });
    expect(await then(with_({ imageFamily: 'Ubuntu' }), with_({ imageFamily: 'AzureLinux' }))).toEqual([
      'NodeClassDrift',
    ]);
    expect(await then(with_({ tags: { a: 'b' } }), with_({ tags: { a: 'c' } }))).toEqual([]);
  });
});

describe('what a claim shows', () => {
  const labelled = (labels: object) =>
    claim(node('n1'), { metadata: { labels: { ...node('n1').metadata.labels, ...labels } } });
  const key = 'kubernetes.io/arch';
  it.each<[string, object, object, string[]]>([
    ['a label that is missing', { key, operator: 'In', values: ['amd64'] }, {}, ['RequirementsDrifted']],
    ['a label that fits', { key, operator: 'In', values: ['amd64', 'arm64'] }, { [key]: 'amd64' }, []],
    ['NotIn of a label that is missing', { key, operator: 'NotIn', values: ['amd64'] }, {}, []],
    ['DoesNotExist of a label', { key, operator: 'DoesNotExist' }, { [key]: 'amd64' }, ['RequirementsDrifted']],
    ['Gt of a text', { key: 'cores', operator: 'Gt', values: ['1'] }, { cores: '1.5' }, ['RequirementsDrifted']],
    ['Gt by number', { key: 'cores', operator: 'Gt', values: ['9'] }, { cores: '10' }, []],
    [
      'an old name of the label',
      { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['amd64'] },
      { [key]: 'amd64' },
      [],
    ],
  ])('%s', async (_, requirement, labels, expected) => {
    expect(
      await reasons({ nodes: [node('n1')], pool: pool({ requirements: [requirement] }), claims: [labelled(labels)] }),
    ).toEqual(expected);
  });

  it('several requirements on one key are read together', async () => {
    const requirements = [
      { key, operator: 'In', values: ['amd64', 'arm64'] },
      { key, operator: 'NotIn', values: ['amd64'] },
    ];
    const world = { nodes: [node('n1')], pool: pool({ requirements }), claims: [labelled({ [key]: 'amd64' })] };
    expect(await reasons(world)).toEqual(['RequirementsDrifted']);
  });

  it.each<[string, Parameters<typeof node>[1], string[]]>([
    ['a type that is not sold any more', { type: 'X1' }, ['InstanceTypeNotFound']],
    ['not within its first hour', { type: 'X1', createdAt: '2026-11-20T09:00:00Z' }, []],
    ['a zone where it is not sold', { zone: 'eu-1c' }, ['InstanceTypeNotFound']],
    ['a capacity type by which it is not sold', { capacityType: 'spot' }, ['InstanceTypeNotFound']],
    ['reserved, which may be on-demand', { capacityType: 'reserved' }, []],
  ])('%s', async (_, of, expected) => {
    expect(await reasons({ nodes: [node('n1', of)], pool: pool() })).toEqual(expected);
    // Without a catalogue no type is ever gone.
    expect(await reasons({ nodes: [node('n1', of)], pool: pool() }, { files: {} })).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['an older version', { kubernetesVersion: '1.33.1' }, ['K8sVersionDrift']],
    ['the same version', { kubernetesVersion: '1.32.4' }, []],
    [
      'a version that is not ready',
      { kubernetesVersion: '1.33.1', conditions: [{ type: 'KubernetesVersionReady', status: 'False' }] },
      [],
    ],
    ['an older image', { images: [{ id: 'new' }] }, ['ImageDrift']],
    ['one of the images', { images: [{ id: 'new' }, { id: 'old' }] }, []],
    [
      'images that are not ready',
      { images: [{ id: 'new' }], conditions: [{ type: 'ImagesReady', status: 'Unknown' }] },
      [],
    ],
  ])('%s', async (_, status, expected) => {
    const of = node('n1');
    const running = { ...of, status: { ...of.status, nodeInfo: { kubeletVersion: 'v1.32.4' } } };
    const world = {
      nodes: [running],
      pool: pool(),
      claims: [claim(of, { status: { imageID: 'old' } })],
      extras: [nodeClass({}, status)],
    };
    expect(await reasons(world)).toEqual(expected);
  });
});

describe('the order and number of drifted nodes', () => {
  const three = [node('n1'), node('n2'), node('n3')];
  const claims = [
    claim(three[0]!, { status: liveDrift('2026-11-03T00:00:00Z') }),
    claim(three[1]!, { status: liveDrift('2026-11-02T00:00:00Z') }),
    claim(three[2]!, { status: liveDrift('2026-11-04T00:00:00Z') }),
  ];
  const pods = [pod('a', 'n1', { cpu: '7' }), pod('b', 'n2', { cpu: '7' })];

  it('those without pods first, then the longest drifted, each in a command of its own', async () => {
    const { nodes } = await planned({ nodes: three, claims, pods, pool: pool() });
    expect(nodes.commands.map(line)).toEqual([
      'Drift Proposed n3',
      'Drift Proposed n2 -> D8',
      'Drift Proposed n1 -> D8',
    ]);
  });

  it('as many as the budget of the reason bears', async () => {
    const budgets = [{ nodes: '100%' }, { nodes: '1', reasons: ['Drifted'] }];
    const { nodes, plan } = await planned({
      nodes: three,
      claims,
      pods,
      pool: pool({ disruption: { ...never, budgets } }),
    });
    expect(nodes.commands.map(line)).toEqual(['Drift Proposed n3']);
    expect(plan.holds.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'NodeBudget: 2 more nodes of NodePool default would be disrupted than its budgets allow now',
    ]);
  });

  it('replacements of commands under way count towards the limits of their pool', async () => {
    // What replaces n1 is larger than n1.
    const two = {
      nodes: [node('n1', { type: 'D4', cpu: '4' }), three[1]!],
      claims: claims.slice(0, 2),
      pods,
      launches: [],
    };
    const limited = (budget: string) =>
      pool({ disruption: { ...never, budgets: [{ nodes: budget }] }, more: { limits: { cpu: '12' } } });
    const first = await planned({ ...two, pool: limited('1') }, { mode: 'execute' });
    expect(first.nodes.commands.map(line)).toEqual(['Drift Launching n2 -> D8']);
    const launches = [{ name: first.nodes.commands[0]!.replacements[0]!.name, phase: 'Launching' }];
    const { nodes } = await planned(
      { ...two, pool: limited('2'), launches },
      { mode: 'execute', recorded: first.recorded, at: '2026-11-20T10:00:10Z' },
    );
    expect(nodes.commands.map(line)).toEqual(['Drift Launching n2 -> D8']);
    expect(nodes.blocked.map(({ node: name, reason }) => `${name} ${reason}`)).toEqual(['n1 PoolLimit']);
  });

  it('without a place for its pods a node stays, and so it does within the limits of its pool', async () => {
    const one = { nodes: [three[0]!], claims: [claims[0]!], pods: [pods[0]!] };
    const blocked = async (world: World, files?: Record<string, string>) =>
      (await planned(world, files ? { files } : {})).nodes.blocked;
    expect(await blocked({ ...one, pool: pool() }, market([{ name: 'D2', cpu: 2, price: 1 }]))).toMatchObject([
      { node: 'n1', reason: 'NoPlaceForPods', reasons: ['Drifted'], message: 'there is no place for pod shop/a' },
    ]);
    expect((await blocked({ ...one, pool: pool() }, {}))[0]!.message).toBe(
      'there is no place for pod shop/a, and without an InstanceCatalog for its cluster plans launch no node',
    );
    // The node that goes is not counted.
    expect(await blocked({ ...one, pool: pool({ more: { limits: { cpu: '7' } } }) })).toMatchObject([
      { node: 'n1', reason: 'PoolLimit', reasons: ['Drifted'] },
    ]);
    expect(await blocked({ ...one, pool: pool({ more: { limits: { cpu: '8' } } }) })).toEqual([]);
  });

  it.each<[string, object, string[], string[]]>([
    ['a drain without an end', {}, [], ['PodDoNotDisrupt ']],
    ['a drain that ends by force', { terminationGracePeriod: '1h' }, ['Drift Proposed n1'], []],
  ])('a protected pod and %s', async (_, spec, commands, blocked) => {
    const world = {
      nodes: [three[0]!],
      claims: [claim(three[0]!, { spec, status: liveDrift('2026-11-03T00:00:00Z') })],
      pods: [pod('a', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
      pool: pool({ template: spec }),
    };
    const { nodes } = await planned(world);
    expect(nodes.commands.map(line)).toEqual(commands);
    // Nothing is held ready for a pod that the deadline will end.
    expect(nodes.commands.flatMap(({ pods: moved }) => moved)).toEqual(
      commands.map(() => ({ namespace: 'shop', name: 'a', from: 'n1' })),
    );
    expect(nodes.blocked.map(({ reason, reasons: stops }) => `${reason} ${stops ?? ''}`)).toEqual(blocked);
  });
});

describe('expiry in the place of v1beta1', () => {
  const of = node('n1');
  const old = (more: object) =>
    nodePool('default', {
      disruption: { ...never, expireAfter: '24h', ...more },
      template: { expireAfter: undefined },
    });
  const expired = [claim(of, { spec: { expireAfter: '24h' } })];
  const lines = async (world: Partial<World>) =>
    (await planned({ nodes: [of], claims: expired, ...world })).nodes.commands.map(line);

  it('is bound by budgets without reasons only', async () => {
    expect(await lines({ pool: old({ budgets: [{ nodes: '0' }] }) })).toEqual([]);
    expect(await lines({ pool: old({ budgets: [{ nodes: '0', reasons: ['Drifted', 'Empty'] }] }) })).toEqual([
      'Expiration Proposed n1',
    ]);
  });

  it('is blocked by protected pods, also where a drain would end by force', async () => {
    const claims = [claim(of, { spec: { expireAfter: '24h', terminationGracePeriod: '1h' } })];
    const pods = [pod('a', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })];
    expect(await lines({ pool: old({}), claims, pods })).toEqual(['Drift Proposed n1']);
    const { nodes } = await planned({ nodes: [of], claims: expired, pods, pool: old({}) });
    expect(nodes.blocked.map(({ reason }) => reason)).toEqual(['PodDoNotDisrupt']);
  });

  it('waits for a place for pods, and where no pool can launch nodes (core has no simulation then)', async () => {
    const two = { nodes: [of, node('n2')], claims: [...expired, claim(node('n2'), { spec: { expireAfter: '24h' } })] };
    const notReady = { ...old({}), status: { conditions: [{ type: 'Ready', status: 'False' }] } };
    const blocked = async (world: World) => {
      const { nodes } = await planned(world);
      return [...nodes.commands.map(line), ...nodes.blocked.map((b) => `${b.node} ${b.reason} ${b.reasons?.join()}`)];
    };
    const lone = pod('a', 'n1', { spec: { nodeSelector: { disk: 'ssd' } } });
    expect(await blocked({ nodes: [of], claims: expired, pods: [lone], pool: old({}) })).toEqual([
      'n1 NoPlaceForPods Expired',
    ]);
    expect(await blocked({ ...two, pods: [pod('a', 'n1')], pool: notReady })).toEqual([
      'n1 NoPlaceForPods Expired',
      'n2 NoPlaceForPods Expired',
    ]);
  });
});

describe('static pools', () => {
  const three = [node('n1'), node('n2'), node('n3')];
  const isStatic = (replicas: number, limits?: object) =>
    nodePool('default', { disruption: never, more: { replicas, ...(limits ? { limits } : {}) } });
  const claims = three.map((of) => claim(of, { status: liveDrift('2026-11-03T00:00:00Z') }));
  const lines = async (world: Partial<World>) =>
    (await planned({ nodes: three, claims, ...world })).nodes.commands.map(line);
  const launching = { ...claim(node('n4')), status: {} };

  it('replace drifted nodes one for one, as many as limits.nodes leaves room for', async () => {
    expect(await lines({ pool: isStatic(3) })).toEqual(
      ['n1', 'n2', 'n3'].map((n) => `StaticDrift Proposed ${n} -> D2`),
    );
    expect(await lines({ pool: isStatic(3, { nodes: '4' }) })).toEqual(['StaticDrift Proposed n1 -> D2']);
    expect(await lines({ pool: isStatic(3, { nodes: '3' }) })).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['avoid each other in a zone', 'web', 'held'],
    ['avoid one that stays', 'other', ''],
  ])('get a node with room for pods that %s', async (_, app, to) => {
    const [n1, n2] = three;
    const antiAffinity = {
      topologyKey: 'topology.kubernetes.io/zone',
      labelSelector: { matchLabels: { app } },
    };
    const spec = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [antiAffinity] } } };
    const { nodes } = await planned({
      nodes: [n1!, n2!],
      claims: [claims[0]!, claim(n2!)],
      pods: [pod('a', 'n1', { cpu: '5', labels: { app: 'web' }, spec }), pod('b', 'n2', { labels: { app: 'other' } })],
      pool: isStatic(2),
    });
    expect(nodes.commands.map((one) => [line(one), one.pods!.map((of) => (of.to ? 'held' : ''))])).toEqual([
      ['StaticDrift Proposed n1 -> D8', [to]],
    ]);
  });

  it('get values of a label that differ where pods avoid each other by it', async () => {
    const requirements = [{ key: 'rack', operator: 'In', values: ['r1', 'r2', 'r3'] }];
    const apart = { topologyKey: 'rack', labelSelector: { matchLabels: { app: 'web' } } };
    const spec = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } } };
    const nodes = three.map(({ metadata: { name } }) => node(name, { labels: { rack: name.replace('n', 'r') } }));
    const { nodes: plan } = await planned({
      nodes,
      claims,
      pods: three.map(({ metadata: { name } }) => pod(`on-${name}`, name, { labels: { app: 'web' }, spec })),
      pool: nodePool('default', { disruption: never, requirements, more: { replicas: 3 } }),
    });
    expect(plan.commands.map((one) => `${line(one)} ${one.replacements[0]!.labels?.['rack']}`)).toEqual(
      ['1', '2', '3'].map((n) => `StaticDrift Proposed n${n} -> D2 r${n}`),
    );
  });

  it('count claims that have no node yet', async () => {
    expect(await lines({ pool: isStatic(3), claims: [...claims, launching] })).toEqual([]);
    expect(await lines({ pool: isStatic(4, { nodes: '4' }), claims: [...claims, launching] })).toEqual([]);
  });

  it('wait while they have more claims than replicas', async () => {
    expect(await lines({ pool: isStatic(2) })).toEqual([]);
    const [first, ...others] = claims;
    const going = { ...first!, metadata: { ...first!.metadata, deletionTimestamp: '2026-11-20T09:59:00Z' } };
    expect(await lines({ pool: isStatic(2), claims: [going, ...others] })).toEqual([
      'StaticDrift Proposed n2 -> D2',
      'StaticDrift Proposed n3 -> D2',
    ]);
  });

  it('are not consolidated', async () => {
    expect(
      await lines({
        pool: nodePool('default', { disruption: unlimited, more: { replicas: 3 } }),
        claims: three.map((of) => claim(of)),
      }),
    ).toEqual([]);
  });
});

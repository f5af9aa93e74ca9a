import { describe, expect, it } from 'vitest';
import { claim, market, node, nodePool, pod } from '../../support/node-world.ts';
import { line, planned, unlimited, type World } from '../../support/planned-nodes.ts';

/** n1 has the pod `a` and may go; n2 has room, but is protected. Without a catalogue nothing is launched. */
const stays = (of: Parameters<typeof node>[1] = {}) =>
  node('n2', { ...of, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
const two = (a: Parameters<typeof pod>[2], { n1 = {}, n2 = {}, ...more }: Partial<World> & Sides = {}): World => ({
  ...more,
  nodes: [node('n1', n1), stays(n2)],
  pods: [pod('a', 'n1', a), ...(more.pods ?? [])],
});
type Side = ReturnType<typeof node>;
interface Sides {
  readonly n1?: Parameters<typeof node>[1];
  readonly n2?: Parameters<typeof node>[1];
}
const volume = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] };
const claimOfVolume = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', namespace: 'shop' },
  spec: { volumeName: 'pv' },
};
const persistent = (zone: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv' },
  spec: {
    csi: { driver: 'disk' },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] },
        ],
      },
    },
  },
});
const csiNode = (count: number) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name: 'n2' },
  spec: { drivers: [{ name: 'disk', nodeID: 'n2', allocatable: { count } }] },
});
const affinity = (kind: 'podAffinity' | 'podAntiAffinity', app: string, topologyKey = 'kubernetes.io/hostname') => ({
  affinity: {
    [kind]: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
    },
  },
});
const nodeTerms = (...terms: readonly object[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  },
});
const hasLabel = (key: string, operator: string, values?: readonly string[]) => ({
  matchExpressions: [{ key, operator, ...(values ? { values } : {}) }],
});
const spread = (more: object = {}) => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
      ...more,
    },
  ],
});
const port = (hostPort: number, hostIP?: string) => ({
  containers: [
    {
      name: 'app',
      resources: { requests: { cpu: '1' } },
      ports: [{ containerPort: 80, hostPort, ...(hostIP ? { hostIP } : {}) }],
    },
  ],
});
const daemonSet = (cpu: string, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'kube-system' },
  spec: { template: { spec: { containers: [{ name: 'a', resources: { requests: { cpu } } }], ...spec } } },
});
const agent = pod('agent', 'n2', { owner: { apiVersion: 'apps/v1', kind: 'DaemonSet' }, cpu: '2' });
const taint = (effect: string) => ({ taints: [{ key: 'gpu', value: 'yes', effect }] });
const tolerated = { tolerations: [{ key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }] };
const web = { labels: { app: 'web' } };
/** Of `web` while a rollout surges: a budget that asks for all pods allows one to go. */
const surging = (spec: object) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  status: { disruptionsAllowed: 1 },
});

describe('whether a pod may move to the other node', () => {
  it.each<[string, World, boolean]>([
    ['room', two({ cpu: '8' }), true],
    ['cpu', two({ cpu: '8' }, { pods: [pod('b', 'n2', { cpu: '100m' })] }), false],
    ['memory', two({ memory: '33Gi' }), false],
    ['a budget of all pods in a surge', two({ ...web, cpu: '8' }, { extras: [surging({ maxUnavailable: 0 })] }), true],
    [
      'cpu, with a budget of all pods in a surge',
      two({ ...web, cpu: '9' }, { extras: [surging({ minAvailable: '100%' })] }),
      false,
    ],
    ['a pod of a DaemonSet that is still to come', two({ cpu: '7' }, { extras: [daemonSet('2')] }), false],
    ['a pod of a DaemonSet that is there', two({ cpu: '6' }, { pods: [agent], extras: [daemonSet('2')] }), true],
    [
      'a DaemonSet that does not run there',
      two({ cpu: '7' }, { extras: [daemonSet('2', { nodeSelector: { disk: 'fast' } })] }),
      true,
    ],
    [
      'an extended resource',
      two({ spec: { containers: [{ name: 'app', resources: { requests: { 'nvidia.com/gpu': '1' } } }] } }),
      false,
    ],
    [
      'the greatest init container',
      two({
        spec: {
          containers: [{ name: 'app', resources: { requests: { cpu: '1' } } }],
          initContainers: [{ name: 'init', resources: { requests: { cpu: '9' } } }],
        },
      }),
      false,
    ],
    ['the overhead of its runtime', two({ cpu: '7', spec: { overhead: { cpu: '2' } } }), false],
    [
      'terminal pods, which use nothing',
      two({ cpu: '8' }, { pods: [pod('b', 'n2', { status: { phase: 'Succeeded' } })] }),
      true,
    ],
    ['a node selector', two({ spec: { nodeSelector: { disk: 'ssd' } } }), false],
    [
      'a node selector that fits',
      two({ spec: { nodeSelector: { disk: 'ssd' } } }, { n2: { labels: { disk: 'ssd' } } }),
      true,
    ],
    [
      'one of several terms',
      two({ spec: nodeTerms(hasLabel('disk', 'In', ['ssd']), hasLabel('disk', 'DoesNotExist')) }),
      true,
    ],
    ['NotIn of a label that is not there', two({ spec: nodeTerms(hasLabel('disk', 'NotIn', ['hdd'])) }), true],
    ['Gt', two({ spec: nodeTerms(hasLabel('cores', 'Gt', ['8'])) }, { n2: { labels: { cores: '8' } } }), false],
    [
      'Gt of a greater label',
      two({ spec: nodeTerms(hasLabel('cores', 'Gt', ['8'])) }, { n2: { labels: { cores: '16' } } }),
      true,
    ],
    ['a taint', two({}, { n2: taint('NoSchedule') }), false],
    ['a tolerated taint', two({ spec: tolerated }, { n2: taint('NoSchedule') }), true],
    ['a preferred taint, too', two({}, { n2: taint('PreferNoSchedule') }), false],
    [
      'a preferred taint where pools have such',
      two(
        {},
        {
          n2: taint('PreferNoSchedule'),
          pool: nodePool('default', {
            disruption: unlimited,
            template: { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] },
          }),
        },
      ),
      true,
    ],
    ['a pod that it avoids', two({ spec: affinity('podAntiAffinity', 'web') }, { pods: [pod('b', 'n2', web)] }), false],
    ['a pod that avoids it', two(web, { pods: [pod('b', 'n2', { spec: affinity('podAntiAffinity', 'web') })] }), false],
    ['a pod that it needs', two({ spec: affinity('podAffinity', 'web') }, { pods: [pod('b', 'n2', web)] }), true],
    ['a pod that it needs and that is not there', two({ spec: affinity('podAffinity', 'web') }), false],
    ['itself, where it is the first', two({ ...web, spec: affinity('podAffinity', 'web') }), true],
    [
      'a zone, where the one that it leaves has no other node and its spread can follow',
      two(
        { ...web, spec: spread() },
        {
          n1: { zone: 'eu-1b' },
          pods: [pod('b', 'n2', web)],
        },
      ),
      true,
    ],
    [
      'ScheduleAnyway',
      two({ ...web, spec: spread({ whenUnsatisfiable: 'ScheduleAnyway' }) }, { pods: [pod('b', 'n2', web)] }),
      true,
    ],
    [
      'fewer domains than minDomains',
      two({ ...web, spec: spread({ minDomains: 2 }) }, { pods: [pod('b', 'n2', web)] }),
      false,
    ],
    ['a host port', two({ spec: port(80) }, { pods: [pod('b', 'n2', { spec: port(80) })] }), false],
    [
      'a host port of another address',
      two({ spec: port(80, '10.0.0.1') }, { pods: [pod('b', 'n2', { spec: port(80, '10.0.0.2') })] }),
      true,
    ],
    ['a volume of the zone', two({ spec: volume }, { extras: [claimOfVolume, persistent('eu-1a')] }), true],
    ['a volume of another zone', two({ spec: volume }, { extras: [claimOfVolume, persistent('eu-1b')] }), false],
    [
      'volumes up to the limit of the node',
      two({ spec: volume }, { extras: [claimOfVolume, persistent('eu-1a'), csiNode(0)] }),
      false,
    ],
    ['a cordon', { ...two({}), nodes: [node('n1'), cordoned()] }, false],
    ['a node that is not ready', two({}, { n2: { ready: false } }), false],
    ['a node whose pods changed a moment ago', inWindow(), false],
    ['the same for a pod that has not started', inWindow({ status: { phase: 'Pending' } }), true],
  ])('%s', async (_, world, expected) => {
    const { nodes } = await planned(world, { files: {} });
    const moves = nodes.commands.filter(({ nodes: own }) => own.some(({ name }) => name === 'n1'));
    expect(moves.length > 0).toBe(expected);
  });
});

function cordoned() {
  const of = stays();
  return { ...of, spec: { ...of.spec, unschedulable: true } };
}

function inWindow(a: Parameters<typeof pod>[2] = {}): World {
  const pool = nodePool('default', { disruption: { ...unlimited, consolidateAfter: '1h' } });
  const [n1, n2] = [node('n1'), stays()];
  const busy = { status: { lastPodEventTime: '2026-11-20T09:30:00Z' } };
  return { ...two(a), nodes: [n1, n2], pool, claims: [claim(n1), claim(n2, busy)] };
}

describe('what is not modelled blocks its node', () => {
  it.each<[string, object]>([
    ['resource claims', { resourceClaims: [{ name: 'gpu' }] }],
    ['resources of the pod as a whole', { resources: { requests: { cpu: '1' } } }],
    ['matchFields', nodeTerms({ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n3'] }] })],
    ['a volume that is not observed', volume],
  ])('%s', async (_, spec) => {
    const { nodes } = await planned(two({ spec }), { files: {} });
    expect(nodes.blocked.map(({ node: name, reason }) => `${name} ${reason}`)).toContain('n1 NotModelled');
  });
});

const unschedulable = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
};
const drifted = { status: { conditions: [{ type: 'Drifted', status: 'True', reason: 'ImageDrift' }] } };

it('a pending pod takes room, and may stay pending', async () => {
  const pending = (cpu: string) => pod('p', undefined, { cpu, status: unschedulable });
  const lines = async (cpu: string) =>
    (await planned(two({ cpu: '4' }, { pods: [pending(cpu)] }), { files: {} })).nodes.commands.map(line);
  expect(await lines('5')).toEqual([]);
  expect(await lines('9')).toEqual(['SingleNodeConsolidation Proposed n1']);
});

it('a node is not deleted while a pending pod needs a new one that costs as much (core computeConsolidation)', async () => {
  const pods = [pod('a', 'n1'), pod('b', 'n2'), pod('p', undefined, { cpu: '8', status: unschedulable })];
  const lines = async (mode: string) =>
    (await planned({ nodes: [node('n1'), node('n2')], pods }, { mode })).nodes.commands.map(line);
  expect(await lines('plan')).toEqual([]);
  // Nobody launches one there.
  expect(await lines('execute')).toEqual(['SingleNodeConsolidation Validating n1']);
});

describe('a pod that is simulated along gets one new node in all commands of a plan together', () => {
  const nodes = [node('n1'), node('n2'), node('n3')];
  const pods = nodes.map(({ metadata: { name } }) => pod(name, name, { cpu: '7' }));
  const pending = pod('p', undefined, { cpu: '7', status: unschedulable });
  const [n1, ...others] = nodes;
  const claims = (of: Parameters<typeof claim>[1]) => [claim(n1!, of), ...others.map((one) => claim(one, drifted))];
  it.each<[string, World, number]>([
    ['a pending one', { nodes, pods: [...pods, pending], claims: claims(drifted) }, 4],
    [
      'one of a node that is being deleted',
      { nodes, pods, claims: claims({ metadata: { deletionTimestamp: '2026-11-20T09:59:00Z' } }) },
      3,
    ],
    [
      'one of a node that expires in the same plan',
      { nodes, pods, claims: claims({ spec: { expireAfter: '1h' } }) },
      3,
    ],
  ])('%s', async (_, world, count) => {
    const { nodes: plan } = await planned(world);
    expect(plan.commands.flatMap(({ replacements }) => replacements)).toHaveLength(count);
  });
});

it('what replacements on their way were launched for gets no further node, and counts where they will be', async () => {
  const nodes = [node('n1'), node('n2')];
  const claims = nodes.map((one) => claim(one, drifted));
  const pending = pod('p', undefined, { cpu: '7', status: unschedulable });
  const files = market([{ name: 'D8', cpu: 8, price: 0.4, zones: ['eu-1b'] }]);
  const later = async (of: Parameters<typeof pod>[2]) => {
    const pods = [pod('a', 'n1', { cpu: '6', ...of }), pod('b', 'n2', { cpu: '6', ...of }), pending];
    const world = (budget: string) => ({
      ...{ nodes, claims, pods, launches: [] },
      pool: nodePool('default', { disruption: { budgets: [{ nodes: budget }] } }),
    });
    const first = await planned(world('1'), { mode: 'execute', files });
    expect(first.nodes.commands.map(line)).toEqual(['Drift Launching n1 -> D8,D8']);
    const launches = first.nodes.commands[0]!.replacements.map(({ name }) => ({ name, phase: 'Launching' }));
    const { nodes: plan } = await planned(
      { ...world('2'), launches },
      { mode: 'execute', files, recorded: first.recorded, at: '2026-11-20T10:00:10Z' },
    );
    return [...plan.commands.map(line), ...plan.blocked.map((one) => `${one.node} ${one.reason}`)];
  };
  const apart = affinity('podAntiAffinity', 'web', 'topology.kubernetes.io/zone');
  expect(await later({})).toEqual(['Drift Launching n1 -> D8,D8', 'Drift Launching n2 -> D8']);
  expect(await later({ ...web, spec: apart })).toEqual(['Drift Launching n1 -> D8,D8', 'n2 NoPlaceForPods']);
});

describe('a zone from which its last node goes', () => {
  const pool = (template: object) => nodePool('default', { disruption: unlimited, template });
  const spreads = (more: object = {}, of: object = {}) => ({ ...web, spec: { ...spread(more), ...of } });
  const gpu = { key: 'gpu', value: 'yes', effect: 'NoSchedule' };
  it.each<[string, Parameters<typeof pod>[2], object, boolean]>([
    ['of a pod that may run anywhere', spreads(), {}, true],
    ['of a pod with a node selector', spreads({}, { nodeSelector: { 'kubernetes.io/arch': 'amd64' } }), {}, true],
    [
      'of a pod with a node affinity',
      spreads({}, nodeTerms(hasLabel('node.kubernetes.io/instance-type', 'In', ['D8']))),
      {},
      true,
    ],
    ['of a pod that is bound to the other zone', spreads({}, { nodeSelector: { disk: 'ssd' } }), {}, false],
    ['with taints that it honors and tolerates', spreads({ nodeTaintsPolicy: 'Honor' }), {}, true],
    ['with taints that it honors', spreads({ nodeTaintsPolicy: 'Honor' }), { taints: [gpu] }, false],
  ])('still counts for the spread where one can be launched there: %s', async (_, a, template, counts) => {
    const labels = { 'kubernetes.io/arch': 'amd64', disk: 'ssd' };
    const world = {
      nodes: [node('n1', { zone: 'eu-1b', labels }), stays({ labels })],
      pods: [pod('a', 'n1', a), pod('b', 'n2', a)],
      pool: pool(template),
    };
    const files = market([{ name: 'D8', cpu: 8, price: 0.4, zones: ['eu-1a', 'eu-1b'] }]);
    const { nodes } = await planned(world, { files });
    const deleted = nodes.commands.filter(({ replacements }) => replacements.length === 0);
    expect(deleted.length === 0).toBe(counts);
  });
});

it('nodes with a taint that only prefers others count for a spread that honors taints', async () => {
  const keep = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  const preferred = taint('PreferNoSchedule');
  const spreading = { ...web, spec: spread({ nodeTaintsPolicy: 'Honor' }) };
  const { nodes } = await planned({
    nodes: [
      node('n1', { zone: 'eu-1a', ...preferred, ...keep }),
      node('n2', { zone: 'eu-1a', ...keep }),
      node('n3', { zone: 'eu-1b' }),
      node('n4', { zone: 'eu-1b', ...preferred, ...keep }),
    ],
    pods: [
      pod('w1', 'n1', spreading),
      pod('w2', 'n1', spreading),
      pod('w3', 'n3', spreading),
      pod('w4', 'n4', spreading),
      pod('full', 'n4', { cpu: '7' }),
    ],
    pool: nodePool('default', { disruption: unlimited }),
  });
  // On n2 the third pod would be the third of its zone, and one is in the other.
  expect(nodes.commands).toEqual([]);
});

it('pods of a node that expires count in no domain any more', async () => {
  const nodes = ['n1', 'n2', 'n3'].map((name) => node(name));
  const apart = { ...web, spec: affinity('podAntiAffinity', 'web', 'topology.kubernetes.io/zone') };
  const { nodes: plan } = await planned({
    nodes,
    pods: [pod('a', 'n1', apart), pod('b', 'n2', { cpu: '2' }), pod('c', 'n3', { cpu: '2' })],
    claims: nodes.map((one, at) => claim(one, at === 0 ? { spec: { expireAfter: '1h' } } : {})),
  });
  expect(plan.commands.map(line)).toEqual(['Expiration Proposed n1', 'SingleNodeConsolidation Proposed n2']);
});

it('a new node has no host port that a DaemonSet takes there', async () => {
  const agentOn = (hostPort: number) => {
    const daemon = daemonSet('100m');
    return { ...daemon, spec: { template: { spec: port(hostPort) } } };
  };
  const lines = async (hostPort: number) => {
    const world = { nodes: [node('n1')], pods: [pod('a', 'n1', { spec: port(80) })], extras: [agentOn(hostPort)] };
    return (await planned({ ...world, claims: [claim(node('n1'), drifted)] })).nodes.commands.map(line);
  };
  expect(await lines(80)).toEqual([]);
  expect(await lines(81)).toEqual(['Drift Proposed n1 -> D2']);
});

it('pods of empty nodes that go keep room for themselves, as pods of deleting nodes do', async () => {
  const cheap = { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-200000000' } };
  const lines = async (cpu: string) => {
    const nodes = [node('n0'), node('n1'), stays()];
    const pods = [pod('a', 'n0', { ...cheap, cpu }), pod('b', 'n1', { cpu: '3' }), pod('c', 'n2', { cpu: '3' })];
    return (await planned({ nodes, pods }, { files: {} })).nodes.commands.map(line);
  };
  expect(await lines('3')).toEqual(['Emptiness Proposed n0']);
  expect(await lines('2')).toEqual(['Emptiness Proposed n0', 'SingleNodeConsolidation Proposed n1']);
});

it('a drifted node is looked at again once a pod of a deleting node has a place, since others have moved', async () => {
  const since = (name: string, hour: string) => {
    const lastTransitionTime = `2026-11-20T${hour}:00:00Z`;
    const conditions = ['Initialized', 'Drifted'].map((type) => ({ type, status: 'True', lastTransitionTime }));
    return { status: { nodeName: name, conditions } };
  };
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => node(name)) as [Side, Side, Side, Side];
  const near = { ...web, spec: affinity('podAffinity', 'web') };
  const world: World = {
    nodes: [a, b, c, d],
    pods: [
      pod('p', 'a', { cpu: '7.8' }),
      pod('n', 'b', { ...web, cpu: '500m' }),
      pod('f', 'b', { cpu: '7' }),
      pod('g', 'c', { cpu: '5', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      pod('q', 'd', { ...near, cpu: '2' }),
    ],
    claims: [
      claim(a, since('a', '07')),
      claim(b, since('b', '08')),
      claim(c),
      claim(d, { metadata: { deletionTimestamp: '2026-11-20T09:00:00Z' } }),
    ],
    launches: [],
    pool: nodePool('default', { disruption: { ...unlimited, consolidateAfter: 'Never' } }),
  };
  const first = await planned(world, { mode: 'execute' });
  expect(first.nodes.commands.map(line)).toEqual(['Drift Launching b -> D8', 'Drift Launching a -> D8']);
  expect(first.nodes.blocked.map(({ node: of }) => of)).not.toContain('a');
  const again = await planned(world, { mode: 'execute', recorded: first.recorded });
  expect(again.nodes.commands.map(line)).toEqual(first.nodes.commands.map(line));
});

describe('where the pool leaves open which value a label of a new node has', () => {
  const rack = 'example.com/rack';
  const racks = nodePool('default', {
    disruption: unlimited,
    requirements: [{ key: rack, operator: 'In', values: ['r1', 'r2'] }],
  });
  const onRack = (value: string) => ({ nodeSelector: { [rack]: value } });
  const kept = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  const term = (app: string) => ({ topologyKey: rack, labelSelector: { matchLabels: { app } } });
  const evenly = { topologySpreadConstraints: [{ ...term('web'), maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] };
  const to = (name: string, value = 'r1') => [`Drift Proposed n1 -> ${name} ${value}`];
  const avoided = [pod('z', 'n2', { ...kept, spec: affinity('podAntiAffinity', 'web', rack) })];
  const spreadOut = [pod('z', 'n2', { ...web, ...kept, spec: evenly })];
  const leaves = (operator: string, values?: readonly string[]): Partial<World> => ({
    pool: nodePool('default', {
      disruption: unlimited,
      requirements: [{ key: rack, operator, ...(values ? { values } : {}) }],
    }),
  });
  const on = (value: string, labels: Record<string, string> = { [rack]: 'r1' }): Partial<World> => ({
    nodes: [node('n1', { labels }), node('n2', { labels: { [rack]: value } })],
  });

  it.each<[string, Parameters<typeof pod>[2], Partial<World>, readonly string[]]>([
    ['a pod goes to one', {}, {}, to('D2')],
    ['a DaemonSet for one of them has room', { cpu: '1' }, { extras: [daemonSet('1500m', onRack('r2'))] }, to('D4')],
    [
      'and one for those that are not another',
      {},
      { extras: [daemonSet('2', nodeTerms(hasLabel(rack, 'NotIn', ['r2'])))] },
      to('D4'),
    ],
    ['one for a third does not run there', { cpu: '1' }, { extras: [daemonSet('1500m', onRack('r3'))] }, to('D2')],
    [
      'a pod that avoids others goes to one',
      { ...web, spec: affinity('podAntiAffinity', 'other', rack) },
      {},
      to('D2'),
    ],
    ['one that others avoid goes to another', web, { ...on('r1'), pods: avoided }, to('D2', 'r2')],
    ['also where it says so', { ...web, spec: onRack('r2') }, { ...on('r1'), pods: avoided }, to('D2', 'r2')],
    ['but not where it says otherwise', { ...web, spec: onRack('r2') }, { ...on('r2'), pods: avoided }, []],
    [
      'one that is spread goes to the least crowded',
      { ...web, spec: evenly },
      { ...on('r1'), pods: spreadOut },
      to('D2', 'r2'),
    ],
    ['one that counts where others are spread goes to one', web, { ...on('r2'), pods: spreadOut }, to('D2')],
    [
      'a value that must only not be another is none',
      { ...web, spec: affinity('podAntiAffinity', 'web', rack) },
      leaves('NotIn', ['r3']),
      to('D2', ''),
    ],
    [
      'any value is one that others have',
      { ...web, spec: evenly },
      { ...on('r2'), ...leaves('Exists'), pods: spreadOut },
      to('D2', 'r2'),
    ],
    ['or a new one', web, { ...on('0', {}), ...leaves('Exists'), pods: avoided }, to('D2', '1')],
  ])('%s', async (_, of, { pods = [], ...more }, found) => {
    const full = pod('full', 'n2', { cpu: String(8 - pods.length), ...kept });
    const { nodes = [node('n1'), node('n2')] } = more;
    const { nodes: plan, plan: whole } = await planned({
      nodes,
      pool: racks,
      claims: nodes.map((one, at) => claim(one, at === 0 ? drifted : {})),
      ...more,
      pods: [pod('a', 'n1', of), full, ...pods],
    });
    const chosen = plan.commands.map((one) => `${line(one)} ${one.replacements[0]!.labels?.[rack] ?? ''}`);
    expect([chosen, whole.guard]).toEqual([found, []]);
  });
});

it("Karpenter's split of on-demand and spot by a label", async () => {
  const key = 'capacity-spread';
  const split = (name: string, values: readonly string[]) =>
    nodePool(name, { disruption: unlimited, requirements: [{ key, operator: 'In', values }] });
  const constraint = { topologyKey: key, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' };
  const spec = { topologySpreadConstraints: [{ ...constraint, labelSelector: { matchLabels: web.labels } }] };
  const on = (name: string, pool: string, value: string) => node(name, { pool, labels: { [key]: value } });
  const nodes = [on('n1', 'od', '1'), on('n2', 'spot', '2'), on('n3', 'spot', '3')];
  const { nodes: plan } = await planned({
    nodes,
    pods: nodes.map((one) => pod(`a-${one.metadata.name}`, one.metadata.name, { ...web, cpu: '5', spec })),
    claims: nodes.map((one, at) => claim(one, at === 0 ? {} : drifted)),
    pool: split('od', ['1']),
    extras: [split('spot', ['2', '3', '4', '5'])],
  });
  const chosen = plan.commands.map(({ nodes: [of], replacements: [to] }) => [of!.name, to!.pool, to!.labels?.[key]]);
  expect(chosen.sort()).toEqual([
    ['n2', 'spot', '2'],
    ['n3', 'spot', '3'],
  ]);
});

describe('a claim whose node is not there yet', () => {
  const n1 = node('n1');
  const coming = (cpu: string, more: object = {}) =>
    claim(node('n9', { type: 'D4', cpu }), {
      status: { nodeName: undefined, conditions: [], capacity: { cpu, memory: '64Gi', pods: '110' }, ...more },
    });
  const world = (more: Partial<World>): World => ({
    nodes: [n1],
    pods: [pod('a', 'n1', { cpu: '3' }), pod('p', undefined, { cpu: '4', status: unschedulable })],
    ...more,
    claims: [claim(n1), ...(more.claims ?? [])],
  });
  const lines = async (of: World) => (await planned(of)).nodes.commands.map(line);

  it('takes in pending pods, which then need no room of a replacement', async () => {
    expect(await lines(world({}))).toEqual([]);
    expect(await lines(world({ claims: [coming('4')] }))).toEqual(['SingleNodeConsolidation Proposed n1 -> D4']);
  });

  it('leaves room for DaemonSets', async () => {
    expect(await lines(world({ claims: [coming('4')], extras: [daemonSet('100m')] }))).toEqual([]);
  });

  it('leaves that room too once its node is there, and not initialized', async () => {
    const n9 = node('n9', { type: 'D4', cpu: '4', initialized: false, ready: false });
    const there = { nodes: [n1, n9], claims: [claim(n9, { status: { conditions: [] } })] };
    expect(await lines(world(there))).toEqual(['SingleNodeConsolidation Proposed n1 -> D4']);
    expect(await lines(world({ ...there, extras: [daemonSet('100m')] }))).toEqual([]);
  });

  it('takes in no pod that runs', async () => {
    expect(await lines(world({ claims: [coming('8')] }))).toEqual([]);
  });

  it('counts towards the limits of its pool', async () => {
    const blocked = async (claims: readonly object[]) => {
      const pool = nodePool('default', { disruption: unlimited, more: { limits: { cpu: '8' } } });
      const { nodes } = await planned({
        nodes: [n1],
        pods: [pod('a', 'n1')],
        pool,
        claims: [claim(n1, drifted), ...claims],
      });
      return nodes.blocked.map((one) => `${one.node} ${one.reason}`);
    };
    expect(await blocked([])).toEqual([]);
    expect(await blocked([coming('8', { allocatable: { cpu: '0' } })])).toContain('n1 PoolLimit');
  });
});

describe('pods that avoid each other', () => {
  const apart = {
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: { matchLabels: { app: 'a' } },
  };
  const terms = { requiredDuringSchedulingIgnoredDuringExecution: [apart] };
  it.each<[string, object]>([
    ['anti-affinity', { affinity: { podAntiAffinity: terms } }],
    ['spread', { topologySpreadConstraints: [{ ...apart, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] }],
  ])('get a new node each, all in one plan: %s', async (_, spec) => {
    const nodes = [node('n1'), node('n2')];
    const pods = nodes.map(({ metadata: { name } }) => pod(name, name, { cpu: '5', labels: { app: 'a' }, spec }));
    const { nodes: plan } = await planned({ nodes, pods, claims: nodes.map((of) => claim(of, drifted)) });
    expect(plan.commands.map(line)).toEqual(['Drift Proposed n1 -> D8', 'Drift Proposed n2 -> D8']);
    expect(plan.blocked).toEqual([]);
  });
});

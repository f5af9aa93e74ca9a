import { expect, it } from 'vitest';
import { openWorld } from '../world.ts';

const container = (cpu: string, more: object = {}) => ({
  name: `c${cpu}`,
  image: 'a:1',
  resources: { requests: { cpu } },
  ...more,
});
const nodes = (more: object) => ({
  count: 1,
  instanceType: 'D4',
  capacityType: 'on-demand' as const,
  zones: [],
  cpu: '4',
  memory: '16Gi',
  pods: 110,
  labels: {},
  taints: [],
  used: { cpu: '0', memory: '0' },
  ...more,
});
const onTerm = (matchExpressions: readonly object[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  },
});
const size = (operator: string, value: string) => onTerm([{ key: 'size', operator, values: [value] }]);
const unmatched = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";

it.each([
  ['what it requests', { containers: [container('4')] }, 'Running'],
  ['more than a node has', { containers: [container('4100m')] }, '0/1 nodes are available: 1 Insufficient cpu.'],
  [
    'sidecars along with its containers',
    { containers: [container('3')], initContainers: [container('2', { restartPolicy: 'Always' })] },
    '0/1 nodes are available: 1 Insufficient cpu.',
  ],
  [
    'the largest init container alone',
    { containers: [container('3')], initContainers: [container('2'), container('4')] },
    'Running',
  ],
  ['a label above a number', { containers: [container('1')], ...size('Gt', '3') }, 'Running'],
  ['a label that is not above', { containers: [container('1')], ...size('Gt', '4') }, unmatched],
  [
    'all expressions of one term',
    {
      containers: [container('1')],
      ...onTerm([
        { key: 'size', operator: 'Exists' },
        { key: 'gpu', operator: 'Exists' },
      ]),
    },
    unmatched,
  ],
])('a pod is scheduled by %s', async (_, spec, expected) => {
  const world = await openWorld({ nodes: [nodes({ labels: { size: '4' } })] });
  await world.request('POST', '/api/v1/namespaces/default/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default' },
    spec,
  });
  world.seconds(10);
  const { status } = world.get('/pods', 'p', 'default') as unknown as {
    status: { phase: string; conditions: { type: string; message?: string }[] };
  };
  const message = status.conditions.find(({ type }) => type === 'PodScheduled')?.message;
  expect(message ?? status.phase).toBe(expected);
});

const selector = (app: string) => ({ labelSelector: { matchLabels: { app } } });
const near = (kind: 'podAffinity' | 'podAntiAffinity', app: string, topologyKey: string) => ({
  affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...selector(app), topologyKey }] } },
});
const [zone, host] = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'];
const spread = (topologyKey: string) => ({
  topologySpreadConstraints: [{ ...selector('a'), topologyKey, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }],
});
const port = { containers: [container('100m', { ports: [{ containerPort: 80, hostPort: 80 }] })] };
const volume = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] };
type Given = readonly [app: string, spec: object, node?: string];
const node0: Given = ['a', {}, 'node-0'];
const all3 = '0/3 nodes are available';

// Zones: node-0 and node-2 in z1, node-1 in z2.
it.each<[string, readonly Given[], readonly string[]]>([
  [
    'away from its own kind, one on each node',
    [1, 2, 3, 4].map((): Given => ['a', near('podAntiAffinity', 'a', host)]),
    ['node-0', 'node-1', 'node-2', `${all3}: 3 node(s) didn't match pod anti-affinity rules.`],
  ],
  [
    'away from pods that keep it away',
    [
      ['a', near('podAntiAffinity', 'b', zone), 'node-0'],
      ['b', {}],
    ],
    ['node-0', 'node-1'],
  ],
  [
    'next to others in their zone',
    [
      ['a', {}, 'node-1'],
      ['b', near('podAffinity', 'a', zone)],
    ],
    ['node-1', 'node-1'],
  ],
  [
    'next to others that are nowhere',
    [['b', near('podAffinity', 'a', zone)]],
    [`${all3}: 3 node(s) didn't match pod affinity rules.`],
  ],
  [
    'spread over zones',
    [node0, ['a', {}, 'node-2'], ['a', spread(zone)], ['a', spread(zone)]],
    ['node-0', 'node-2', 'node-1', 'node-1'],
  ],
  [
    'spread over nodes, more than one each',
    [1, 2, 3, 4].map((): Given => ['a', spread(host)]),
    ['node-0', 'node-1', 'node-2', 'node-0'],
  ],
  [
    'a port of the node',
    [1, 2, 3, 4].map((): Given => ['a', port]),
    ['node-0', 'node-1', 'node-2', `${all3}: 3 node(s) didn't have free ports for the requested pod ports.`],
  ],
  ['where its volume is', [['a', volume]], ['node-1']],
])('a pod is scheduled %s', async (_, pods, expected) => {
  const world = await openWorld({ nodes: [nodes({ count: 3, zones: ['z1', 'z2'] })] });
  await world.request('POST', '/api/v1/persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/disk' },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: ['z2'] }] }] },
      },
    },
  });
  await world.request('POST', '/api/v1/namespaces/default/persistentvolumeclaims', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      volumeName: 'disk',
      resources: { requests: { storage: '1Gi' } },
    },
  });
  for (const [at, [app, spec, nodeName]] of pods.entries()) {
    const answer = await world.request('POST', '/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${at}`, namespace: 'default', labels: { app } },
      spec: { containers: [container('100m')], ...spec, ...(nodeName && { nodeName }) },
    });
    expect(answer.status).toBe(201);
  }
  world.seconds(10);
  const found = pods.map((_pod, at) => {
    const { spec, status } = world.get('/pods', `p${at}`, 'default') as unknown as {
      spec: { nodeName?: string };
      status: { conditions: { type: string; message?: string }[] };
    };
    return spec.nodeName ?? status.conditions.find(({ type }) => type === 'PodScheduled')?.message;
  });
  expect(found).toEqual(expected);
});

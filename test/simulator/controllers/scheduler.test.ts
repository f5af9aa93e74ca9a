import { expect, it } from 'vitest';
import { openWorld } from '../world.ts';

const container = (cpu: string, more: object = {}) => ({
  name: `c${cpu}`,
  image: 'a:1',
  resources: { requests: { cpu } },
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
  const world = await openWorld({
    nodes: [
      {
        count: 1,
        instanceType: 'D4',
        capacityType: 'on-demand',
        zones: [],
        cpu: '4',
        memory: '16Gi',
        pods: 110,
        labels: { size: '4' },
        taints: [],
        used: { cpu: '0', memory: '0' },
      },
    ],
  });
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

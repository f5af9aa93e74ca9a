import { describe, expect, it } from 'vitest';
import { claim, node, nodePool, pod } from '../../support/node-world.ts';
import { line, planned, unlimited, type World } from '../../support/planned-nodes.ts';

const doNotDisrupt = (value: string) => ({ 'karpenter.sh/do-not-disrupt': value });
const started = { status: { startTime: '2026-11-20T09:30:00Z' } };
const budget = (name: string, more: object = {}, allowed = 0) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'shop' },
  spec: { selector: { matchLabels: { app: 'web' } }, ...more },
  status: { disruptionsAllowed: allowed },
});
const web = { labels: { app: 'web' } };
const daemonSet = { owner: { apiVersion: 'apps/v1', kind: 'DaemonSet' } };
const ofNode = { owner: { apiVersion: 'v1', kind: 'Node' } };
const terminating = (name: string, of: Parameters<typeof pod>[2]) => {
  const made = pod(name, 'n1', of);
  return { ...made, metadata: { ...made.metadata, deletionTimestamp: '2026-11-20T09:59:59Z' } };
};
const tolerant = { spec: { tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] } };
const one = (of: Parameters<typeof pod>[2], extras: readonly object[] = []): World => ({
  nodes: [node('n1')],
  pods: [pod('a', 'n1', of)],
  extras,
});

describe('which pods block their node', () => {
  it.each<[string, World, string | undefined]>([
    ['true', one({ annotations: doNotDisrupt('true') }), 'PodDoNotDisrupt'],
    ['false', one({ annotations: doNotDisrupt('false') }), undefined],
    [
      'a duration that goes on',
      one({ annotations: doNotDisrupt('+45m'), ...started }),
      'PodDoNotDisrupt until 2026-11-20T10:15:00Z',
    ],
    ['a duration that is over', one({ annotations: doNotDisrupt('30m'), ...started }), undefined],
    [
      'a part of an hour',
      one({ annotations: doNotDisrupt('.75h'), ...started }),
      'PodDoNotDisrupt until 2026-11-20T10:15:00Z',
    ],
    ['a duration of a pod that has not started', one({ annotations: doNotDisrupt('1m') }), 'PodDoNotDisrupt'],
    [
      'the longest of several',
      {
        nodes: [node('n1')],
        pods: ['35m', '45m', '40m'].map((value) => pod(value, 'n1', { annotations: doNotDisrupt(value), ...started })),
      },
      'PodDoNotDisrupt until 2026-11-20T10:15:00Z',
    ],
    [
      'a duration beside true',
      {
        nodes: [node('n1')],
        pods: [
          pod('a', 'n1', { annotations: doNotDisrupt('45m'), ...started }),
          pod('b', 'n1', { annotations: doNotDisrupt('true') }),
        ],
      },
      'PodDoNotDisrupt',
    ],
    ['0s', one({ annotations: doNotDisrupt('0s'), ...started }), undefined],
    ['a negative duration', one({ annotations: doNotDisrupt('-1h'), ...started }), undefined],
    ['days, which Go does not know', one({ annotations: doNotDisrupt('5d'), ...started }), undefined],
    ['a pod of a DaemonSet', one({ annotations: doNotDisrupt('true'), ...daemonSet }), 'PodDoNotDisrupt'],
    ['a static pod', one({ annotations: doNotDisrupt('true'), ...ofNode }), 'PodDoNotDisrupt'],
    ['a pod that has ended', one({ annotations: doNotDisrupt('true'), status: { phase: 'Failed' } }), undefined],
    [
      'a terminating pod',
      { nodes: [node('n1')], pods: [terminating('a', { annotations: doNotDisrupt('true') })] },
      undefined,
    ],
    ['a budget that allows nothing', one(web, [budget('a')]), 'PodDisruptionBudget'],
    ['a budget that allows one', one(web, [budget('a', {}, 1)]), undefined],
    ['a budget of other pods', one({}, [budget('a')]), undefined],
    [
      'two budgets, whatever they allow',
      one(web, [budget('a', {}, 1), budget('b', {}, 1)]),
      'MultiplePodDisruptionBudgets',
    ],
    ['a budget, with a pod of a DaemonSet', one({ ...web, ...daemonSet }, [budget('a')]), 'PodDisruptionBudget'],
    ['a budget, with a static pod', one({ ...web, ...ofNode }, [budget('a')]), undefined],
    ['a budget, with a pod that stays on drained nodes', one({ ...web, ...tolerant }, [budget('a')]), undefined],
    [
      'AlwaysAllow, with a pod that is not ready',
      one({ ...web, status: { conditions: [{ type: 'Ready', status: 'False' }] } }, [
        budget('a', { unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
      ]),
      undefined,
    ],
    [
      'AlwaysAllow, with a pod that says nothing',
      one({ ...web, status: { conditions: [] } }, [budget('a', { unhealthyPodEvictionPolicy: 'AlwaysAllow' })]),
      'PodDisruptionBudget',
    ],
    [
      'AlwaysAllow, with a pod that is ready',
      one(web, [budget('a', { unhealthyPodEvictionPolicy: 'AlwaysAllow' })]),
      'PodDisruptionBudget',
    ],
    ['a pod without a controller', one({ owner: { apiVersion: 'v1', kind: 'ConfigMap' } }), undefined],
  ])('%s', async (_, world, expected) => {
    const { nodes } = await planned(world);
    const [block] = nodes.blocked;
    expect(block && `${block.reason}${block.until ? ` until ${block.until}` : ''}`).toBe(expected);
  });
});

describe('which nodes block themselves, the first reason first', () => {
  const karpenters = { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] };
  const pending = pod('p', undefined, { status: { phase: 'Pending', nominatedNodeName: 'n1' } });
  const failed = pod('p', undefined, { status: { phase: 'Failed', nominatedNodeName: 'n1' } });
  const deleted = { metadata: { deletionTimestamp: '2026-11-20T09:59:00Z' } };
  const claimWith = (of: ReturnType<typeof node>, metadata: object) => {
    const made = claim(of);
    return { ...made, metadata: { ...made.metadata, ...metadata } };
  };
  const marked = { status: { conditions: [{ type: 'DisruptionReason', status: 'True', reason: 'Drifted' }] } };
  it.each<[string, World, string | undefined]>([
    [
      'a claim that is being deleted',
      { nodes: [node('n1', karpenters)], claims: [claimWith(node('n1'), deleted.metadata)] },
      'Deleting',
    ],
    ["Karpenter's taint", { nodes: [node('n1', karpenters)] }, 'Marked'],
    ["Karpenter's condition", { nodes: [node('n1')], claims: [claim(node('n1'), marked)] }, 'Marked'],
    ['a pending pod', { nodes: [node('n1', { annotations: doNotDisrupt('true') })], pods: [pending] }, 'Nominated'],
    ['no pod that has failed', { nodes: [node('n1')], pods: [failed] }, undefined],
    ['its annotation', { nodes: [node('n1', { annotations: doNotDisrupt('true') })] }, 'NodeDoNotDisrupt'],
    ['no other value of it', { nodes: [node('n1', { annotations: doNotDisrupt('1h') })] }, undefined],
    ['an unknown pool', { nodes: [node('n1', { pool: 'other' })] }, 'UnknownNodePool'],
  ])('%s', async (_, world, expected) => {
    expect((await planned(world)).nodes.blocked[0]?.reason).toBe(expected);
  });
});

describe('what a node costs to disrupt', () => {
  const costs = async (...pods: Parameters<typeof pod>[2][]) => {
    const { nodes } = await planned({ nodes: [node('n1')], pods: pods.map((of, at) => pod(`p${at}`, 'n1', of)) });
    return nodes.commands.map(({ method, nodes: [first] }) => [method, first!.disruptionCost]);
  };
  const deletion = (cost: string) => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } });

  it('is 1, and what each pod that moves costs', async () => {
    expect(await costs({}, {})).toEqual([['SingleNodeConsolidation', 3]]);
    expect(await costs({}, daemonSet, ofNode)).toEqual([['SingleNodeConsolidation', 2]]);
    expect(await costs(deletion(String(2 ** 27)), deletion('much'))).toEqual([['SingleNodeConsolidation', 4]]);
    expect(await costs(deletion('1.34217728e8'), deletion('+.5e0'), deletion('1e999'))).toEqual([
      ['SingleNodeConsolidation', 5.000000004],
    ]);
    expect(await costs({ spec: { priority: 2 ** 25 } })).toEqual([['SingleNodeConsolidation', 3]]);
    expect(await costs({ spec: { priority: 2_000_000_000 } })).toEqual([['SingleNodeConsolidation', 11]]);
  });

  it('is 1 where nobody misses the pods, and such a node is empty', async () => {
    expect(await costs({ spec: { priority: -33_554_432 } })).toEqual([['Emptiness', 1]]);
    expect(await costs(deletion('-134217728'))).toEqual([['Emptiness', 1]]);
  });
});

describe('what stops a whole cluster', () => {
  const deletedClaim = (of: ReturnType<typeof node>) => {
    const made = claim(of);
    return { ...made, metadata: { ...made.metadata, deletionTimestamp: '2026-11-20T09:59:00Z' } };
  };
  const nodes = [node('n1'), node('n2'), node('n3')];
  const lines = async (world: World) => (await planned(world)).nodes.commands.map(line);

  it('a pod of a leaving node that has no place: only empty nodes go', async () => {
    const claims = [deletedClaim(nodes[0]!), claim(nodes[1]!), claim(nodes[2]!)];
    const world = (cpu: string) => ({ nodes, claims, pods: [pod('a', 'n1', { cpu }), pod('b', 'n2')] });
    expect(await lines(world('1'))).toEqual(['Emptiness Proposed n3', 'SingleNodeConsolidation Proposed n2 -> D2']);
    expect(await lines(world('9'))).toEqual(['Emptiness Proposed n3']);
  });

  it.each<[string, object]>([
    ['False', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }],
    ['Unknown', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }],
  ])('no pool that is ready (%s): not even nodes whose pods have room elsewhere go', async (_, status) => {
    const pool = { ...nodePool('default', { disruption: unlimited }), ...status };
    const world = { nodes: [node('n1'), node('n2')], pods: [pod('a', 'n1'), pod('b', 'n2')] };
    expect(await lines(world)).not.toEqual([]);
    expect(await lines({ ...world, pool })).toEqual([]);
  });
});

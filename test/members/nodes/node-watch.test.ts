import { describe, expect, it } from 'vitest';
import { serve } from '../../../src/simulator/serve/api-server.ts';
import { crdPath, customDefinition } from '../../support/custom-definition.ts';
import { assignment, type Intercept, openWorld } from '../../support/member-world.ts';

const nodes = [{ count: 2, instanceType: 'D4', zones: ['eu-1a'], labels: { 'karpenter.sh/nodepool': 'default' } }];

const pod = (name: string, node: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    labels: { app: 'web' },
    annotations: { 'karpenter.sh/do-not-disrupt': 'true', note: 'not read' },
  },
  spec: {
    nodeName: node,
    containers: [
      { name: 'web', image: 'web:1', env: [{ name: 'A', value: 'b' }], resources: { requests: { cpu: '1' } } },
    ],
  },
});

const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web', namespace: 'default' },
  spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'web' } } },
};

const podPath = '/api/v1/namespaces/default/pods';

async function observed({ needed = true, intercept }: { needed?: boolean; intercept?: Intercept } = {}) {
  const world = await openWorld({ nodes, objects: [budget] }, intercept ? { intercept } : {});
  if (needed) world.member.observeNodes('plan');
  world.member.assign([]);
  await world.pass(5);
  return world;
}

const forbidden =
  (part: string): Intercept =>
  ({ method, path }) =>
    method === 'GET' && path.split('?')[0] === part
      ? { status: 403, body: { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message: 'no' } }
      : undefined;

describe('nodes of a member', () => {
  it('are not observed while nothing needs them', async () => {
    const { observation, requests, member } = await observed({ needed: false });
    expect(observation().nodes).toBeUndefined();
    expect(requests.some(({ path }) => path.includes('poddisruptionbudgets'))).toBe(false);
    member.stop();
  });

  it('are no longer asked for once the member is stopped', async () => {
    const { clock, member, pass } = await observed();
    member.stop();
    await pass(20);
    expect(clock.pending()).toBe(0);
  });

  it('are known with what their provider launches, in mode execute only, and why that cannot be read', async () => {
    let isRefused = true;
    const refusal = forbidden('/simulator/nodes');
    const world = await observed({ needed: false, intercept: (request) => (isRefused ? refusal(request) : undefined) });
    const asked = () => world.requests.filter(({ path }) => path === '/simulator/nodes').length;
    world.member.upgradeBy({ provider: 'simulated', ref: undefined });
    world.member.observeNodes('plan');
    await world.pass(40);
    expect([asked(), world.observation().nodes?.length, world.observation().launchesNotRead]).toEqual([
      0,
      2,
      undefined,
    ]);
    world.member.observeNodes('execute');
    expect([world.observation().nodes, world.observation().notListed, world.member.idle()]).toEqual([
      undefined,
      ['launches: not read yet'],
      false,
    ]);
    await world.pass(1);
    expect([asked(), world.observation().nodes?.length, world.observation().launchesNotRead]).toEqual([
      1,
      2,
      expect.stringContaining('no'),
    ]);
    isRefused = false;
    await world.pass(60);
    const { launches, launchesNotRead } = world.observation();
    expect([asked(), launches, launchesNotRead]).toEqual([3, [], undefined]);
    world.member.observeNodes('plan');
    await world.pass(60);
    expect([asked(), world.observation().launches]).toEqual([3, undefined]);
    world.member.stop();
    await world.pass(20);
    expect(world.clock.pending()).toBe(0);
  });

  it('are observed with pods and budgets once something needs them, with the fields that plans read', async () => {
    const world = await observed();
    await world.user('POST', podPath, pod('web-1', 'node-0'));
    await world.pass(20);
    const { nodes: seen, pods, extras, podEvents, complete } = world.observation();
    expect(complete).toBe(true);
    expect(seen?.map(({ metadata }) => metadata.name)).toEqual(['node-0', 'node-1']);
    expect(seen?.[0]?.['status']).toEqual({
      allocatable: { cpu: '4', memory: '16Gi', pods: '110' },
      capacity: { cpu: '4', memory: '16Gi', pods: '110' },
      conditions: [expect.objectContaining({ type: 'Ready', status: 'True' })],
      nodeInfo: { kubeletVersion: 'v1.32.4' },
    });
    expect(pods?.map(({ metadata }) => metadata.annotations)).toEqual([{ 'karpenter.sh/do-not-disrupt': 'true' }]);
    expect(pods?.[0]?.['spec']).toMatchObject({
      nodeName: 'node-0',
      containers: [{ resources: { requests: { cpu: '1' } } }],
    });
    expect(JSON.stringify(pods)).not.toContain('web:1');
    expect(extras.filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ metadata }) => metadata.name)).toEqual([
      'web',
    ]);
    expect(Object.keys(podEvents ?? {})).toEqual(['node-0']);
    world.member.stop();
  });

  it('show the deletion of a pod after it is gone as the last event of its node', async () => {
    const world = await observed();
    await world.user('POST', podPath, pod('web-1', 'node-1'));
    await world.pass(60);
    await world.user('DELETE', `${podPath}/web-1`);
    await world.pass(60);
    const { pods, podEvents } = world.observation();
    expect(pods).toEqual([]);
    expect(podEvents).toEqual({ 'node-1': '2026-11-20T10:01:05Z' });
    world.member.stop();
  });

  it('are the same value while nothing of them changed', async () => {
    const world = await observed();
    const before = world.observation();
    await world.pass(300);
    const after = world.observation();
    expect(after.observedAt).not.toBe(before.observedAt);
    expect(after.nodes).toBe(before.nodes);
    world.member.stop();
  });

  it('are the same value after changes of pods and nodes that no plan reads', async () => {
    const world = await observed();
    await world.user('POST', podPath, pod('web-1', 'node-0'));
    await world.pass(20);
    const before = world.observation();
    const heartbeats = {
      [`${podPath}/web-1/status`]: { hostIP: '10.0.0.9' },
      '/api/v1/nodes/node-0/status': { nodeInfo: { kernelVersion: 'next' } },
    };
    for (const [path, status] of Object.entries(heartbeats))
      expect((await world.user('PATCH', path, { status }))['status']).toMatchObject(status);
    await world.pass(20);
    const after = world.observation();
    expect(
      [after.nodes, after.pods, after.extras].map(
        (list, at) => list === [before.nodes, before.pods, before.extras][at],
      ),
    ).toEqual([true, true, true]);
    world.member.stop();
  });

  it('are unknown while a list that decides about them is forbidden, which is named', async () => {
    const world = await observed({ intercept: forbidden('/apis/policy/v1/poddisruptionbudgets') });
    const { nodes: seen, notListed, complete } = world.observation();
    expect(seen).toBeUndefined();
    expect(complete).toBe(true);
    expect(notListed).toEqual([
      expect.stringContaining('PodDisruptionBudget: list /apis/policy/v1/poddisruptionbudgets'),
    ]);
    expect(world.reported.join('\n')).toContain('/apis/policy/v1/poddisruptionbudgets');
    world.member.stop();
  });

  it('are known while a list is forbidden that some pods may need', async () => {
    const world = await observed({ intercept: forbidden('/apis/storage.k8s.io/v1/storageclasses') });
    const { nodes: seen, notListed } = world.observation();
    expect(seen).toHaveLength(2);
    expect(notListed).toEqual([expect.stringContaining('StorageClass')]);
    world.member.stop();
  });

  it('are observed with the events of Karpenter, but those about pods', async () => {
    const world = await observed();
    const event = (name: string, kind: string, component: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: 'default' },
      involvedObject: { kind, name: 'node-0' },
      type: 'Normal',
      reason: 'DisruptionBlocked',
      message: 'no',
      count: 1,
      source: { component },
      reportingComponent: component,
      lastTimestamp: '2026-11-20T10:00:00Z',
    });
    const path = '/api/v1/namespaces/default/events';
    await world.user('POST', path, event('of-node', 'Node', 'karpenter'));
    await world.user('POST', path, event('of-pod', 'Pod', 'karpenter'));
    await world.user('POST', path, event('of-kubelet', 'Node', 'kubelet'));
    await world.pass(20);
    const seen = world.observation().extras.filter(({ kind }) => kind === 'Event');
    expect(seen).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: expect.objectContaining({ name: 'of-node', namespace: 'default' }),
        involvedObject: { kind: 'Node', name: 'node-0' },
        type: 'Normal',
        reason: 'DisruptionBlocked',
        message: 'no',
        count: 1,
        lastTimestamp: '2026-11-20T10:00:00Z',
      },
    ]);
    world.member.stop();
  });

  it('are observed where a NodePool is placed', async () => {
    const world = await openWorld({ nodes });
    const pool = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'default' }, spec: {} };
    world.member.assign([assignment('pools', [pool])]);
    await world.pass(5);
    expect(world.observation().nodes).toHaveLength(2);
    world.member.assign([]);
    await world.pass(5);
    expect(world.observation().nodes).toBeUndefined();
    world.member.stop();
  });

  it('of a kind that is served later are found after a heartbeat', async () => {
    const world = await observed();
    const definition = customDefinition('NodePool', { group: 'karpenter.sh', scope: 'Cluster' });
    await world.user('POST', crdPath, definition);
    await world.pass(5);
    const created = await serve(world.sim.cluster, {
      method: 'POST',
      path: '/apis/karpenter.sh/v1/nodepools',
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'default' },
        spec: {},
      }),
    });
    expect(created.status).toBe(201);
    await world.pass(90);
    expect(world.observation().extras.map(({ kind }) => kind)).toContain('NodePool');
    world.member.stop();
  });
});

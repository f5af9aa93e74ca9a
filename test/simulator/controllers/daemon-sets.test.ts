import { describe, expect, it } from 'vitest';
import { simulatedFleet } from '../../../src/api/simulated-fleet.ts';
import { listAt, textAt } from '../../../src/engine/kernel/at.ts';
import type { Fields } from '../../../src/simulator/schema/schema.ts';
import { openWorld, type World } from '../world.ts';

const url = '/apis/apps/v1/namespaces/default/daemonsets/agent';
const daemonSet = (spec: Fields = {}, pod: Fields = {}, image = 'agent:1') => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'main', image }], ...pod } },
    ...spec,
  },
});
const readySeconds = { DaemonSet: 5, Termination: 1 };
const pools = (...nodes: Fields[]) =>
  simulatedFleet.parse({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'SimulatedFleet',
    metadata: { name: 'x' },
    spec: { members: [{ name: 'x', nodes }] },
  }).spec.members[0]!.nodes!;

const status = (world: World) => world.get('apps/daemonsets', 'agent', 'default')!['status'];
const placed = (world: World) =>
  world
    .list('/pods')
    .map((pod) => `${textAt(pod, 'spec', 'nodeName')} ${textAt(pod, 'spec', 'containers', 0, 'image')}`)
    .sort();

async function running(spec: Fields = {}): Promise<World> {
  const world = await openWorld({ readySeconds });
  await world.apply(url, daemonSet(spec));
  world.seconds(10);
  return world;
}

describe('a DaemonSet', () => {
  it('is ready on every node after the delay of its member, and not before', async () => {
    const world = await openWorld({ readySeconds });
    await world.apply(url, daemonSet());
    world.seconds(4);
    expect(status(world)).toEqual({
      observedGeneration: 1,
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 0,
      updatedNumberScheduled: 3,
      numberUnavailable: 3,
    });
    world.seconds(2);
    expect(placed(world)).toEqual(['node-0 agent:1', 'node-1 agent:1', 'node-2 agent:1']);
    expect(status(world)).toEqual({
      observedGeneration: 1,
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
    });
  });

  it.each([
    ['a selector', { nodeSelector: { disk: 'ssd' } }, ['ssd-0']],
    ['no toleration', {}, ['node-0', 'ssd-0']],
    ['a toleration', { tolerations: [{ operator: 'Exists' }] }, ['gpu-0', 'node-0', 'ssd-0']],
    ['a node name', { nodeName: 'node-0' }, ['node-0']],
  ])('with %s runs on the nodes that it fits', async (_, pod, expected) => {
    const nodes = pools(
      {},
      { prefix: 'ssd', labels: { disk: 'ssd' } },
      { prefix: 'gpu', taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
    );
    const world = await openWorld({ readySeconds, nodes });
    await world.apply(url, daemonSet({}, pod));
    world.seconds(10);
    expect(
      world
        .list('/pods')
        .map((item) => textAt(item, 'spec', 'nodeName'))
        .sort(),
    ).toEqual(expected);
    expect(status(world)).toMatchObject({ desiredNumberScheduled: expected.length, numberReady: expected.length });
  });

  it('replaces one pod after the other', async () => {
    const world = await running();
    await world.apply(url, daemonSet({}, {}, 'agent:2'));
    for (let step = 0; step < 400; step++) {
      world.clock.advance(100);
      expect((status(world) as { numberUnavailable?: number }).numberUnavailable ?? 0).toBeLessThanOrEqual(1);
    }
    expect(placed(world)).toEqual(['node-0 agent:2', 'node-1 agent:2', 'node-2 agent:2']);
    expect(status(world)).toMatchObject({ observedGeneration: 2, updatedNumberScheduled: 3, numberAvailable: 3 });
  });

  it('with maxSurge starts the new pod before the old one is deleted', async () => {
    const spec = { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
    const world = await running(spec);
    await world.apply(url, daemonSet(spec, {}, 'agent:2'));
    let most = 0;
    for (let step = 0; step < 400; step++) {
      world.clock.advance(100);
      most = Math.max(most, world.list('/pods').filter((pod) => !pod.metadata.deletionTimestamp).length);
      expect((status(world) as { numberUnavailable?: number }).numberUnavailable ?? 0).toBe(0);
    }
    expect(most).toBe(4);
    expect(placed(world)).toEqual(['node-0 agent:2', 'node-1 agent:2', 'node-2 agent:2']);
  });

  it('with OnDelete replaces deleted pods', async () => {
    const spec = { updateStrategy: { type: 'OnDelete' } };
    const world = await running(spec);
    await world.apply(url, daemonSet(spec, {}, 'agent:2'));
    world.seconds(60);
    expect(status(world)).toMatchObject({ numberReady: 3 });
    const victim = world.list('/pods').find((pod) => textAt(pod, 'spec', 'nodeName') === 'node-1')!;
    await world.request('DELETE', `/api/v1/namespaces/default/pods/${victim.metadata.name}`);
    world.seconds(60);
    expect(placed(world)).toEqual(['node-0 agent:1', 'node-1 agent:2', 'node-2 agent:1']);
    expect(status(world)).toMatchObject({ numberReady: 3, updatedNumberScheduled: 1 });
  });

  it('removes pods from a node with a NoExecute taint, and adds them to a new node', async () => {
    const world = await running();
    const taint = { spec: { taints: [{ key: 'out', effect: 'NoExecute' }] } };
    await world.request('PATCH', '/api/v1/nodes/node-2', taint, { 'content-type': 'application/merge-patch+json' });
    await world.request('POST', '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-9', labels: { 'kubernetes.io/hostname': 'node-9' } },
    });
    const status = { status: world.get('/nodes', 'node-0')!['status'] };
    await world.request('PATCH', '/api/v1/nodes/node-9/status', status, {
      'content-type': 'application/merge-patch+json',
    });
    world.seconds(20);
    expect(placed(world).map((text) => text.split(' ')[0])).toEqual(['node-0', 'node-1', 'node-9']);
  });

  it('remembers its templates as revisions, no more than its history', async () => {
    const world = await running({ revisionHistoryLimit: 1 });
    for (const image of ['agent:2', 'agent:3', 'agent:2']) {
      await world.apply(url, daemonSet({ revisionHistoryLimit: 1 }, {}, image));
      world.seconds(60);
    }
    const remembered = world
      .list('apps/controllerrevisions')
      .map(
        (item) => `${item['revision']} ${textAt(item, 'data', 'spec', 'template', 'spec', 'containers', 0, 'image')}`,
      );
    expect(remembered.sort()).toEqual(['3 agent:3', '4 agent:2']);
  });

  it('is deleted with its pods and revisions', async () => {
    const world = await running();
    await world.request('DELETE', url, { propagationPolicy: 'Background' });
    world.seconds(10);
    expect([...world.list('/pods'), ...world.list('apps/controllerrevisions')]).toEqual([]);
  });

  it('that has nothing to do has no timers', async () => {
    const world = await running();
    world.seconds(60);
    expect(world.clock.pending()).toBe(0);
    expect(
      listAt(world.get('/pods', world.list('/pods')[0]!.metadata.name, 'default'), 'status', 'conditions'),
    ).toHaveLength(4);
  });
});

import { describe, expect, it } from 'vitest';
import { at, listAt, numberAt, textAt } from '../../../src/engine/kernel/at.ts';
import { deployment, deploymentUrl, openWorld, type World } from '../world.ts';

const status = (world: World, name = 'web') => world.get('apps/deployments', name, 'default')!['status'];
const sizes = (world: World) =>
  Object.fromEntries(
    world
      .list('apps/replicasets')
      .map((set) => [
        set.metadata.annotations!['deployment.kubernetes.io/revision'],
        numberAt(set, 'spec', 'replicas'),
      ]),
  );
const condition = (world: World, type: string) =>
  listAt(status(world), 'conditions').find((item) => textAt(item, 'type') === type);

async function rolledOut(spec = {}): Promise<World> {
  const world = await openWorld({ readySeconds: { Deployment: 5, Termination: 1 } });
  await world.apply(`${deploymentUrl}/web`, deployment('web', spec));
  world.seconds(10);
  return world;
}

describe('a Deployment', () => {
  it('is available after the delay of its member, and not before', async () => {
    const world = await openWorld({ readySeconds: { Deployment: 5 } });
    await world.apply(`${deploymentUrl}/web`, deployment('web'));
    world.seconds(4);
    expect(status(world)).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      unavailableReplicas: 3,
    });
    world.seconds(2);
    expect(status(world)).toEqual({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      conditions: [
        {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
          lastUpdateTime: '2026-01-01T00:00:05Z',
          lastTransitionTime: '2026-01-01T00:00:05Z',
        },
        {
          type: 'Progressing',
          status: 'True',
          reason: 'NewReplicaSetAvailable',
          message: `ReplicaSet "${world.list('apps/replicasets')[0]!.metadata.name}" has successfully progressed.`,
          lastUpdateTime: '2026-01-01T00:00:05Z',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
  });

  it('waits minReadySeconds more before a ready pod counts as available', async () => {
    const world = await openWorld({ readySeconds: { Deployment: 5 } });
    await world.apply(`${deploymentUrl}/web`, deployment('web', { minReadySeconds: 10 }));
    world.seconds(9);
    expect(status(world)).toMatchObject({ readyReplicas: 3, unavailableReplicas: 3 });
    world.seconds(7);
    expect(status(world)).toMatchObject({ readyReplicas: 3, availableReplicas: 3 });
  });

  it('replaces pods within maxSurge and maxUnavailable', async () => {
    const spec = { replicas: 4, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } };
    const world = await rolledOut(spec);
    await world.apply(`${deploymentUrl}/web`, deployment('web', spec, { image: 'app:2' }));
    const seen: string[] = [];
    for (let step = 0; step < 2000; step++) {
      world.clock.advance(10);
      const now = JSON.stringify(sizes(world));
      if (seen.at(-1) !== now) seen.push(now);
      const { availableReplicas = 0, replicas = 0 } = status(world) as Record<string, number>;
      expect(availableReplicas).toBeGreaterThanOrEqual(3);
      expect(replicas).toBeLessThanOrEqual(5);
    }
    expect(seen.slice(0, 3)).toEqual(['{"1":4}', '{"1":3,"2":1}', '{"1":3,"2":2}']);
    expect(seen.at(-1)).toEqual('{"1":0,"2":4}');
    expect(status(world)).toMatchObject({
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 4,
      availableReplicas: 4,
    });
  });

  it('with Recreate starts nothing new before all old pods are gone', async () => {
    const world = await rolledOut({ strategy: { type: 'Recreate' } });
    await world.apply(
      `${deploymentUrl}/web`,
      deployment('web', { strategy: { type: 'Recreate' } }, { image: 'app:2' }),
    );
    for (let step = 0; step < 200; step++) {
      world.clock.advance(50);
      const images = new Set(world.list('/pods').map((pod) => at(pod, 'spec', 'containers', 0, 'image')));
      expect(images.size).toBeLessThanOrEqual(1);
    }
    expect(status(world)).toMatchObject({ updatedReplicas: 3, availableReplicas: 3 });
  });

  it('that gets its old template back uses the old ReplicaSet again, with a new revision', async () => {
    const world = await rolledOut();
    const [first] = world.list('apps/replicasets');
    await world.apply(`${deploymentUrl}/web`, deployment('web', {}, { image: 'app:2' }));
    world.seconds(30);
    await world.apply(`${deploymentUrl}/web`, deployment('web'));
    world.seconds(30);
    const again = world.get('apps/replicasets', first!.metadata.name, 'default')!;
    expect(again.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
    expect(sizes(world)).toEqual({ 2: 0, 3: 3 });
    expect(world.get('apps/deployments', 'web', 'default')!.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
    });
  });

  it('keeps no more empty ReplicaSets than its history', async () => {
    const world = await rolledOut({ revisionHistoryLimit: 1 });
    for (const image of ['app:2', 'app:3', 'app:4']) {
      await world.apply(`${deploymentUrl}/web`, deployment('web', { revisionHistoryLimit: 1 }, { image }));
      world.seconds(40);
    }
    expect(sizes(world)).toEqual({ 3: 0, 4: 3 });
  });

  it.each(['ImagePullBackOff', 'CrashLoopBackOff', 'NotReady'])(
    'that is told to fail with %s keeps its old pods and exceeds its progress deadline',
    async (fail) => {
      const world = await rolledOut({ progressDeadlineSeconds: 60 });
      await world.apply(
        `${deploymentUrl}/web`,
        deployment('web', { progressDeadlineSeconds: 60 }, { annotations: { 'simulator.gitfleet.dev/fail': fail } }),
      );
      world.seconds(50);
      expect(condition(world, 'Progressing')).toMatchObject({ status: 'True', reason: 'ReplicaSetUpdated' });
      world.seconds(20);
      expect(condition(world, 'Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
      expect(condition(world, 'Available')).toMatchObject({ status: 'True' });
      expect(sizes(world)).toEqual({ 1: 3, 2: 1 });
      world.seconds(3600);
      expect(world.clock.pending()).toBe(0);
    },
  );

  it('grows each part of a running rollout by its share when it is scaled', async () => {
    const spec = { replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } };
    const world = await rolledOut(spec);
    const failing = { annotations: { 'simulator.gitfleet.dev/fail': 'NotReady' } };
    await world.apply(`${deploymentUrl}/web`, deployment('web', spec, failing));
    world.seconds(30);
    expect(sizes(world)).toEqual({ 1: 8, 2: 5 });
    await world.apply(`${deploymentUrl}/web`, deployment('web', { ...spec, replicas: 15 }, failing));
    world.seconds(30);
    expect(sizes(world)).toEqual({ 1: 11, 2: 7 });
  });

  it('that is paused scales, but rolls nothing out', async () => {
    const world = await rolledOut();
    await world.apply(`${deploymentUrl}/web`, deployment('web', { paused: true, replicas: 5 }, { image: 'app:2' }));
    world.seconds(30);
    expect(sizes(world)).toEqual({ 1: 5 });
    expect(condition(world, 'Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' });
    await world.apply(`${deploymentUrl}/web`, deployment('web', { paused: false, replicas: 5 }, { image: 'app:2' }));
    world.seconds(60);
    expect(sizes(world)).toEqual({ 1: 0, 2: 5 });
  });

  it('is deleted with its ReplicaSets and pods', async () => {
    const world = await rolledOut();
    await world.request('DELETE', `${deploymentUrl}/web`, { propagationPolicy: 'Background' });
    world.seconds(10);
    expect([...world.list('apps/replicasets'), ...world.list('/pods')]).toEqual([]);
  });

  it('adopts an orphaned ReplicaSet', async () => {
    const world = await rolledOut();
    const [pods, sets] = [world.list('/pods'), world.list('apps/replicasets')];
    await world.request('DELETE', `${deploymentUrl}/web`, { propagationPolicy: 'Orphan' });
    world.seconds(10);
    expect(world.list('/pods').map((pod) => pod.metadata.uid)).toEqual(pods.map((pod) => pod.metadata.uid));
    await world.apply(`${deploymentUrl}/web`, deployment('web'));
    world.seconds(10);
    expect(world.list('apps/replicasets').map((set) => set.metadata.uid)).toEqual(sets.map((set) => set.metadata.uid));
    expect(status(world)).toMatchObject({ availableReplicas: 3 });
  });

  it('has the same names, times and versions in two members of the same name', async () => {
    const [one, two] = [await rolledOut(), await rolledOut()];
    expect(one.list('/pods')).toEqual(two.list('/pods'));
  });
});

describe('an idle member', () => {
  it('has no timers', async () => {
    const world = await rolledOut();
    world.seconds(60);
    expect(world.clock.pending()).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { at, listAt, textAt } from '../../../src/engine/kernel/at.ts';
import type { Fields } from '../../../src/simulator/schema/schema.ts';
import { openWorld, type World } from '../world.ts';

const url = '/apis/apps/v1/namespaces/default/statefulsets/db';
const statefulSet = (spec: Fields = {}, image = 'db:1') => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'default' },
  spec: {
    replicas: 3,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'main', image }] } },
    ...spec,
  },
});
const claims = (policy?: Fields) => ({
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
  ...(policy ? { persistentVolumeClaimRetentionPolicy: policy } : {}),
});
const readySeconds = { StatefulSet: 5, Termination: 1, PersistentVolumeClaim: 0 };

const status = (world: World) => world.get('apps/statefulsets', 'db', 'default')!['status'] as Fields;
const pods = (world: World) =>
  world
    .list('/pods')
    .map((pod) => `${pod.metadata.name} ${textAt(pod, 'spec', 'containers', 0, 'image')}`)
    .sort();
const claimed = (world: World) => world.list('/persistentvolumeclaims').map((claim) => claim.metadata.name);

async function running(spec: Fields = {}): Promise<World> {
  const world = await openWorld({ readySeconds });
  await world.apply(url, statefulSet(spec));
  world.seconds(30);
  return world;
}

describe('a StatefulSet', () => {
  it('starts its pods in order, each after the one before is ready', async () => {
    const world = await openWorld({ readySeconds });
    await world.apply(url, statefulSet());
    const seen: number[] = [];
    for (let step = 0; step < 4; step++) {
      world.seconds(step === 0 ? 1 : 6);
      seen.push(world.list('/pods').length);
    }
    expect(seen).toEqual([1, 2, 3, 3]);
    const revision = world.list('apps/controllerrevisions')[0]!.metadata.name;
    expect(status(world)).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: revision,
      updateRevision: revision,
      collisionCount: 0,
    });
  });

  it('managed in parallel starts all of them at once', async () => {
    const world = await openWorld({ readySeconds });
    await world.apply(url, statefulSet({ podManagementPolicy: 'Parallel' }));
    world.seconds(1);
    expect(pods(world)).toEqual(['db-0 db:1', 'db-1 db:1', 'db-2 db:1']);
  });

  it('replaces its pods from the last to the first, one at a time', async () => {
    const world = await running();
    await world.apply(url, statefulSet({}, 'db:2'));
    const seen: string[] = [];
    for (let step = 0; step < 400; step++) {
      world.clock.advance(100);
      const images = world
        .list('/pods')
        .map((pod) => textAt(pod, 'spec', 'containers', 0, 'image').slice(-1))
        .join('');
      if (world.list('/pods').length === 3 && seen.at(-1) !== images) seen.push(images);
      expect(Number(status(world)['readyReplicas'] ?? 0)).toBeGreaterThanOrEqual(2);
    }
    expect(pods(world)).toEqual(['db-0 db:2', 'db-1 db:2', 'db-2 db:2']);
    expect(status(world)).toMatchObject({ updatedReplicas: 3, currentReplicas: 3, readyReplicas: 3 });
    expect(status(world)['currentRevision']).toBe(status(world)['updateRevision']);
  });

  it('leaves pods below its partition at the old template, also when they come back', async () => {
    const partition = { updateStrategy: { rollingUpdate: { partition: 2 } } };
    const world = await running(partition);
    await world.apply(url, statefulSet(partition, 'db:2'));
    world.seconds(30);
    await world.request('DELETE', '/api/v1/namespaces/default/pods/db-0');
    world.seconds(30);
    expect(pods(world)).toEqual(['db-0 db:1', 'db-1 db:1', 'db-2 db:2']);
    expect(status(world)).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
  });

  it('shrinks from the end and keeps the claims of pods that went', async () => {
    const world = await running(claims());
    expect(claimed(world)).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
    expect(at(world.get('/pods', 'db-1', 'default'), 'spec', 'volumes')).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } },
    ]);
    await world.apply(url, statefulSet({ ...claims(), replicas: 1 }));
    world.seconds(20);
    expect(pods(world)).toEqual(['db-0 db:1']);
    expect(claimed(world)).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
  });

  it.each([
    ['scaled', { whenScaled: 'Delete' }, ['data-db-0']],
    ['deleted', { whenDeleted: 'Delete' }, []],
  ])('deletes claims when it is %s, according to its policy', async (when, policy, left) => {
    const world = await running(claims(policy));
    if (when === 'scaled') await world.apply(url, statefulSet({ ...claims(policy), replicas: 1 }));
    else await world.request('DELETE', url, { propagationPolicy: 'Background' });
    world.seconds(20);
    expect(claimed(world)).toEqual(left);
  });

  it('counts from its first ordinal', async () => {
    const world = await running({ ordinals: { start: 5 }, replicas: 2 });
    expect(pods(world)).toEqual(['db-5 db:1', 'db-6 db:1']);
  });

  it('is not available before its pods were ready for minReadySeconds', async () => {
    const world = await openWorld({ readySeconds });
    await world.apply(url, statefulSet({ replicas: 1, minReadySeconds: 10 }));
    world.seconds(8);
    expect(status(world)).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    world.seconds(10);
    expect(status(world)).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
    world.seconds(10);
    expect(world.clock.pending()).toBe(0);
    expect(listAt(world.get('/pods', 'db-0', 'default'), 'metadata', 'ownerReferences')).toHaveLength(1);
  });
});

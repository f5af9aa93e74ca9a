import { beforeEach, describe, expect, it } from 'vitest';
import type { Fields } from '../../src/simulator/schema/schema.ts';
import { deployment, deploymentUrl, openWorld, type World } from './world.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const merge = { 'content-type': 'application/merge-patch+json' };
let world: World;
beforeEach(async () => {
  world = await openWorld({ readySeconds: { Deployment: 1, Termination: 5 } });
});
const make = (name: string, metadata: Fields = {}) =>
  world.request('POST', maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } });
const there = async (url: string) => (await world.request('GET', url)).status === 200;

describe('a deletion', () => {
  it('waits for finalizers, and accepts no new ones', async () => {
    await make('a', { finalizers: ['example.com/x'] });
    const { status, body } = await world.request('DELETE', `${maps}/a`);
    expect([status, body.metadata.deletionTimestamp]).toEqual([200, '2026-01-01T00:00:00Z']);
    const more = { metadata: { finalizers: ['example.com/x', 'example.com/y'] } };
    expect((await world.request('PATCH', `${maps}/a`, more, merge)).status).toBe(422);
    expect(await there(`${maps}/a`)).toBe(true);
    await world.request('PATCH', `${maps}/a`, { metadata: { finalizers: null } }, merge);
    expect(await there(`${maps}/a`)).toBe(false);
  });

  it.each([
    ['uid', { uid: 'other' }, 'Precondition failed: UID in precondition: other'],
    ['version', { resourceVersion: '1' }, 'Precondition failed: ResourceVersion in precondition: 1'],
  ])('of another %s is a conflict', async (_, preconditions, message) => {
    await make('a');
    const answer = await world.request('DELETE', `${maps}/a`, { preconditions });
    expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining(message)]);
  });

  it('dry, deletes nothing', async () => {
    await make('a');
    expect((await world.request('DELETE', `${maps}/a?dryRun=All`)).status).toBe(200);
    expect(await there(`${maps}/a`)).toBe(true);
  });

  it('of many deletes those that a selector selects', async () => {
    await make('a', { labels: { app: 'x' } });
    await make('b');
    expect((await world.request('DELETE', `${maps}?labelSelector=app=x`)).status).toBe(200);
    expect([await there(`${maps}/a`), await there(`${maps}/b`)]).toEqual([false, true]);
  });

  it.each([
    ['Background', false, 0, 0],
    ['Foreground', true, 0, 0],
    ['Orphan', false, 1, 3],
  ])('%s', async (propagationPolicy, stays, sets, pods) => {
    await world.apply(`${deploymentUrl}/web`, deployment('web'));
    world.seconds(5);
    await world.request('DELETE', `${deploymentUrl}/web`, { propagationPolicy });
    world.seconds(1);
    expect(await there(`${deploymentUrl}/web`)).toBe(stays);
    world.seconds(30);
    expect([
      await there(`${deploymentUrl}/web`),
      world.list('apps/replicasets').length,
      world.list('/pods').length,
    ]).toEqual([false, sets, pods]);
  });

  it('of a pod gives it time, but no more than it was granted', async () => {
    await world.apply(`${deploymentUrl}/web`, deployment('web', { replicas: 1 }));
    world.seconds(5);
    const [pod] = world.list('/pods');
    const url = `/api/v1/namespaces/default/pods/${pod!.metadata.name}`;
    await world.request('DELETE', url, { gracePeriodSeconds: 2 });
    world.seconds(1);
    expect(await there(url)).toBe(true);
    world.seconds(1);
    expect(await there(url)).toBe(false);
  });

  it('of a namespace deletes its content, and reports what blocks it', async () => {
    await world.request('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop' },
    });
    const inside = '/api/v1/namespaces/shop/configmaps';
    for (const metadata of [{ name: 'a' }, { name: 'b', finalizers: ['example.com/x'] }])
      await world.request('POST', inside, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await world.request('DELETE', '/api/v1/namespaces/shop');
    world.seconds(5);
    const { body } = await world.request('GET', '/api/v1/namespaces/shop');
    expect(body.status.phase).toBe('Terminating');
    expect(body.status.conditions).toContainEqual(
      expect.objectContaining({
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        message: 'Some content in the namespace has finalizers remaining: example.com/x in 1 resource instances',
      }),
    );
    expect(
      await world.request('POST', inside, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }),
    ).toMatchObject({
      status: 403,
      body: { details: { causes: [{ reason: 'NamespaceTerminating' }] } },
    });
    await world.request('PATCH', `${inside}/b`, { metadata: { finalizers: null } }, merge);
    world.seconds(5);
    expect(await there('/api/v1/namespaces/shop')).toBe(false);
  });
});

describe('an eviction', () => {
  it('is refused while the disruption budget allows none, with a Retry-After', async () => {
    await world.apply(`${deploymentUrl}/web`, deployment('web', { replicas: 2 }));
    await world.request('POST', '/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    world.seconds(5);
    const pods = world.list('/pods');
    const evict = (index: number) => {
      const { name } = pods[index]!.metadata;
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } };
      return world.request('POST', `/api/v1/namespaces/default/pods/${name}/eviction`, body);
    };
    expect((await evict(0)).status).toBe(201);
    world.seconds(0.1);
    expect(await evict(1)).toMatchObject({
      status: 429,
      body: {
        reason: 'TooManyRequests',
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: { causes: [{ reason: 'DisruptionBudget' }] },
      },
    });
  });
});

describe('what a cluster gives', () => {
  const post = (url: string, body: unknown) => world.request('POST', url, body);

  it('a LoadBalancer has its address after the delay of its member, and loses it with its type', async () => {
    world = await openWorld({ readySeconds: { LoadBalancer: 10 } });
    const url = '/api/v1/namespaces/default/services';
    const { body } = await post(url, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'lb' },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    });
    expect(body.spec).toMatchObject({
      clusterIP: expect.stringMatching(/^10\.96\./),
      ports: [{ targetPort: 80, nodePort: expect.any(Number) }],
    });
    const ingress = async () => (await world.request('GET', `${url}/lb`)).body.status.loadBalancer.ingress;
    world.seconds(9);
    expect(await ingress()).toBeUndefined();
    world.seconds(2);
    expect(await ingress()).toEqual([{ ip: expect.stringMatching(/^203\.0\.113\./), ipMode: 'VIP' }]);
    await world.request('PATCH', `${url}/lb`, { spec: { type: 'ClusterIP' } }, merge);
    world.seconds(1);
    expect(await ingress()).toBeUndefined();
  });

  it('a claim is bound to a volume after the delay of its member; without its storage class it is not', async () => {
    world = await openWorld({ readySeconds: { PersistentVolumeClaim: 5 } });
    const url = '/api/v1/namespaces/default/persistentvolumeclaims';
    const claim = (name: string, more: Fields = {}) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
    });
    await post(url, claim('a'));
    await post(url, claim('b', { storageClassName: 'fast' }));
    const phases = () => world.list('/persistentvolumeclaims').map((item) => (item['status'] as Fields)['phase']);
    world.seconds(4);
    expect(phases()).toEqual(['Pending', 'Pending']);
    world.seconds(2);
    expect(phases()).toEqual(['Bound', 'Pending']);
    expect(world.list('/persistentvolumes')).toHaveLength(1);
    await world.request('DELETE', `${url}/a`);
    world.seconds(1);
    expect([world.list('/persistentvolumeclaims').length, world.list('/persistentvolumes').length]).toEqual([1, 0]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import { customDefinition } from '../../support/custom-definition.ts';
import {
  assignment,
  configMap,
  deployment,
  namespace,
  openWorld,
  refOf,
  type World,
} from '../../support/member-world.ts';

const widgets = customDefinition('Widget');

const a = '/api/v1/namespaces/default/configmaps/a';
const b = '/api/v1/namespaces/default/configmaps/b';
const exists = async (world: World, path: string): Promise<boolean> => (await world.user('GET', path))['code'] !== 404;
const gone = (name: string, manifests: readonly Manifest[]) =>
  assignment(name, [], { remove: true, prunable: manifests.map(refOf) });

async function holding(manifests: readonly Manifest[], spec: object = {}): Promise<World> {
  const world = await openWorld(spec);
  world.member.assign([assignment('web', manifests)]);
  await world.pass(1);
  world.sent();
  return world;
}

describe('an object that a new snapshot does not list', () => {
  const next = () => ({
    ...assignment('web', [configMap('a')]),
    prunable: [configMap('a'), configMap('b')].map(refOf),
  });

  it('is removed, with its uid and version as preconditions', async () => {
    const world = await holding([configMap('a'), configMap('b')]);
    const { metadata } = (await world.user('GET', b)) as unknown as Manifest;
    world.member.assign([next()]);
    await world.pass(1);
    expect(world.sent()).toEqual(['DELETE configmaps/b']);
    expect(JSON.parse(world.requests.at(-1)?.body ?? '{}')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      preconditions: { uid: metadata['uid'], resourceVersion: metadata['resourceVersion'] },
    });
    expect([await exists(world, a), await exists(world, b)]).toEqual([true, false]);
  });

  it('stays when no snapshot of the placement ever listed it', async () => {
    const world = await holding([configMap('a'), configMap('b')]);
    world.member.assign([assignment('web', [configMap('a')])]);
    await world.pass(60);
    expect(await exists(world, b)).toBe(true);
  });

  it('stays when it carries the label of another placement', async () => {
    const world = await holding([configMap('a'), configMap('b')]);
    world.sim.setFaults([{ type: 'SilentWatch', fromSeconds: 0, probability: 1 }]);
    await world.user('PATCH', b, { metadata: { labels: { 'gitfleet.dev/placement': 'other' } } });
    world.member.assign([next()]);
    await world.pass(10);
    expect(await exists(world, b)).toBe(true);
  });

  it('stays under ReportDiff', async () => {
    const world = await holding([configMap('a'), configMap('b')]);
    world.member.assign([{ ...next(), strategy: { ...next().strategy, type: 'ReportDiff' } }]);
    await world.pass(10);
    expect(await exists(world, b)).toBe(true);
  });

  it('is released, not removed, when it has other owners', async () => {
    const world = await holding([configMap('a'), configMap('b')]);
    const owner = (await world.user('GET', a)) as unknown as Manifest;
    await world.user('PATCH', b, {
      metadata: {
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: owner.metadata['uid'] }],
      },
    });
    world.member.assign([next()]);
    await world.pass(1);
    const { kind, metadata } = (await world.user('GET', b)) as unknown as Manifest;
    // The response for a deleted object has metadata without labels, too.
    expect([kind, metadata.name]).toEqual(['ConfigMap', 'b']);
    expect(metadata.labels ?? {}).toEqual({});
    expect(metadata.annotations ?? {}).toEqual({});
    expect(world.observation().placements).toMatchObject([{ done: true, results: [] }]);
  });

  it('is removed after a new list of its kind, when it changed in the meantime', async () => {
    const world = await holding([configMap('a'), configMap('b')]);
    world.sim.setFaults([{ type: 'Latency', seconds: 5, verbs: ['delete'], fromSeconds: 0, probability: 1 }]);
    world.member.assign([next()]);
    await world.pass(1);
    await world.user('PATCH', b, { data: { other: '2' } });
    await world.pass(60);
    expect(await exists(world, b)).toBe(false);
  });

  it('is checked again before its removal, when it was applied again in the meantime', async () => {
    const world = await holding([configMap('a'), configMap('b')]);
    world.sim.setFaults([{ type: 'Latency', seconds: 5, verbs: ['delete'], fromSeconds: 0, probability: 1 }]);
    world.member.assign([next()]);
    await world.pass(1);
    await world.user('PATCH', b, { metadata: { annotations: { 'gitfleet.dev/digest': 'newer' } } });
    await world.pass(6);
    expect(world.sent().filter((line) => line.startsWith('DELETE'))).toEqual(['DELETE configmaps/b']);
    expect(world.observation().placements).toMatchObject([{ results: [{ result: 'ManifestDeleteFailed' }] }]);
    expect(await exists(world, b)).toBe(true);
  });
});

describe('a placement that is removed', () => {
  const manifests = [namespace('shop'), configMap('a', {}, 'shop'), deployment('web', 1, 'web:1', 'shop')];

  it('is removed in the reverse order of apply, and nothing is sent afterwards', async () => {
    const world = await holding(manifests);
    world.member.assign([gone('web', manifests)]);
    await world.pass(5);
    expect(world.sent().filter((line) => line.startsWith('DELETE'))).toEqual([
      'DELETE deployments/web',
      'DELETE configmaps/a',
      'DELETE namespaces/shop',
    ]);
    expect(world.observation()).toMatchObject({
      complete: true,
      objects: [],
      placements: [{ done: true, results: [] }],
    });
    await world.pass(600);
    expect(world.sent()).toEqual([]);
  });

  it('waits half a minute for finalizers before it removes the next wave', async () => {
    const world = await holding(manifests);
    await world.user('PATCH', '/apis/apps/v1/namespaces/shop/deployments/web', {
      metadata: { finalizers: ['example.com/slow'] },
    });
    world.sent();
    world.member.assign([gone('web', manifests)]);
    await world.pass(20);
    expect(world.sent()).toEqual(['DELETE deployments/web']);
    expect(world.observation().placements).toMatchObject([{ done: false }]);
    await world.pass(20);
    expect(world.sent()).toEqual(['DELETE configmaps/a', 'DELETE namespaces/shop']);
    expect(
      world
        .observation()
        .objects.map(({ kind }) => kind)
        .sort(),
    ).toEqual(['Deployment', 'Namespace']);
    await world.user('PATCH', '/apis/apps/v1/namespaces/shop/deployments/web', { metadata: { finalizers: null } });
    await world.pass(60);
    expect(world.observation().objects).toEqual([]);
  });

  it('keeps a namespace with foreign objects, lists them, and removes it when they are gone', async () => {
    const world = await holding(manifests);
    await world.user('POST', '/api/v1/namespaces/shop/configmaps', {
      ...configMap('theirs', {}, 'shop'),
    });
    world.member.assign([gone('web', manifests)]);
    await world.pass(5);
    expect(world.results()).toEqual([
      {
        object: { apiVersion: 'v1', kind: 'Namespace', name: 'shop' },
        result: 'ContainsForeignObjects',
        message: 'Namespace shop holds 1 object(s) that are not of this placement: ConfigMap shop/theirs',
      },
    ]);
    await world.user('DELETE', '/api/v1/namespaces/shop/configmaps/theirs');
    await world.pass(600);
    expect(await exists(world, '/api/v1/namespaces/shop')).toBe(false);
    expect(world.results()).toEqual([]);
  });

  it('keeps a namespace while lists come from a lagging replica', async () => {
    const world = await holding(manifests);
    await world.pass(60);
    const theirs = '/api/v1/namespaces/shop/configmaps/theirs';
    await world.user('POST', '/api/v1/namespaces/shop/configmaps', configMap('theirs', {}, 'shop'));
    world.sim.setFaults([
      { type: 'StaleRead', seconds: 30, fromSeconds: 0, untilSeconds: 20, probability: 1, resources: ['configmaps'] },
    ]);
    world.member.assign([gone('web', manifests)]);
    await world.pass(15);
    expect(await exists(world, theirs)).toBe(true);
    expect(world.results()).toMatchObject([{ result: 'ManifestDeleteFailed' }]);
    await world.pass(120);
    expect(await exists(world, theirs)).toBe(true);
    expect(world.results()).toMatchObject([{ result: 'ContainsForeignObjects' }]);
  });

  it('names ten foreign objects of a namespace, and counts the rest', async () => {
    const world = await holding(manifests);
    const names = 'bcdefghijklm'.split('');
    for (const name of names)
      await world.user('POST', '/api/v1/namespaces/shop/configmaps', configMap(name, {}, 'shop'));
    world.member.assign([gone('web', manifests)]);
    await world.pass(5);
    const named = names.slice(0, 10).map((name) => `ConfigMap shop/${name}`);
    expect(world.results()).toMatchObject([
      {
        message: `Namespace shop holds 12 object(s) that are not of this placement: ${named.join(', ')} and 2 more`,
      },
    ]);
  });

  it('removes a namespace with foreign objects after an approval', async () => {
    const world = await holding(manifests);
    await world.user('POST', '/api/v1/namespaces/shop/configmaps', configMap('theirs', {}, 'shop'));
    world.member.assign([gone('web', manifests)]);
    await world.pass(5);
    expect(world.results()).toMatchObject([{ result: 'ContainsForeignObjects' }]);
    world.member.assign([{ ...gone('web', manifests), approvedRemovals: [refOf(namespace('shop'))] }]);
    await world.pass(20);
    expect(await exists(world, '/api/v1/namespaces/shop')).toBe(false);
    expect(world.results()).toEqual([]);
  });

  it('releases what another placement selects, with its content, and that one has it at once', async () => {
    const world = await holding(manifests);
    await world.user('POST', '/api/v1/namespaces/shop/configmaps', configMap('theirs', {}, 'shop'));
    const shop = [namespace('shop')];
    world.member.assign([assignment('web', manifests), assignment('other', shop)]);
    await world.pass(10);
    world.sent();
    world.member.assign([{ ...gone('web', manifests), handedOver: shop.map(refOf) }, assignment('other', shop)]);
    await world.pass(2);
    expect(world.sent()).toEqual([
      'DELETE deployments/web',
      'DELETE configmaps/a',
      'PATCH namespaces/shop',
      'GET namespaces/shop',
      'PATCH namespaces/shop',
    ]);
    expect(await world.user('GET', '/api/v1/namespaces/shop')).toMatchObject({
      metadata: { labels: { 'gitfleet.dev/placement': 'other' } },
    });
    expect(await exists(world, '/api/v1/namespaces/shop/configmaps/theirs')).toBe(true);
    expect(world.observation().placements).toMatchObject([
      { placement: { name: 'web' }, done: true, results: [] },
      { placement: { name: 'other' }, done: true, results: [] },
    ]);
  });

  it('keeps a namespace with an object that has our label but was never listed', async () => {
    const world = await holding(manifests);
    const theirs = configMap('theirs', {}, 'shop');
    const labels = { 'gitfleet.dev/placement': 'web' };
    await world.user('POST', '/api/v1/namespaces/shop/configmaps', {
      ...theirs,
      metadata: { ...theirs.metadata, labels },
    });
    world.member.assign([gone('web', manifests)]);
    await world.pass(20);
    expect(await exists(world, '/api/v1/namespaces/shop/configmaps/theirs')).toBe(true);
    expect(world.results()).toMatchObject([{ result: 'ContainsForeignObjects' }]);
  });

  it('keeps a namespace while its content cannot be listed', async () => {
    const world = await holding(manifests);
    world.sim.setFaults([
      { type: 'ServerError', status: 503, verbs: ['list'], resources: ['secrets'], fromSeconds: 0, probability: 1 },
    ]);
    world.member.assign([gone('web', manifests)]);
    await world.pass(60);
    expect(await exists(world, '/api/v1/namespaces/shop')).toBe(true);
    expect(world.results()).toMatchObject([{ result: 'ManifestDeleteFailed' }]);
    world.sim.setFaults([]);
    await world.pass(600);
    expect(await exists(world, '/api/v1/namespaces/shop')).toBe(false);
  });

  it('keeps a namespace whose content may not be listed, reports it, and removes it after an approval', async () => {
    const world = await holding(manifests);
    world.sim.setFaults([
      {
        type: 'ServerError',
        status: 403,
        verbs: ['list'],
        resources: ['secrets', 'jobs'],
        fromSeconds: 0,
        probability: 1,
      },
    ]);
    world.member.assign([gone('web', manifests)]);
    await world.pass(60);
    expect(world.results()).toEqual([
      {
        object: { apiVersion: 'v1', kind: 'Namespace', name: 'shop' },
        result: 'ContainsForeignObjects',
        message:
          'Namespace shop may hold objects that are not of this placement: gitfleet has no right to list jobs, secrets there',
      },
    ]);
    world.member.assign([{ ...gone('web', manifests), approvedRemovals: [refOf(namespace('shop'))] }]);
    await world.pass(20);
    expect(await exists(world, '/api/v1/namespaces/shop')).toBe(false);
  });

  it('removes a namespace with objects of controllers, whether they may be listed or not', async () => {
    const world = await holding(manifests);
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'theirs' } };
    await world.user('POST', '/apis/coordination.k8s.io/v1/namespaces/shop/leases', lease);
    world.sim.setFaults([
      { type: 'ServerError', status: 403, verbs: ['list'], resources: ['leases'], fromSeconds: 0, probability: 1 },
    ]);
    world.member.assign([gone('web', manifests)]);
    await world.pass(30);
    expect(await exists(world, '/api/v1/namespaces/shop')).toBe(false);
  });

  it('keeps a definition of a custom kind with the name of a kind that controllers write', async () => {
    const { spec } = widgets;
    const leases = {
      ...widgets,
      metadata: { name: 'leases.example.com' },
      spec: { ...spec, names: { plural: 'leases', singular: 'lease', kind: 'Lease', listKind: 'LeaseList' } },
    };
    const world = await holding([leases]);
    const path = '/apis/example.com/v1/namespaces/default/leases';
    const theirs = { apiVersion: 'example.com/v1', kind: 'Lease', metadata: { name: 'flat-4' } };
    await world.pass(5);
    await world.user('POST', path, theirs);
    world.member.assign([gone('web', [leases])]);
    await world.pass(30);
    expect(await exists(world, `${path}/flat-4`)).toBe(true);
    expect(world.results()).toMatchObject([{ result: 'ContainsForeignObjects' }]);
  });

  it('is removed again when it was created again, once the record confirmed it', async () => {
    const world = await holding([configMap('a')]);
    const copy = (await world.user('GET', a)) as unknown as Manifest;
    world.member.assign([gone('web', [configMap('a')])]);
    await world.pass(1);
    const { name, labels, annotations } = copy.metadata;
    await world.user('POST', '/api/v1/namespaces/default/configmaps', {
      ...configMap('a'),
      metadata: { name, labels, annotations },
    });
    await world.pass(5);
    expect(await exists(world, a)).toBe(true);
    expect(world.conflict()).toBe(1);
    // The first pass may have read the record before.
    world.member.assign([gone('web', [configMap('a')])]);
    await world.pass(1);
    expect(await exists(world, a)).toBe(true);
    world.member.assign([gone('web', [configMap('a')])]);
    await world.pass(1);
    expect(await exists(world, a)).toBe(false);
  });

  it('reports the message of the member for a refused removal', async () => {
    const world = await holding([configMap('a')]);
    world.sim.setFaults([
      { type: 'DenyAdmission', message: 'keep it', verbs: ['delete'], fromSeconds: 0, probability: 1 },
    ]);
    world.member.assign([gone('web', [configMap('a')])]);
    await world.pass(1);
    expect(world.results()).toMatchObject([
      {
        result: 'ManifestDeleteFailed',
        message:
          'delete ConfigMap default/a on eu-1: 403, admission webhook "simulated.gitfleet.dev" denied the request: keep it',
      },
    ]);
    world.sim.setFaults([]);
    await world.pass(10);
    expect(await exists(world, a)).toBe(false);
  });

  it('that is wanted again during its removal is applied', async () => {
    const world = await holding(manifests);
    world.member.assign([gone('web', manifests)]);
    await world.pass(0);
    world.member.assign([assignment('web', manifests)]);
    await world.pass(60);
    expect(await exists(world, '/apis/apps/v1/namespaces/shop/deployments/web')).toBe(true);
    expect(world.results()).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { crdPath, customDefinition } from '../../support/custom-definition.ts';
import { assignment, configMap, deployment, namespace, openWorld, simulated } from '../../support/member-world.ts';
import { a, dataOf, holding } from './holding.ts';

const widgets = customDefinition('Widget');

describe('a kind that the member does not serve', () => {
  const widget = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'default' },
    spec: { size: 1 },
  };
  const path = '/apis/example.com/v1/namespaces/default/widgets/w';

  it('is reported with a fix', async () => {
    const world = await holding([widget]);
    expect(world.results()).toEqual([
      {
        object: { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'default', name: 'w' },
        result: 'DecodingErred',
        message: 'the member does not serve Widget of example.com/v1: install its CRD, or place it first',
      },
    ]);
  });

  it('is applied in the same attempt as its CRD, and counts as progress until that is established', async () => {
    const world = await holding([widgets, widget], { readySeconds: { CustomResourceDefinition: 10 } });
    const later = { ...widget, metadata: { ...widget.metadata, labels: { of: 'snapshot-1' } } };
    expect(world.observation().placements).toEqual([]);
    world.member.assign([assignment('web', [configMap('a')])]);
    await world.pass(2);
    expect(world.observation()).toMatchObject({ complete: true, placements: [{ done: true, results: [] }] });
    world.member.assign([assignment('web', [widgets, later])]);
    const seen = new Set<string>();
    for (let second = 0; second < 12; second++) {
      await world.pass(1);
      const [web] = world.observation().placements;
      seen.add(JSON.stringify([web!.done, web!.results]));
    }
    expect([...seen]).toEqual(['[false,[]]', '[true,[]]']);
    expect(await world.user('GET', path)).toMatchObject({ metadata: { labels: { of: 'snapshot-1' } } });
    expect(world.sent().filter((line) => line === 'PATCH widgets/w')).toHaveLength(1);
  });

  it.each([
    ['v1', 'is not established within 30 s', 'its CRD is in the same placement and not established yet'],
    [
      'v2',
      'does not serve its version',
      'its CRD, in the same placement, does not serve that version: write example.com/v1, or have the CRD serve it',
    ],
  ])('%s is reported when its CRD %s', async (version, _, why) => {
    const apiVersion = `example.com/${version}`;
    const world = await holding([widgets, { ...widget, apiVersion }], {
      readySeconds: { CustomResourceDefinition: 60 },
    });
    await world.pass(32);
    const message = `the member does not serve Widget of ${apiVersion}: ${why}`;
    expect(world.results()).toMatchObject([{ object: { kind: 'Widget' }, result: 'DecodingErred', message }]);
    await world.pass(60);
    expect(world.results()).toHaveLength(version === 'v1' ? 0 : 1);
  });

  it.each([
    ['example.com/v2', 'Widget', 'write example.com/v1, which it serves, or update its CRD'],
    ['example.com/v1', 'Gadget', 'install its CRD, or place it first'],
    ['batch/v1beta1', 'CronJob', 'write batch/v1, which it serves'],
  ])('is reported with the versions that the member serves: %s %s', async (apiVersion, kind, why) => {
    const world = await openWorld();
    await world.user('POST', crdPath, widgets);
    await world.pass(10);
    world.member.assign([assignment('web', [{ ...widget, apiVersion, kind }])]);
    await world.pass(2);
    const message = `the member does not serve ${kind} of ${apiVersion}: ${why}`;
    expect(world.results()).toMatchObject([{ object: { kind }, result: 'DecodingErred', message }]);
  });

  it.each([
    ['without a spec', undefined],
    ['without names', { ...widgets.spec, names: null }],
    ['with versions that are not a list', { ...widgets.spec, versions: 'v1' }],
  ])('is reported also beside a CRD %s, which the server refuses', async (_, spec) => {
    const world = await holding([{ ...widgets, spec }, widget]);
    const told = world.results().map(({ object, result }) => [object.kind, result]);
    expect(told.sort()).toEqual([
      ['CustomResourceDefinition', 'ManifestApplyFailed'],
      ['Widget', 'DecodingErred'],
    ]);
  });

  it('is applied soon after its CRD was installed', async () => {
    const world = await holding([widget]);
    await world.user('POST', crdPath, widgets);
    await world.pass(30);
    expect(await world.user('GET', path)).toMatchObject({ spec: { size: 1 } });
    expect(world.results()).toEqual([]);
  });

  it('is watched also where its CRD came while the placement was being applied', async () => {
    const notFound = { kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound', message: '' };
    let established = false;
    const world = await openWorld(
      {},
      {
        intercept({ method, path: asked }) {
          if (established || asked.startsWith(crdPath)) return undefined;
          if (method === 'PATCH') {
            established = true;
            void world.user('PATCH', `${crdPath}/${widgets.metadata.name}`, {
              metadata: { annotations: { late: 'yes' } },
            });
          }
          if (asked === '/apis') return { status: 200, body: { kind: 'APIGroupList', groups: [] } };
          return asked.startsWith('/apis/example.com/v1') ? { status: 404, body: notFound } : undefined;
        },
      },
    );
    world.member.assign([assignment('crds', [widgets])]);
    await world.pass(5);
    established = false;
    world.member.assign([assignment('crds', [widgets]), assignment('web', [configMap('a'), widget])]);
    await world.pass(2);
    expect(await world.user('GET', path)).toMatchObject({ spec: { size: 1 } });
    await world.user('PATCH', path, { spec: { size: 9 } });
    await world.pass(2);
    expect(await world.user('GET', path)).toMatchObject({ spec: { size: 1 } });
  });

  it('is applied as soon as another placement applied its CRD and it is established', async () => {
    const world = await openWorld();
    world.member.assign([assignment('widgets', [widget])]);
    await world.pass(300);
    world.member.assign([assignment('widgets', [widget]), assignment('crds', [widgets])]);
    await world.pass(3);
    expect(world.observation().placements.map(({ done, results }) => ({ done, results }))).toEqual([
      { done: true, results: [] },
      { done: true, results: [] },
    ]);
  });

  it('is applied again with its CRD when that was removed', async () => {
    const world = await holding([widgets, widget]);
    await world.pass(20);
    expect(world.results()).toEqual([]);
    await world.user('DELETE', `${crdPath}/widgets.example.com`);
    await world.pass(60);
    expect(await world.user('GET', path)).toMatchObject({ spec: { size: 1 } });
    expect(world.observation()).toMatchObject({ complete: true, placements: [{ done: true }] });
  });
});

describe('two placements that claim one object', () => {
  it('do not share it: the first has it, the second reports the owner, and gets it when it is free', async () => {
    const world = await openWorld();
    const first = assignment('first', [configMap('a', { of: 'first' })]);
    const second = assignment('second', [configMap('a', { of: 'second' })]);
    world.member.assign([first]);
    await world.pass(1);
    world.member.assign([first, second]);
    await world.pass(60);
    expect(world.observation().placements.map(({ results }) => results)).toEqual([
      [],
      [
        {
          object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
          result: 'FailedToTakeOver',
          message: 'the object is already placed by first: two placements may not share an object',
        },
      ],
    ]);
    world.member.assign([{ ...first, remove: true, manifests: [] }, second]);
    await world.pass(60);
    expect(await dataOf(world)).toEqual({ of: 'second' });
  });
});

describe('a member that is replaced by an empty cluster of the same name', () => {
  it('gets everything again, and no state of the old one is reported', async () => {
    const world = await holding([namespace('shop'), configMap('a', { color: 'red' }, 'shop')]);
    world.sim = await simulated({ name: 'successor' }, world.clock);
    await world.pass(120);
    expect(await dataOf(world, '/api/v1/namespaces/shop/configmaps/a')).toEqual({ color: 'red' });
    expect(world.reported).toEqual(['eu-1 is another cluster than before: everything is applied again']);
    expect(world.observation()).toMatchObject({ complete: true, placements: [{ done: true, results: [] }] });
    const uid = (await world.user('GET', '/api/v1/namespaces/shop'))['metadata'] as { uid: string };
    expect(world.observation().objects.map(({ metadata }) => metadata['uid'])).toContain(uid.uid);
  });

  it('gets everything again also when the identity of the old one was unknown', async () => {
    let isAsked = true;
    const forbidden = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: '' };
    const world = await openWorld(
      {},
      {
        intercept: ({ path }) =>
          isAsked && path === '/api/v1/namespaces/kube-system' ? { status: 403, body: forbidden } : undefined,
      },
    );
    world.member.assign([assignment('web', [namespace('shop'), configMap('a', { color: 'red' }, 'shop')])]);
    await world.pass(5);
    world.sim = await simulated({ name: 'successor' }, world.clock);
    isAsked = false;
    await world.pass(120);
    expect(await dataOf(world, '/api/v1/namespaces/shop/configmaps/a')).toEqual({ color: 'red' });
    expect(world.reported).toEqual([]);
    expect(world.observation()).toMatchObject({ complete: true, placements: [{ done: true, results: [] }] });
  });
});

describe('a namespace that is being removed', () => {
  it('is reported as such, and everything is applied again when it is gone', async () => {
    const world = await holding([namespace('shop'), configMap('a', { color: 'red' }, 'shop')]);
    await world.user('PATCH', '/api/v1/namespaces/shop/configmaps/a', {
      metadata: { finalizers: ['example.com/slow'] },
    });
    await world.user('DELETE', '/api/v1/namespaces/shop');
    await world.pass(20);
    expect(world.results().find(({ object }) => object.kind === 'Namespace')).toMatchObject({
      result: 'ManifestApplyFailed',
      message: expect.stringContaining('the object is being removed since 2026-11-20T10:00:'),
    });
    await world.user('PATCH', '/api/v1/namespaces/shop/configmaps/a', { metadata: { finalizers: null } });
    await world.pass(60);
    expect(await dataOf(world, '/api/v1/namespaces/shop/configmaps/a')).toEqual({ color: 'red' });
  });
});

describe('a member whose clock is wrong', () => {
  it.each([-86_400, 86_400])('is applied to and watched like any other (%s s)', async (clockSkewSeconds) => {
    const world = await holding([configMap('a', { color: 'red' })], { clockSkewSeconds });
    await world.user('PATCH', a, { data: { color: 'blue' } });
    await world.pass(1);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.observation().observedAt!.slice(0, 10)).toBe('2026-11-20');
  });
});

describe('a member that lies about generation', () => {
  it('does not cause a loop of requests', async () => {
    const world = await holding([deployment('web')]);
    const status = '/apis/apps/v1/namespaces/default/deployments/web/status';
    for (const observedGeneration of [99, 1, 0]) {
      await world.user('PATCH', status, { status: { observedGeneration } });
      await world.pass(10);
    }
    expect(world.sent()).toEqual([]);
    expect(world.results()).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import type { ApplyStrategy } from '../../../src/api/placement.ts';
import { assignment, begin, configMap, openWorld, type World } from '../../support/member-world.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const red = configMap('a', { color: 'red' });
const web = (object = red, strategy: Partial<ApplyStrategy> = {}) => assignment('web', [object], { strategy });

async function applied(world: World, wanted = web()): Promise<string[]> {
  world.sent();
  world.member.assign([wanted]);
  await world.pass(2);
  return world.sent();
}

it('an object costs one request when it is first applied, one for each change, and none at rest', async () => {
  const world = await openWorld();
  expect(await applied(world)).toEqual(['PATCH configmaps/a']);
  expect(await applied(world, web(configMap('a', { color: 'blue' })))).toEqual(['PATCH configmaps/a']);
  await world.pass(600);
  expect(world.sent()).toEqual([]);
});

it('an object that someone deleted costs one request', async () => {
  const world = await openWorld();
  await applied(world);
  await world.user('DELETE', `${collection}/a`);
  await world.pass(1);
  expect(world.sent()).toEqual(['PATCH configmaps/a']);
  expect(world.results()).toMatchObject([{ result: 'Applied', details: [{ path: '/' }] }]);
});

it.each<[string, Partial<ApplyStrategy>]>([
  ['ClientSideApply', {}],
  ['ServerSideApply', { type: 'ServerSideApply' }],
])('an object of someone else is refused unread and then read, and left alone under Never: %s', async (_, strategy) => {
  const world = await openWorld();
  await world.user('POST', collection, configMap('a', { color: 'blue' }));
  const before = await world.user('GET', `${collection}/a`);
  expect(await applied(world, web(red, { ...strategy, whenToTakeOver: 'Never' }))).toEqual([
    'PATCH configmaps/a',
    'GET configmaps/a',
  ]);
  expect(world.results()).toMatchObject([{ result: 'NotTakenOver' }]);
  expect(await world.user('GET', `${collection}/a`)).toEqual(before);
  // From now on it is known to exist.
  await world.pass(7);
  expect(world.sent()).toEqual(['GET configmaps/a']);
});

it('an object of someone else that no new one may be like is taken over', async () => {
  const world = await openWorld(
    {},
    {
      intercept: ({ method, body }) =>
        method === 'PATCH' && body?.includes('"resourceVersion":"1"') ? { status: 403, body: denied } : undefined,
    },
  );
  await world.user('POST', collection, configMap('a', { color: 'blue' }));
  expect(await applied(world)).toEqual(['PATCH configmaps/a', 'GET configmaps/a', 'PATCH configmaps/a']);
  expect(world.results()).toEqual([]);
});
const denied = { kind: 'Status', status: 'Failure', reason: 'Forbidden', message: 'exceeded quota' };

it('a refused new object is reported with the refusal, and costs one read', async () => {
  const world = await openWorld();
  expect(await applied(world, web(configMap('a', { 'no key': '' })))).toEqual([
    'PATCH configmaps/a',
    'GET configmaps/a',
  ]);
  expect(world.results()).toMatchObject([
    { result: 'ManifestApplyFailed', message: expect.stringContaining('apply ConfigMap default/a on eu-1: 422') },
  ]);
});

it('an object that is gone when it is read is created after all', async () => {
  const conflict = { kind: 'Status', status: 'Failure', reason: 'Conflict', message: 'the object has been modified' };
  let patches = 0;
  const world = await openWorld(
    {},
    {
      intercept: ({ method }) => (method === 'PATCH' && ++patches === 1 ? { status: 409, body: conflict } : undefined),
    },
  );
  expect(await applied(world)).toEqual(['PATCH configmaps/a', 'GET configmaps/a', 'PATCH configmaps/a']);
  expect(world.results()).toEqual([]);
});

it.each([
  ['that was taken over stays', true],
  ['that was created is removed', false],
])('an object %s when the record drops its placement', async (_, existed) => {
  const world = await openWorld({}, { knownAt: () => begin });
  if (existed) await world.user('POST', collection, configMap('a', { color: 'blue' }));
  await applied(world);
  world.member.assign([], () => true);
  await world.pass(5);
  expect((await world.user('GET', `${collection}/a`))['kind']).toBe(existed ? 'ConfigMap' : 'Status');
});

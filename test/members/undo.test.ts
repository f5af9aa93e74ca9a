import { expect, it } from 'vitest';
import type { PlacementAssignment } from '../../src/members/assignment.ts';
import { assignment, begin, configMap, openWorld, type World } from '../support/member-world.ts';

const path = (name: string): string => `/api/v1/namespaces/default/configmaps/${name}`;
const web = (more: Partial<Omit<PlacementAssignment, 'strategy'>> = {}): PlacementAssignment =>
  assignment('web', [configMap('a'), configMap('b')], more);
const always = { fromSeconds: 0, probability: 1 } as const;

async function held(world: World): Promise<string[]> {
  const found = await Promise.all(['a', 'b'].map((name) => world.user('GET', path(name))));
  return found.flatMap(({ kind, metadata }) => (kind === 'ConfigMap' ? (metadata as { name: string }).name : []));
}

/** A member with `web`, which the record has confirmed since its apply. */
async function holding(more: Parameters<typeof web>[0] = {}): Promise<World> {
  let knownAt = Number.NEGATIVE_INFINITY;
  const world = await openWorld({}, { knownAt: () => knownAt });
  world.member.assign([web(more)]);
  await world.pass(5);
  // Much later.
  await world.pass(120);
  knownAt = begin + 110_000;
  return world;
}

it('objects created again after another daemon removed their placement are removed, and nothing else', async () => {
  const world = await holding();
  await world.user('DELETE', path('a'));
  await world.pass(1);
  expect(await held(world)).toEqual(['a', 'b']);
  world.member.assign([], () => true);
  await world.pass(5);
  expect(await held(world)).toEqual(['b']);
});

it('so is an object that another daemon removed just before a newer version was sent', async () => {
  const world = await holding();
  world.sim.setFaults([{ type: 'SilentWatch', ...always }]);
  await world.pass(1_000);
  await world.user('DELETE', path('a'));
  world.member.assign([assignment('web', [configMap('a', { version: '2' }), configMap('b')])]);
  await world.pass(2);
  expect(await held(world)).toEqual(['a', 'b']);
  world.member.assign([], () => true);
  await world.pass(5);
  expect(await held(world)).toEqual(['b']);
});

it.each<[string, Parameters<typeof web>[0], () => boolean]>([
  ['the record has there', {}, () => false],
  ['is to stay when it is deleted', { abandons: true }, () => true],
])('nothing is removed of a placement that %s', async (_, more, isForgotten) => {
  const world = await holding(more);
  await world.user('DELETE', path('a'));
  await world.pass(1);
  world.member.assign([], isForgotten);
  await world.pass(5);
  expect(await held(world)).toEqual(['a', 'b']);
});

it('objects created before the record was read stay when the record drops them', async () => {
  const world = await holding();
  world.member.assign([], () => true);
  await world.pass(5);
  expect(await held(world)).toEqual(['a', 'b']);
});

it('objects created too late that another placement selects are released', async () => {
  const world = await holding();
  await world.user('DELETE', path('a'));
  await world.pass(1);
  const other = assignment('shop', [configMap('a')], { isPlaced: (label) => label === 'shop' });
  world.member.assign([other], ({ key }) => key === 'web');
  world.member.assign([other], ({ key }) => key === 'web');
  await world.pass(30);
  expect(await world.user('GET', path('a'))).toMatchObject({
    metadata: { labels: { 'gitfleet.dev/placement': 'shop' } },
  });
});

it('removed objects are watched for as long as the member may get them again', async () => {
  const world = await holding();
  await world.user('DELETE', path('a'));
  world.sim.setFaults([{ type: 'Latency', seconds: 10, verbs: ['patch'], ...always }]);
  await world.user('DELETE', path('b'));
  await world.pass(1);
  world.member.assign([], () => true);
  world.member.assign([], () => true);
  await world.pass(60);
  world.member.assign([], () => true);
  await world.pass(60);
  expect(await held(world)).toEqual([]);
  expect(world.observation()).toMatchObject({ complete: true, objects: [] });
});

/** A member after the removal of `web`, which the record has dropped since. */
async function removed(more: Parameters<typeof web>[0] = {}): Promise<World> {
  const { resourceSnapshotIndex: _index, digest: _digest, ...removal } = web({ remove: true, manifests: [], ...more });
  const world = await holding();
  world.member.assign([removal]);
  await world.pass(5);
  world.member.assign([], () => more.abandons !== true);
  await world.pass(5);
  return world;
}

/** As created by another daemon that has not read the removal. */
async function comesBack(world: World): Promise<void> {
  const [{ manifest }] = web().manifests as [{ manifest: object }];
  await world.user('POST', path('').slice(0, -1), manifest, 'gitfleet');
  await world.pass(2);
}

it('an object created again after its removal is removed again once the record confirmed it', async () => {
  const world = await removed();
  await comesBack(world);
  expect(await held(world)).toEqual(['a']);
  expect(world.conflict()).toBe(1);
  world.member.assign([], () => true);
  world.member.assign([], () => true);
  await world.pass(5);
  expect(await held(world)).toEqual([]);
  expect(world.reported).toEqual([
    'ConfigMap default/a of web exists again although it was removed: gitfleet removes it again',
  ]);
});

it('each time, until it has stayed away for ten minutes', async () => {
  const world = await removed();
  for (const seconds of [500, 500, 590]) {
    await world.pass(seconds);
    world.member.assign([], () => true);
    await comesBack(world);
    world.member.assign([], () => true);
    world.member.assign([], () => true);
    await world.pass(5);
    expect(await held(world)).toEqual([]);
  }
  await world.pass(600);
  world.member.assign([], () => true);
  await comesBack(world);
  world.member.assign([], () => true);
  world.member.assign([], () => true);
  await world.pass(5);
  expect(await held(world)).toEqual(['a']);
});

it('it stays once the record has the placement there again', async () => {
  const world = await removed();
  await comesBack(world);
  world.member.assign([web()]);
  world.member.assign([web()]);
  await world.pass(5);
  expect(await held(world)).toEqual(['a', 'b']);
});

it('objects of an abandoned placement that are created again stay', async () => {
  const world = await removed({ abandons: true });
  await comesBack(world);
  world.member.assign([], () => true);
  world.member.assign([], () => true);
  await world.pass(5);
  expect(await held(world)).toEqual(['a']);
});

it('an object that another placement selects is released instead of removed again', async () => {
  const world = await removed();
  const other = assignment('shop', [configMap('a')], { isPlaced: (label) => label === 'shop' });
  world.member.assign([other], ({ key }) => key === 'web');
  await world.pass(5);
  await world.user('DELETE', path('a'));
  await comesBack(world);
  for (let at = 0; at < 4; at++) {
    world.member.assign([other], ({ key }) => key === 'web');
    await world.pass(30);
  }
  expect(await world.user('GET', path('a'))).toMatchObject({
    metadata: { labels: { 'gitfleet.dev/placement': 'shop' } },
  });
});

import { expect, it } from 'vitest';
import { assignment, configMap, openWorld, type World } from '../../support/member-world.ts';

const path = '/api/v1/namespaces/default/configmaps/a';
const web = () => assignment('web', [configMap('a', { from: 'web' })]);
const other = () => assignment('other', [configMap('a', { from: 'other' })]);

const onMember = async (world: World) => {
  const { metadata, data } = (await world.user('GET', path)) as {
    metadata: { labels: Record<string, string> };
    data: { from: string };
  };
  return [metadata.labels['gitfleet.dev/placement'], data.from];
};
const reported = (world: World) =>
  Object.fromEntries(
    world
      .observation()
      .placements.map(({ placement, results }) => [placement.name, results.map(({ message }) => message)]),
  );
const refused = (by: string) => [`the object is already placed by ${by}: two placements may not share an object`];

it.each([
  ['web', 'other'],
  ['other', 'web'],
])('of two placements that create one object at once, %s is first and keeps it from %s', async (first, second) => {
  const world = await openWorld();
  const both = [web(), other()].sort((a) => (a.placement.name === first ? -1 : 1));
  world.member.assign(both);
  await world.pass(2);
  const expected = { [first]: [], [second]: refused(first) };
  expect([await onMember(world), reported(world)]).toEqual([[first, first], expected]);

  // It stays with the first one later, also after a deletion.
  await world.pass(60);
  await world.user('DELETE', path);
  await world.pass(600);
  expect([await onMember(world), reported(world)]).toEqual([[first, first], expected]);

  const alone = { ...both[1]!, isPlaced: (name: string) => name === second };
  for (const _pass of ['asks for the record to be read anew', 'may have read it before', 'has not']) {
    world.member.assign([alone]);
    // The longest back-off.
    await world.pass(300);
  }
  expect([await onMember(world), reported(world)]).toEqual([[second, second], { [second]: [] }]);
});

it('of two placements that find one object without owner only one takes it over', async () => {
  const world = await openWorld();
  await world.user('POST', '/api/v1/namespaces/default/configmaps', { ...configMap('a'), metadata: { name: 'a' } });
  world.member.assign([web(), other()]);
  await world.pass(2);
  expect([await onMember(world), reported(world)]).toEqual([['web', 'web'], { web: [], other: refused('web') }]);
});

it('an object of a placement that was added during an apply stays with that placement', async () => {
  const world = await openWorld();
  await world.user('POST', '/api/v1/namespaces/default/configmaps', configMap('a', { from: 'other' }));
  world.sim.setFaults([{ type: 'Latency', seconds: 10, verbs: ['patch'], fromSeconds: 0, probability: 1 }]);
  world.member.assign([{ ...web(), isPlaced: (label) => label === 'web' }]);
  await world.pass(5);
  await world.user('PUT', path, other().manifests[0]!.manifest);
  world.member.assign([web()]);
  await world.pass(30);
  expect([await onMember(world), reported(world)]).toEqual([['other', 'other'], { web: refused('other') }]);
});

it('an object that another daemon applied for an unknown placement stays with it until the record confirms that there is none', async () => {
  const world = await openWorld();
  const old = assignment('old', [configMap('a', { from: 'old' })]).manifests[0]!.manifest;
  await world.user('POST', '/api/v1/namespaces/default/configmaps', old);
  const mine = { ...web(), isPlaced: (label: string) => ['web', 'old'].includes(label) };
  world.member.assign([mine]);
  await world.pass(5);
  await world.user('PUT', path, other().manifests[0]!.manifest);
  await world.pass(60);
  expect([await onMember(world), world.conflict()]).toEqual([['other', 'other'], 1]);
  for (const _pass of ['may have read the record before', 'has not']) world.member.assign([mine]);
  await world.pass(600);
  expect([await onMember(world), reported(world)]).toEqual([['web', 'web'], { web: [] }]);
});

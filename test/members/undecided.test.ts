import { expect, it } from 'vitest';
import { assignment, configMap, openWorld } from '../support/member-world.ts';

it('an observation is not complete while the desired state of an object is unconfirmed', async () => {
  const world = await openWorld();
  const manifests = [configMap('a', { color: 'red' })];
  world.member.assign([assignment('web', manifests, { adopted: true })]);
  await world.pass(0.5);
  const reported = () => [world.observation().complete, world.observation().placements.map(({ done }) => done)];
  expect(reported()).toEqual([false, []]);
  world.member.assign([assignment('web', manifests)]);
  await world.pass(2);
  world.member.assign([assignment('web', manifests)]);
  await world.pass(2);
  world.member.assign([assignment('web', manifests)]);
  await world.pass(2);
  expect(reported()).toEqual([true, [true]]);
});

import { expect, it } from 'vitest';
import type { Manifest } from '../../src/api/meta.ts';
import { assignment, deployment, openWorld, type World } from '../support/member-world.ts';

/** As the simulator fails it. */
function failing(image: string, how: string | undefined): Manifest {
  const web = deployment('web', 2, image) as Manifest & { spec: { template: { metadata: object } } };
  const annotations = how === undefined ? {} : { 'simulator.gitfleet.dev/fail': how };
  return {
    ...web,
    spec: { ...web.spec, template: { ...web.spec.template, metadata: { labels: { app: 'web' }, annotations } } },
  };
}
const podReads = (world: World): number =>
  world.requests.filter(({ path }) => path.includes('/pods?labelSelector')).length;
const causes = (world: World) =>
  world.observation().podCauses?.map(({ object, cause }) => `${object.kind} ${object.name}: ${cause}`);

it('names what the pods of an unavailable Deployment wait for, by ever fewer reads, until it is available', async () => {
  const world = await openWorld({ readySeconds: { Deployment: 1, Pod: 1 } });
  world.member.assign([assignment('web', [failing('nginx:1.27', 'ImagePullBackOff')])]);
  await world.pass(30);
  expect(causes(world)).toEqual(['Deployment web: ImagePullBackOff nginx:1.27']);
  await world.pass(600);
  expect(podReads(world)).toBeLessThan(12);
  world.member.assign([assignment('web', [failing('nginx:1.28', undefined)], { resourceSnapshotIndex: 1 })]);
  await world.pass(60);
  expect(causes(world)).toBeUndefined();
  const before = podReads(world);
  await world.pass(600);
  expect(podReads(world)).toBe(before);
});

it('reads no pods of what becomes available soon, and none that may not be listed for long', async () => {
  const world = await openWorld({ readySeconds: { Deployment: 1, Pod: 1 } });
  world.member.assign([assignment('web', [failing('nginx:1.27', undefined)])]);
  await world.pass(60);
  expect([causes(world), podReads(world)]).toEqual([undefined, 0]);
  world.sim.setFaults([{ type: 'Forbidden', verbs: ['list'], resources: ['pods'], fromSeconds: 0, probability: 1 }]);
  world.member.assign([assignment('web', [failing('nginx:1.28', 'CrashLoopBackOff')], { resourceSnapshotIndex: 1 })]);
  await world.pass(60);
  expect(causes(world)).toBeUndefined();
  world.sim.setFaults([]);
  await world.pass(120);
  expect(causes(world)).toEqual(['Deployment web: CrashLoopBackOff nginx:1.28']);
});

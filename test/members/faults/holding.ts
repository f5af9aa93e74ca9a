import { assignment, configMap, openWorld, type World } from '../../support/member-world.ts';

/** The ConfigMap that `holding` has applied. */
export const a = '/api/v1/namespaces/default/configmaps/a';
export const dataOf = async (world: World, path = a): Promise<unknown> => (await world.user('GET', path))['data'];
/** Of a fault. */
export const always = { fromSeconds: 0, probability: 1 } as const;

/** A member with its assignment applied; the requests so far are dropped. */
export async function holding(manifests = [configMap('a', { color: 'red' })], spec: object = {}): Promise<World> {
  const world = await openWorld(spec);
  world.member.assign([assignment('web', manifests)]);
  await world.pass(1);
  world.sent();
  world.reported.length = 0;
  return world;
}

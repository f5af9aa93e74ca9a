import { assignment, configMap, openWorld, type World } from '../../support/member-world.ts';

/** The ConfigMap that `holding` has delivered. */
export const a = '/api/v1/namespaces/default/configmaps/a';
export const dataOf = async (world: World, path = a): Promise<unknown> => (await world.user('GET', path))['data'];
/** Of a fault. */
export const always = { fromSeconds: 0, probability: 1 } as const;

/** A member that holds what was assigned; what it was sent for that is forgotten. */
export async function holding(manifests = [configMap('a', { color: 'red' })], spec: object = {}): Promise<World> {
  const world = await openWorld(spec);
  world.member.assign([assignment('web', manifests)]);
  await world.pass(1);
  world.sent();
  world.said.length = 0;
  return world;
}

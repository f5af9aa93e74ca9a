import { assignment, configMap, deployment, openWorld, type World } from '../../../support/member-world.ts';

/** The ConfigMap that `holding` has applied. */
export const path = '/api/v1/namespaces/default/configmaps/a';
export const dataOf = async (world: World): Promise<unknown> => (await world.user('GET', path))['data'];

/** A member with a ConfigMap and a Deployment; the requests so far are dropped. */
export async function holding(more: Parameters<typeof assignment>[2] = {}): Promise<World> {
  const world = await openWorld();
  world.member.assign([assignment('web', [configMap('a', { color: 'red' }), deployment('web')], more)]);
  await world.pass(1);
  world.sent();
  return world;
}

import type { App } from './desired.ts';
import { serveGadgets, stuck } from './user-fixes.ts';
import type { World } from './world.ts';

export type Act = (world: World) => Promise<void> | void;

export const anApp = ({ desired, dice }: World): App => dice.pick([...desired.apps.values()]);
export const aCluster = ({ desired, dice }: World): string => dice.pick([...desired.clusters.keys()]);
export const pathOf = (app: string, rest = ''): string => `/apis/apps/v1/namespaces/${app}/deployments${rest}`;

/** What wide seeds draw besides. With how often. */
export const moreActs: readonly (readonly [weight: number, act: Act])[] = [
  [3, otherSelector],
  [2, giveUp],
  [2, installKind],
  [2, stickNamespace],
  [2, lie],
  [3, quota],
  [2, forgetLists],
];

/** A change that no API server lets through where the Deployment is. */
function otherSelector(world: World): void {
  const app = anApp(world);
  if (app.external) return;
  app.version++;
  app.selector = app.selector === 'web' ? 'other' : 'web';
  world.commit(`${app.name} becomes version ${app.version}, with another selector`);
}

/** One of two placements that ask for the same thing no longer does. */
function giveUp(world: World): void {
  const app = anApp(world);
  if (!app.shared) return;
  app.shared = false;
  world.commit(`${app.name} no longer asks for what others ask for, too`);
}

async function installKind(world: World): Promise<void> {
  const cluster = aCluster(world);
  await serveGadgets(world, cluster);
  world.tell(`${cluster} serves gadgets`);
}

/** A namespace that is removed stays, with an object whose finalizer nobody serves. */
async function stickNamespace(world: World): Promise<void> {
  const { fleet, safety } = world;
  const [cluster, app] = [aCluster(world), anApp(world)];
  if (!fleet.stored(cluster, '/namespaces', '', app.name)) return;
  const metadata = { name: 'stuck', namespace: app.name, finalizers: [stuck] };
  const { status } = await fleet.ask(cluster, 'POST', `/api/v1/namespaces/${app.name}/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
  });
  if (status !== 201) return;
  safety.made(`${cluster}/${app.name}/stuck`);
  safety.removedByPerson(cluster, app.name);
  world.tell(`somebody removes the namespace ${app.name} on ${cluster}, which stays half removed`);
  await fleet.ask(cluster, 'DELETE', `/api/v1/namespaces/${app.name}`);
}

/** The member says of a Deployment that it has seen a generation that is not there yet, or none of the last. */
async function lie(world: World): Promise<void> {
  const { dice, fleet } = world;
  const [cluster, app] = [aCluster(world), anApp(world)];
  const live = fleet.stored(cluster, 'apps/deployments', app.name, 'web');
  if (!live) return;
  const observedGeneration = dice.pick([0, (live.metadata.generation ?? 0) + 5]);
  const body = { status: { observedGeneration } };
  await fleet.ask(cluster, 'PATCH', pathOf(app.name, '/web/status'), body, 'application/merge-patch+json');
  world.tell(`${cluster} says that ${app.name} is at generation ${observedGeneration}`);
}

function quota(world: World): void {
  const cluster = aCluster(world);
  const seconds = world.dice.int(20, 200);
  const message = 'exceeded quota: compute, requested: pods=1, used: pods=9, limited: pods=9';
  const fault = { type: 'DenyAdmission', message, untilSeconds: seconds, resources: ['deployments.apps'] };
  world.fleet.fault(cluster, fault);
  world.tell(`${cluster} has no room for ${seconds} s`);
}

function forgetLists(world: World): void {
  const { lists, dice, fleet } = world;
  if (lists.size === undefined || lists.expire) return;
  const seconds = dice.int(5, 60);
  lists.expire = true;
  fleet.clock.after(seconds * 1000, () => {
    lists.expire = false;
  });
  world.tell(`lists that were begun are forgotten for ${seconds} s`);
}

import { placementLabel } from '../../src/engine/overrides/ownership.ts';
import type { Stored } from '../../src/simulator/object.ts';
import { crdPath, customDefinition } from '../support/custom-definition.ts';
import type { World } from './world.ts';

/** A user installs the CRD of gadgets on a cluster. */
export async function serveGadgets({ fleet }: World, cluster: string): Promise<void> {
  await fleet.ask(cluster, 'POST', crdPath, customDefinition('Gadget'));
}

/** A finalizer without a controller. */
export const stuck = 'team.example.com/stuck';

/**
 * Fixes that only users can make on clusters when all faults are over: missing kinds, finalizers without a controller,
 * Deployments with an outdated immutable selector, and false generations. True where something was removed, whose effect
 * is still to be observed.
 */
export async function fixClusters(world: World): Promise<boolean> {
  const { desired, fleet, safety } = world;
  let removed = false;
  if (!desired.wide) return removed;
  for (const [cluster, member] of fleet.members) {
    await serveGadgets(world, cluster);
    for (const { metadata } of member.cluster.store.list('/configmaps')) {
      if (metadata.finalizers?.includes(stuck) !== true) continue;
      const path = `/api/v1/namespaces/${metadata.namespace}/configmaps/${metadata.name}`;
      await fleet.ask(cluster, 'PATCH', path, { metadata: { finalizers: null } }, 'application/merge-patch+json');
    }
    for (const app of desired.apps.values()) {
      const live = fleet.stored(cluster, 'apps/deployments', app.name, 'web');
      if (live === undefined) continue;
      await tellTruth(world, { cluster, app: app.name, live });
      if (selectorOf(live) === app.selector) continue;
      safety.removedByPerson(cluster, app.name, 'web');
      await fleet.ask(cluster, 'DELETE', `/apis/apps/v1/namespaces/${app.name}/deployments/web`);
      removed = true;
    }
  }
  return removed;
}

/**
 * The end of a run waits for a cluster that its app cannot leave wholly: people take away what is theirs there, and what they
 * took our label off.
 */
export async function makeWay({ desired, fleet, safety, daemons }: World): Promise<void> {
  const last = daemons.at(0)?.passes.at(-1);
  if (!desired.ample || last === undefined || last.kind === 'moved') return;
  for (const { reason, subject } of last.plan.holds) {
    const { name: app, clusterName: cluster } = subject;
    if (reason !== 'ContainsForeignObjects' || cluster === undefined || !desired.apps.get(app)?.external) continue;
    for (const key of [...safety.foreign].filter((it) => it.startsWith(`${cluster}/${app}/`))) {
      const name = key.slice(`${cluster}/${app}/`.length);
      safety.removedByPerson(cluster, app, name);
      await fleet.ask(cluster, 'DELETE', `/api/v1/namespaces/${app}/configmaps/${name}`);
    }
    const web = fleet.stored(cluster, 'apps/deployments', app, 'web');
    if (web === undefined || web.metadata.labels?.[placementLabel] === app) continue;
    safety.removedByPerson(cluster, app, 'web');
    await fleet.ask(cluster, 'DELETE', `/apis/apps/v1/namespaces/${app}/deployments/web`);
  }
}

/** The controller says anew what it has seen. */
async function tellTruth(
  { fleet }: World,
  { cluster, app, live }: { readonly cluster: string; readonly app: string; readonly live: Stored },
): Promise<void> {
  const observedGeneration = live.metadata.generation;
  if ((live as { status?: { observedGeneration?: number } }).status?.observedGeneration === observedGeneration) return;
  const path = `/apis/apps/v1/namespaces/${app}/deployments/web/status`;
  await fleet.ask(cluster, 'PATCH', path, { status: { observedGeneration } }, 'application/merge-patch+json');
}

const selectorOf = (deployment: object): string | undefined =>
  (deployment as { spec?: { selector?: { matchLabels?: { app?: string } } } }).spec?.selector?.matchLabels?.app;

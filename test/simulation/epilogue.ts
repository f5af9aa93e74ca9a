import type { Placement } from '../../src/api/placement.ts';
import type { App } from './desired.ts';
import { unsettled } from './liveness.ts';
import { pathOf } from './more-acts.ts';
import { parsed } from './parsed.ts';
import { versionOf } from './safety.ts';
import type { World } from './world.ts';

/** A person's change is told, and another's apply strategy acted on, within the longest back-off and a push. */
const longestSeconds = 400;

/**
 * A fleet at rest, with an app that is only to be compared or left as it is: what a person changes there stays, and the
 * status says so; and when it is to be applied again it is repaired.
 */
export async function epilogue(world: World): Promise<string[]> {
  const { desired, dice, fleet } = world;
  const apps = [...desired.apps.values()].filter((app) => !app.external);
  const places = apps.flatMap((app) => placesOf(world, app).map((cluster) => ({ app, cluster })));
  if (places.length === 0) return [];
  const { app, cluster } = dice.pick(places);
  app.apply = dice.pick(['reportDiff', 'ifNotDrifted'] as const);
  world.commit(`${app.name} is to be applied: ${app.apply}`);
  await fleet.run(60);
  world.tell(`somebody edits ${app.name} on ${cluster}`);
  const body = { spec: { template: { spec: { containers: [{ name: 'main', image: 'somebody:1' }] } } } };
  await fleet.ask(cluster, 'PATCH', pathOf(app.name, '/web'), body, 'application/strategic-merge-patch+json');
  await fleet.run(longestSeconds);
  const left: string[] = [];
  const live = fleet.stored(cluster, 'apps/deployments', app.name, 'web');
  if (live && versionOf(live) !== undefined) left.push(`what a person made of ${app.name} on ${cluster} did not stay`);
  if (!isTold(world, app, cluster)) left.push(`the status of ${app.name} does not tell what differs on ${cluster}`);
  app.apply = 'always';
  world.commit(`${app.name} is to be applied again`);
  await fleet.run(longestSeconds);
  return [...left, ...unsettled(world)];
}

/** Where it is, ours, and as it should be: what waits with something older goes on as soon as it is not well. */
const placesOf = ({ desired, fleet, daemons }: World, app: App): string[] =>
  [...desired.clusters.keys()].filter((cluster) => {
    const live = fleet.stored(cluster, 'apps/deployments', app.name, 'web');
    if (live?.metadata.labels?.['gitfleet.dev/placement'] !== app.name) return false;
    const bindings = daemons[0]?.plan().placements.find(({ name }) => name === app.name)?.bindings ?? [];
    const here = bindings.filter(({ clusterName }) => clusterName === cluster);
    const isWell = here[0]?.conditions.some(({ type, status }) => type === 'Available' && status === 'True') === true;
    return here.length === 1 && here[0]?.move === 'keep' && isWell && versionOf(live) === app.version;
  });

function isTold({ record }: World, app: App, cluster: string): boolean {
  const { status } = parsed(record.file(`placements/${app.name}/status.yaml`) ?? '{}') as Partial<Placement>;
  const of = status?.placementStatuses?.find(({ clusterName }) => clusterName === cluster);
  const details =
    app.apply === 'reportDiff'
      ? of?.diffedPlacements?.flatMap(({ observedDiffs }) => observedDiffs ?? [])
      : of?.driftedPlacements?.flatMap(({ observedDrifts }) => observedDrifts ?? []);
  return details?.some(({ valueInMember }) => valueInMember?.includes('somebody:1')) ?? false;
}

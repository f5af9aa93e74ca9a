import { isDeepStrictEqual } from 'node:util';
import { unfinished } from '../../src/cli/demo/settled.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import type { App } from './desired.ts';
import { parsed } from './parsed.ts';
import { isAvailable, mostDown, tunedOf, versionOf } from './safety.ts';
import { waitsForRemoval as waitsForEver } from './waits.ts';
import type { World } from './world.ts';

/** What is still not as people want it, in words; empty when everything has converged. */
export function unsettled(world: World): string[] {
  if (world.daemons.length === 0) return ['no daemon runs'];
  return world.daemons.flatMap((daemon) => {
    const last = daemon.passes.at(-1);
    if (last === undefined || last.kind === 'moved') return ['no plan yet'];
    if (last.kind === 'gathering') return ['not published'];
    if (last.kind === 'refused') return [`refused: ${last.plan.guard.map(({ message }) => message).join('; ')}`];
    if (last.plan.commit !== world.fleet.repo.tip('main')) return [`planned for ${last.plan.commit}`];
    const trouble = daemon.daemon.notReady();
    return [
      ...(trouble === undefined ? [] : [trouble]),
      ...unfinished(last.plan).filter((text) => !isHeld(world, last.plan, text)),
      ...wrong(world, last.plan),
    ];
  });
}

/** A namespace with objects of other people in it is not removed before they are gone. */
const isHeld = (world: World, plan: Plan, text: string): boolean => {
  const [, late, where] = /^(\S+) on (\S+) is not available$/.exec(text) ?? [];
  if (late !== undefined && where !== undefined) return waitsForAnother(world, plan, late, where);
  const [, app, cluster] = /^(\S+) on (\S+): (?:remove|wait)$/.exec(text) ?? [];
  if (app === undefined || cluster === undefined) return false;
  return holdsOthers(world, cluster, app) || waitsForRemoval(world, plan, app, cluster);
};

/** Whether the app waits there for a removal that cannot end. */
function waitsForRemoval(world: World, { holds, placements }: Plan, name: string, cluster: string): boolean {
  const app = world.desired.apps.get(name);
  // Nobody waits for long for one that people have dropped: it goes.
  if (!app) return false;
  const picked = placements.find((it) => it.name === name)?.decisions.filter(({ selected }) => selected) ?? [];
  return waitsForEver(
    {
      holds: holds.filter(({ subject }) => subject.name === name),
      maxSurge: app.maxSurge,
      // What a cluster that left was left with serves nobody: its binding is gone.
      on: new Set([...world.desired.clusters.keys()].filter((it) => isOn(world, it, name))),
      least: picked.length - mostDown(app, picked.length),
      holdsOthers: (it) => holdsOthers(world, it, name),
    },
    cluster,
  );
}

const isOn = ({ fleet }: World, cluster: string, app: string): boolean =>
  fleet.stored(cluster, 'apps/deployments', app, 'web') !== undefined;

/** Another app has what several ask for, and waits there itself before it comes to the version that does not. */
function waitsForAnother(world: World, plan: Plan, app: string, cluster: string): boolean {
  if (world.desired.apps.get(app)?.shared !== true) return false;
  const holder = holderOfShared(world, cluster);
  return holder !== undefined && holder !== app && waitsForRemoval(world, plan, holder, cluster);
}

const holderOfShared = ({ fleet }: World, cluster: string): string | undefined =>
  fleet.stored(cluster, 'rbac.authorization.k8s.io/clusterroles', '', 'shared')?.metadata.labels?.[placementLabel];

/** What people made, and what they took our label off: that is no longer ours to remove. */
const holdsOthers = ({ safety, fleet }: World, cluster: string, app: string): boolean => {
  const web = fleet.stored(cluster, 'apps/deployments', app, 'web');
  const isLetGo = web !== undefined && web.metadata.labels?.[placementLabel] !== app;
  return isLetGo || [...safety.foreign].some((key) => key.startsWith(`${cluster}/${app}/`));
};

const placementLabel = 'gitfleet.dev/placement';

/** What members hold against what people wrote; of the plan only which clusters were picked is believed. */
function wrong(world: World, plan: Plan): string[] {
  const { desired, fleet } = world;
  const left: string[] = [];
  for (const app of desired.apps.values()) {
    const placement = plan.placements.find(({ name }) => name === app.name);
    const picked = new Set(
      (placement?.decisions ?? []).filter(({ selected }) => selected).map((one) => one.clusterName),
    );
    left.push(...badPicks(world, app.name, picked));
    for (const cluster of desired.clusters.keys()) {
      const live = fleet.stored(cluster, 'apps/deployments', app.name, 'web');
      const at = `${app.name} on ${cluster}`;
      const waits = () => waitsForRemoval(world, plan, app.name, cluster);
      if (!picked.has(cluster)) {
        // What a cluster held that could not be looked at when the record was rebuilt is left alone, too.
        const isTheirs = live?.metadata.labels?.[placementLabel] !== app.name;
        if (live && !isTheirs && !desired.left.has(cluster) && !world.recordLost) left.push(`${at} is still there`);
      } else if (!live) {
        if (!waits()) left.push(`${at} is missing`);
      } else if (versionOf(live) !== app.version) {
        if (!waits()) left.push(`${at} has version ${versionOf(live)}, not ${app.version}`);
      } else if ((live as { spec?: { replicas?: number } }).spec?.replicas !== app.replicas)
        left.push(`${at} has another number of replicas`);
      else if (!isAvailable(live)) left.push(`${at} is not available`);
      else if (!waits()) left.push(...wrongBesides(world, plan, app, cluster));
    }
  }
  return [...left, ...leftovers(world), ...wrongTeam(world)];
}

/** What a ResourcePlacement brings is wherever the namespace is that a placement brings by itself. */
const wrongTeam = ({ desired, fleet }: World): string[] =>
  [...desired.clusters.keys()].flatMap((cluster) => {
    if (!desired.gates) return [];
    const settings = fleet.stored(cluster, '/configmaps', 'team', 'settings') as Settings | undefined;
    const version = settings?.data?.version;
    return version === String(desired.gates.team) ? [] : [`the team has version ${version} on ${cluster}`];
  });

interface Settings {
  readonly data?: { readonly version?: string };
}

/** Where its Deployment is as it should be. */
function wrongBesides(world: World, plan: Plan, app: App, cluster: string): string[] {
  const { desired, fleet, record } = world;
  const at = `${app.name} on ${cluster}`;
  const left: string[] = [];
  const live = fleet.stored(cluster, 'apps/deployments', app.name, 'web')!;
  const tuned = desired.clusters.get(cluster)?.env === 'prod' ? app.tuned : undefined;
  if (tunedOf(live) !== tuned?.toString()) left.push(`${at} has override ${tunedOf(live)}, not ${tuned}`);
  if (app.configMap && !fleet.stored(cluster, '/configmaps', app.name, 'settings'))
    left.push(`the settings of ${at} are missing`);
  const gadget = fleet.stored(cluster, 'example.com/gadgets', app.name, 'gadget') as Gadget | undefined;
  if (app.gadget && gadget?.spec?.version !== app.version) left.push(`the gadget of ${at} is ${gadget?.spec?.version}`);
  const isOwn = !app.shared || holderOfShared(world, cluster) === app.name;
  if (!isOwn && !waitsForAnother(world, plan, app.name, cluster))
    left.push(`what ${at} asked for as the last is not its own`);
  const mirrored = parsed(record.file(`placements/${app.name}/mirrored/${cluster}.yaml`) ?? '{}') as Mirrored;
  const told = mirrored.objects?.find(({ kind }) => kind === 'Deployment')?.status;
  if (!isDeepStrictEqual(told, app.mirrors ? (live as { status?: unknown }).status : undefined))
    left.push(`the status of ${at} is told as ${JSON.stringify(told)}`);
  return left;
}

interface Gadget {
  readonly spec?: { readonly version?: number };
}

interface Mirrored {
  readonly objects?: readonly { readonly kind: string; readonly status: unknown }[];
}

function badPicks({ desired }: World, name: string, picked: ReadonlySet<string>): string[] {
  const { policy } = desired.apps.get(name)!;
  switch (policy.kind) {
    case 'PickN': {
      const free = [...desired.clusters].filter(([, { tainted }]) => !tainted).length;
      const least = Math.min(policy.count, free);
      return picked.size >= least && picked.size <= policy.count
        ? []
        : [`${name} is on ${picked.size} clusters, not ${policy.count}`];
    }
    case 'PickFixed': {
      const missing = policy.clusters.filter((cluster) => desired.clusters.has(cluster) && !picked.has(cluster));
      return missing.length === 0 ? [] : [`${name} is not on ${missing.join(', ')}`];
    }
    case 'PickAll': {
      const missing = [...desired.clusters].filter(
        ([cluster, { env, tainted }]) => !tainted && (policy.env ?? env) === env && !picked.has(cluster),
      );
      return missing.length === 0 ? [] : [`${name} is not on ${missing.map(([cluster]) => cluster).join(', ')}`];
    }
  }
}

/**
 * Namespaces of apps that nobody wants any more, unless they hold what is not ours. Of an app that was dropped when nobody
 * remembered it everything is left alone, as it may be another fleet's.
 */
function leftovers(world: World): string[] {
  const { desired, fleet, recordLost } = world;
  if (recordLost) return [];
  const stayed = [...desired.clusters.keys()].filter((cluster) => !desired.left.has(cluster));
  return stayed.flatMap((cluster) =>
    fleet.members
      .get(cluster)!
      .cluster.store.list('/namespaces')
      .map(({ metadata }) => metadata.name)
      .filter((name) => /^app\d+$/.test(name) && !desired.apps.has(name) && !desired.abandoned.has(name))
      .filter((name) => !holdsOthers(world, cluster, name))
      .map((name) => `the namespace ${name} is still on ${cluster}`),
  );
}

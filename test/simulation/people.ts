import { ampleActs } from './ample-acts.ts';
import { addApp, addRun } from './desired.ts';
import { gateActs } from './gate-acts.ts';
import { type Act, aCluster, anApp, moreActs, pathOf } from './more-acts.ts';
import { foreignNote, versionOf } from './safety.ts';
import type { World } from './world.ts';

/** What happens around a daemon: people change their minds, other people meddle, things break. With how often. */
const acts: readonly (readonly [weight: number, act: Act])[] = [
  [14, newVersion],
  [3, failingVersion],
  [3, otherCount],
  [3, relabel],
  [2, taint],
  [2, clusterLeaves],
  [3, clusterJoins],
  [2, newApp],
  [2, dropApp],
  [3, breakFile],
  [3, repairFiles],
  [6, edit],
  [4, remove],
  [2, removeNamespace],
  [4, makeForeign],
  [2, annotate],
  [14, memberFault],
  [2, replaceMember],
  [6, gitFault],
  [8, (world) => world.killSoon()],
  [2, (world) => void (world.daemons.length < 2 && world.start())],
  [2, (world) => world.stopOne()],
  [2, deleteStatus],
];

export async function act(world: World): Promise<void> {
  const { wide, ample, gates } = world.desired;
  const possible = [...acts, ...(wide ? moreActs : []), ...(ample ? ampleActs : []), ...(gates ? gateActs : [])];
  let left = world.dice.next() * possible.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, one] of possible) {
    left -= weight;
    if (left < 0) return one(world);
  }
}

function newVersion(world: World): void {
  const app = anApp(world);
  if (app.external && !world.allRunsOver(app.name)) return;
  app.version++;
  app.failing = false;
  app.selector = 'web';
  if (app.external) addRun(world.desired, app);
  world.commit(`${app.name} becomes version ${app.version}`);
}

function failingVersion(world: World): void {
  const app = anApp(world);
  if (app.external) return;
  app.version++;
  app.failing = true;
  world.commit(`${app.name} becomes version ${app.version}, which never gets ready`);
}

function otherCount(world: World): void {
  const app = anApp(world);
  if (app.policy.kind !== 'PickN') return;
  app.policy = { kind: 'PickN', count: world.dice.int(1, world.desired.clusters.size) };
  world.commit(`${app.name} wants ${app.policy.count} clusters`);
}

function relabel(world: World): void {
  if ([...world.desired.apps.values()].some(({ external }) => external)) return;
  const name = aCluster(world);
  const cluster = world.desired.clusters.get(name)!;
  cluster.env = cluster.env === 'dev' ? 'prod' : 'dev';
  world.commit(`${name} is ${cluster.env} now`);
}

function taint(world: World): void {
  const name = aCluster(world);
  const cluster = world.desired.clusters.get(name)!;
  cluster.tainted = !cluster.tainted;
  world.commit(`${name} is ${cluster.tainted ? '' : 'no longer '}tainted`);
}

function clusterLeaves(world: World): void {
  if (world.desired.clusters.size < 2) return;
  const name = aCluster(world);
  world.desired.clusters.delete(name);
  world.desired.left.add(name);
  world.commit(`${name} leaves the fleet`);
}

async function clusterJoins(world: World): Promise<void> {
  const { desired, dice } = world;
  if (desired.clusters.size >= 5) return;
  const free = [0, 1, 2, 3, 4].map((at) => `c${at}`).find((name) => !desired.clusters.has(name))!;
  // One that left keeps what it holds and may come back.
  if (!world.fleet.members.has(free)) await world.join(free);
  desired.clusters.set(free, { env: dice.pick(['dev', 'prod']), tainted: false });
  world.commit(`${free} joins the fleet`);
}

function newApp(world: World): void {
  if (world.desired.apps.size >= 3) return;
  const app = addApp(world.desired, world.dice);
  world.commit(`${app.name} is new`);
}

function dropApp(world: World): void {
  if (world.desired.apps.size < 2) return;
  const app = anApp(world);
  world.safety.dropped(app);
  if (app.abandons) world.desired.abandoned.add(app.name);
  world.desired.apps.delete(app.name);
  world.commit(`${app.name} is dropped`);
}

function breakFile(world: World): void {
  const app = anApp(world);
  const path = `${world.dice.pick(['placements', 'resources'])}/${app.name}.yaml`;
  world.desired.broken.add(path);
  world.commit(`${path} is broken`);
}

function repairFiles(world: World): void {
  if (world.desired.broken.size === 0) return;
  world.desired.broken.clear();
  world.commit('broken files are repaired');
}

async function edit(world: World): Promise<void> {
  const { dice, fleet } = world;
  const [cluster, app] = [aCluster(world), anApp(world)];
  if (!fleet.stored(cluster, 'apps/deployments', app.name, 'web')) return;
  const body = dice.pick([
    { spec: { replicas: 3 } },
    { spec: { template: { spec: { containers: [{ name: 'main', image: 'somebody:1' }] } } } },
    { metadata: { labels: { 'gitfleet.dev/placement': null } } },
  ]);
  world.tell(`somebody edits ${app.name} on ${cluster}: ${JSON.stringify(body)}`);
  await fleet.ask(cluster, 'PATCH', pathOf(app.name, '/web'), body, 'application/strategic-merge-patch+json');
}

async function remove(world: World): Promise<void> {
  const [cluster, app] = [aCluster(world), anApp(world)];
  if (!world.fleet.stored(cluster, 'apps/deployments', app.name, 'web')) return;
  world.safety.removedByPerson(cluster, app.name, 'web');
  world.tell(`somebody removes ${app.name} on ${cluster}`);
  await world.fleet.ask(cluster, 'DELETE', pathOf(app.name, '/web'));
}

async function removeNamespace(world: World): Promise<void> {
  const [cluster, app] = [aCluster(world), anApp(world)];
  if (!world.fleet.stored(cluster, '/namespaces', '', app.name)) return;
  world.safety.removedByPerson(cluster, app.name);
  world.tell(`somebody removes the namespace ${app.name} on ${cluster}`);
  await world.fleet.ask(cluster, 'DELETE', `/api/v1/namespaces/${app.name}`);
}

async function makeForeign(world: World): Promise<void> {
  const { dice, fleet, safety } = world;
  const cluster = aCluster(world);
  const namespace = dice.chance(0.5) ? anApp(world).name : 'default';
  const name = `theirs-${dice.int(1, 9)}`;
  // They copied a manifest together with our label, but nothing of ours ever listed it.
  const labels = dice.chance(0.3) ? { 'gitfleet.dev/placement': anApp(world).name } : {};
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data: { by: 'them' } };
  const { status } = await fleet.ask(cluster, 'POST', `/api/v1/namespaces/${namespace}/configmaps`, object);
  if (status !== 201) return;
  safety.made(`${cluster}/${namespace}/${name}`);
  world.tell(`somebody makes ${name} in ${namespace} on ${cluster}`);
}

async function annotate(world: World): Promise<void> {
  const [cluster, app] = [aCluster(world), anApp(world)];
  const live = world.fleet.stored(cluster, 'apps/deployments', app.name, 'web');
  if (!live || versionOf(live) === undefined) return;
  const body = { metadata: { annotations: { [foreignNote]: 'keep me' } } };
  await world.fleet.ask(cluster, 'PATCH', pathOf(app.name, '/web'), body, 'application/merge-patch+json');
  world.tell(`somebody annotates ${app.name} on ${cluster}`);
}

function memberFault(world: World): void {
  const { dice } = world;
  const cluster = aCluster(world);
  const fault = dice.pick<Record<string, unknown>>([
    { type: 'Unreachable' },
    { type: 'Hang' },
    { type: 'Latency', seconds: dice.int(1, 40) },
    { type: 'SlowBody', seconds: dice.int(1, 20) },
    { type: 'TooManyRequests', retryAfterSeconds: dice.int(0, 20) },
    { type: 'ServerError', status: dice.pick([500, 503]) },
    { type: 'Unauthorized' },
    { type: 'Forbidden' },
    { type: 'Forbidden', verbs: [dice.pick(['list', 'watch', 'patch', 'delete', 'get'])] },
    { type: 'DenyAdmission' },
    { type: 'Reset' },
    { type: 'SilentWatch' },
    { type: 'StaleRead', seconds: dice.int(1, 60) },
  ]);
  const seconds = dice.int(5, 200);
  const whole = { ...fault, untilSeconds: seconds, probability: dice.pick([1, 1, 0.5, 0.2]) };
  world.fleet.fault(cluster, whole);
  world.safety.troubled(cluster, seconds);
  world.tell(`${cluster} has trouble: ${JSON.stringify(whole)}`);
}

async function replaceMember(world: World): Promise<void> {
  const cluster = aCluster(world);
  await world.join(cluster);
  world.tell(`${cluster} is replaced by an empty cluster`);
}

function gitFault(world: World): void {
  const { dice, fleet } = world;
  if (!world.remote) return;
  // In wide seeds some daemons may be cut off while others are not.
  const all = world.gits();
  const gits = all.length > 1 && dice.chance(0.5) ? [dice.pick(all)] : all;
  const [git] = gits;
  if (!git) return;
  const seconds = dice.int(5, 120);
  switch (dice.pick(['down', 'refusals', 'lostAnswers', 'delay'] as const)) {
    case 'down':
      for (const each of gits) each.down = true;
      fleet.clock.after(seconds * 1000, () => {
        for (const each of gits) each.down = false;
      });
      world.tell(`the git server is down for ${seconds} s${gits.length < all.length ? ' for one daemon' : ''}`);
      break;
    case 'refusals':
      git.refusals = dice.int(1, 4);
      world.tell(`a hook refuses ${git.refusals} pushes`);
      break;
    case 'lostAnswers':
      git.lostAnswers = dice.int(1, 2);
      world.tell(`the answer to ${git.lostAnswers} pushes is lost`);
      break;
    case 'delay':
      git.delayMs = dice.int(100, 5_000);
      world.tell(`git takes ${git.delayMs} ms`);
  }
}

function deleteStatus(world: World): void {
  if (!world.fleet.repo.refs.delete('refs/heads/fleet-status')) return;
  world.recordLost = true;
  world.record.lost();
  world.tell('somebody deletes the status branch');
}

import { drawBudget } from './desired.ts';
import { type Act, aCluster, anApp } from './more-acts.ts';
import type { World } from './world.ts';

/** What ample seeds draw besides: what people ask of a fleet beyond new versions. With how often. */
export const ampleActs: readonly (readonly [weight: number, act: Act])[] = [
  [5, tune],
  [4, suspend],
  [4, otherApply],
  [7, evict],
  [4, drain],
  [3, uncordon],
  [3, otherBudget],
  [3, otherList],
  [2, tidyEvictions],
];

/** An override comes, changes or goes. */
function tune(world: World): void {
  const app = anApp(world);
  app.tuned = world.dice.chance(0.25) ? undefined : (app.tuned ?? 0) + 1;
  world.commit(`${app.name} is ${app.tuned === undefined ? 'no longer overridden' : `overridden with ${app.tuned}`}`);
}

function suspend(world: World): void {
  const app = anApp(world);
  app.suspended = !app.suspended;
  world.commit(`${app.name} is ${app.suspended ? 'suspended' : 'resumed'}`);
}

/** A staged run ends when this changes under it. */
function otherApply(world: World): void {
  const app = anApp(world);
  if (app.external) return;
  app.apply = world.dice.pick((['always', 'ifNotDrifted', 'reportDiff'] as const).filter((it) => it !== app.apply));
  world.commit(`${app.name} is to be applied: ${app.apply}`);
}

function evict(world: World): void {
  const app = anApp(world);
  if (app.policy.kind === 'PickFixed') return;
  const cluster = aCluster(world);
  addEviction(world, app.name, cluster);
  world.commit(`${app.name} is evicted from ${cluster}`);
}

function drain(world: World): void {
  const name = aCluster(world);
  const cluster = world.desired.clusters.get(name)!;
  if (cluster.tainted) return;
  cluster.tainted = true;
  for (const app of world.desired.apps.values())
    if (app.policy.kind !== 'PickFixed' && world.record.bound(app.name).includes(name))
      addEviction(world, app.name, name);
  world.commit(`${name} is drained`);
}

function uncordon(world: World): void {
  const tainted = [...world.desired.clusters].filter(([, cluster]) => cluster.tainted);
  if (tainted.length === 0) return;
  const [name, cluster] = world.dice.pick(tainted);
  cluster.tainted = false;
  world.commit(`${name} is uncordoned`);
}

function otherBudget(world: World): void {
  const { dice } = world;
  const app = anApp(world);
  app.budget = dice.chance(0.3) ? undefined : drawBudget(dice);
  const required = app.budget
    ? `${app.budget.minAvailable} available${app.budget.inRollouts ? ', always' : ''}`
    : 'nothing';
  world.commit(`the budget of ${app.name} requires ${required}`);
}

function otherList(world: World): void {
  const { desired, dice } = world;
  const app = anApp(world);
  if (app.policy.kind !== 'PickFixed') return;
  app.policy = { kind: 'PickFixed', clusters: dice.some([...desired.clusters.keys()], 0.6) };
  world.commit(`${app.name} is to be on ${app.policy.clusters.join(', ') || 'no cluster'}`);
}

/** What was carried out stands on the status branch. */
function tidyEvictions(world: World): void {
  if (world.desired.evictions.size === 0) return;
  world.desired.evictions.clear();
  world.commit('files of evictions are removed');
}

/** A name is used once: of an eviction that was carried out the result stands. */
function addEviction({ desired }: World, app: string, cluster: string): void {
  desired.evictions.set(`evict-${app}-${cluster}-${desired.evicted++}`, { app, cluster });
}

import type { Breadth } from './desired.ts';
import { dice } from './dice.ts';
import { epilogue } from './epilogue.ts';
import { unsettled } from './liveness.ts';
import { act } from './people.ts';
import { fixClusters, makeWay } from './user-fixes.ts';
import { type Sabotage, World } from './world.ts';

export interface Outcome {
  /** Rules that were broken, and what had not converged; empty when all is well. */
  readonly broken: readonly string[];
  readonly story: readonly string[];
}

/** Seeds from here on draw more kinds of trouble. Those below tell the stories in which they found something. */
export const firstWide = 1_000_000;
/** And from here on more of what people may ask for: overrides, suspensions, apply strategies, evictions, budgets, drains. */
export const firstAmple = 2_000_000;
/** And from here on runs that are stopped, refused or asked for before a stage, freezes, and a ResourcePlacement. */
export const firstGated = 3_000_000;

const breadthOf = (seed: number): Breadth =>
  seed >= firstGated ? 'gated' : seed >= firstAmple ? 'ample' : seed >= firstWide ? 'wide' : 'first';

/** Faults last so long. */
const leastSeconds = 120;
const mostSeconds = 420;
/** After the last fault a fleet may take this long: the longest back-off is five minutes, and a rollout has several steps. */
const convergeSeconds = 3_600;
/** What was repaired is reported for ten minutes. */
const fadeSeconds = 630;
const quietSeconds = 300;

/**
 * One seed: a fleet and what happens to it. Safety is watched at every step; then faults stop, everything must converge,
 * and a fleet at rest must stay at rest.
 */
export async function simulate(seed: string, sabotage: Sabotage = {}): Promise<Outcome> {
  const random = Math.random;
  const drawn = dice(seed);
  // Back-off and jitter are the only other dice of a daemon.
  Math.random = dice(`${seed} jitter`).next;
  const world = await World.open(drawn, sabotage, breadthOf(Number(seed)));
  try {
    world.start();
    await trouble(world);
    const late = world.safety.broken.length > 0 ? [] : await converge(world);
    if (world.desired.ample && late.length === 0 && world.safety.broken.length === 0)
      late.push(...(await epilogue(world)));
    return { broken: [...world.safety.broken, ...late], story: world.story };
  } finally {
    world.close();
    Math.random = random;
  }
}

/** What went wrong with a seed, and then what happened; empty when all is well. */
export async function failureOf(seed: string): Promise<string> {
  const { broken, story } = await simulate(seed);
  return broken.length === 0 ? '' : [...broken, '', ...story].join('\n');
}

async function trouble(world: World): Promise<void> {
  const { dice: drawn, fleet } = world;
  // What takes several things to happen takes its time.
  const long = world.desired.ample ? 2 : 1;
  const until = fleet.clock.now() + long * drawn.int(leastSeconds, mostSeconds) * 1000;
  while (fleet.clock.now() < until && world.safety.broken.length === 0) {
    await act(world);
    await fleet.run(drawn.chance(0.3) ? drawn.int(0, 3) : drawn.int(5, 45));
    if (world.daemons.length === 0 && drawn.chance(0.5)) world.start();
    if (drawn.chance(0.5)) await world.merge();
  }
}

async function converge(world: World): Promise<string[]> {
  const { fleet, safety } = world;
  world.heal();
  world.finishStaged();
  const limit = fleet.clock.now() + convergeSeconds * 1000;
  let left = unsettled(world);
  while (left.length > 0 && fleet.clock.now() < limit && safety.broken.length === 0) {
    await fleet.run(10);
    if (world.daemons.length === 0) world.start();
    await world.merge();
    world.answerHeldRuns();
    const isFixed = await fixClusters(world);
    await makeWay(world);
    world.finishStaged();
    left = [...unsettled(world), ...(isFixed ? ['users have just fixed something'] : [])];
  }
  if (left.length > 0 || safety.broken.length > 0) return left;
  world.tell('everything has converged');
  world.spare();
  return staysQuiet(world);
}

async function staysQuiet(world: World): Promise<string[]> {
  const { fleet } = world;
  await fleet.run(fadeSeconds);
  const [status, asked] = [fleet.repo.tip('fleet-status'), fleet.requests.length];
  await fleet.run(quietSeconds);
  const writes = fleet.requests.slice(asked).filter((request) => / (PATCH|POST|PUT|DELETE) /.test(request));
  return [
    ...unsettled(world),
    ...(fleet.repo.tip('fleet-status') === status ? [] : ['a fleet at rest got a status commit']),
    ...(writes.length === 0 ? [] : [`a fleet at rest got ${writes.length} writes: ${writes[0]}`]),
  ];
}

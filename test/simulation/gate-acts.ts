import type { Act } from './more-acts.ts';
import type { World } from './world.ts';

/** What people do about runs, freezes and the namespace of a team. With how often. */
export const gateActs: readonly (readonly [weight: number, act: Act])[] = [
  [8, stopOrResume],
  [5, freezeOrThaw],
  [4, teamVersion],
];

function stopOrResume(world: World): void {
  const { desired, dice } = world;
  const runs = [...desired.runs.keys()];
  if (runs.length === 0) return;
  // Mostly the one that is under way.
  const run = dice.chance(0.7) ? runs.at(-1)! : dice.pick(runs);
  const { stopped } = desired.gates!;
  if (!stopped.delete(run)) stopped.add(run);
  world.commit(`${run} is ${stopped.has(run) ? 'stopped' : 'resumed'}`);
}

function freezeOrThaw(world: World): void {
  const gates = world.desired.gates!;
  gates.frozen = !gates.frozen;
  world.commit(`the fleet is ${gates.frozen ? 'frozen' : 'no longer frozen'}`);
}

function teamVersion(world: World): void {
  const gates = world.desired.gates!;
  gates.team++;
  world.commit(`what the team has becomes version ${gates.team}`);
}

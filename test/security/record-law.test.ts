import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawn, patience } from '../support/law-runs.ts';
import { AttackedFleet, type Files, gate, gatedFleet, names, run } from './attacked-fleet.ts';
import { attack, type Known, type Step, step } from './record-attacks.ts';

/**
 * Whoever can push only to the status branch, and branches that nobody merges, never brings anything to a member that the followed
 * branch did not hold, and passes no gate. Once the branch is left alone, and people started over what was lost, the fleet converges.
 */
const prod = names.slice(1);

/** A round of the attack: steps done at once, and how long the fleet then runs. */
interface Round {
  readonly steps: readonly Step[];
  readonly stopped: boolean;
  readonly seconds: number;
}

const round: fc.Arbitrary<Round> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  stopped: fc.boolean(),
  seconds: fc.constantFrom(1, 15, 60),
});

/** The status of a fleet of the same names that the attacker runs for himself, all gates open. */
let evilStatus: Files | undefined;
async function statusOfEvilFleet(): Promise<Files> {
  if (evilStatus) return evilStatus;
  const world = await AttackedFleet.open({
    ...gatedFleet('evil:1'),
    'resources/tools.yaml': gatedFleet('evil:1')['resources/tools.yaml']!.replace('tools:1', 'evil:1'),
  });
  await world.untilGate();
  await world.approve();
  await world.fleet.run(120);
  evilStatus = await world.fleet.repo.files('fleet-status');
  world.close();
  return evilStatus;
}

async function attacked(rounds: readonly Round[]): Promise<void> {
  const world = await AttackedFleet.open(gatedFleet('web:0'));
  try {
    const { repo } = world.fleet;
    const first = repo.tip('main')!;
    await world.untilGate();
    const early = await repo.files('fleet-status');
    world.fleet.commit({
      'resources/tools.yaml': world.fleet.files['resources/tools.yaml']!.replace('tools:1', 'tools:2'),
    });
    await world.fleet.run(60);
    const proposed = repo.commit('pull-request', gatedFleet('evil:1'), 'Propose', [repo.tip('main')!]);
    const known: Known = { commits: [repo.tip('main')!, first, proposed], other: [await statusOfEvilFleet(), early] };
    for (const { steps, stopped, seconds } of rounds) {
      if (stopped) world.daemon.kill();
      await world.edit((files) => {
        for (const one of steps) attack(files, one, known);
      });
      if (stopped) world.start();
      await world.fleet.run(seconds);
      holds(world);
    }
    await converges(world).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${stuckAt(world)}`);
    });
  } finally {
    world.close();
  }
}

/** What the last plan waits for. */
function stuckAt({ daemon }: AttackedFleet): string {
  const last = daemon.passes.at(-1);
  if (last === undefined || last.kind === 'moved') return `no plan: ${daemon.daemon.notReady()}`;
  const { guard, holds, problems } = last.plan;
  const messages = [...guard, ...holds, ...problems].map(({ message }) => message);
  return [last.kind, daemon.daemon.notReady(), ...messages].join('\n  ');
}

/** Nothing that the followed branch did not hold was sent to a member, and nothing of `web` behind the gate. */
function holds(world: AttackedFleet): void {
  const evil = world.sent.filter(({ body }) => body.includes('evil'));
  expect(evil).toEqual([]);
  const behindGate = world.sent.filter(({ member, body }) => prod.includes(member as never) && body.includes('"web'));
  expect(behindGate).toEqual([]);
}

/** Nobody touches the status branch any more. What was lost is started over, by people. */
async function converges(world: AttackedFleet): Promise<void> {
  world.daemon.kill();
  world.start({ acceptRewind: world.fleet.repo.tip('main')! });
  await world.fleet.run(60);
  holds(world);
  world.fleet.commit({
    'runs/web-1.yaml': undefined,
    'runs/web-2.yaml': run('web-2'),
    'resources/web.yaml': gatedFleet('web:1')['resources/web.yaml']!,
    'resources/tools.yaml': world.fleet.files['resources/tools.yaml']!.replace('tools:2', 'tools:3'),
  });
  await world.untilGate(gate.replace('web-1', 'web-2'));
  holds(world);
  await world.approve(gate.replace('web-1', 'web-2'));
  const all = (image: string) => names.map(() => image).join();
  await world.fleet.until(
    'the fleet has what main holds',
    () => world.images().join() === all('web:1') && world.images('tools').join() === all('tools:3'),
    1_200,
  );
}

describe('random edits of the status branch', () => {
  it(
    'bring nothing to a member that the followed branch did not hold, pass no gate, and do not last',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async (rounds) => attacked(rounds)),
        { ...drawn(15), endOnFailure: true },
      );
    },
    patience(120_000),
  );
});

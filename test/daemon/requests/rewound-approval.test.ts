import { afterEach, describe, expect, it } from 'vitest';
import type { TestForge } from '../../forge/test-forge.ts';
import type { VirtualDaemon, VirtualFleet } from '../../support/virtual-fleet.ts';
import { branch, forgeFleet } from './forge-fleet.ts';

let fleet: VirtualFleet;
let forge: TestForge;
afterEach(() => fleet.close());

const main = 'refs/heads/main';
const runsOn = (): string[] =>
  ['a', 'b', 'c'].filter((name) => fleet.stored(name, 'apps/deployments', 'web', 'web') !== undefined);
const untilOpen = () => fleet.until('it is asked', () => forge.pulls.some(({ state }) => state === 'open'), 900);
const codes = (daemon: VirtualDaemon): string[] => daemon.plan().problems.map(({ code }) => code);

/** A fleet whose approval after dev was merged, and main before that. */
async function approved(waitTime: string): Promise<{ readonly one: VirtualDaemon; readonly old: string }> {
  ({ fleet, forge } = await forgeFleet('github', waitTime));
  const one = fleet.start({ forge });
  await untilOpen();
  await fleet.run(60);
  const old = fleet.repo.tip('main')!;
  await forge.merge(1, 'squash');
  return { one, old };
}

describe('an approval that a force-push of main took back', () => {
  it('counts no more for a stage that has not begun, and is asked again', async () => {
    const { one, old } = await approved('2h');
    await fleet.until('it is taken', () => fleet.repo.tip(branch) === undefined, 60);
    fleet.repo.refs.set(main, old);
    await fleet.run(30);
    expect(codes(one)).toContain('rewound');
    // The soak ends while it is not decided which main counts.
    await fleet.run(9_000);
    expect(runsOn()).toEqual(['a']);
    one.kill();
    fleet.start({ forge, acceptRewind: old });
    await untilOpen();
    await fleet.run(600);
    expect(runsOn()).toEqual(['a']);
    expect(forge.pulls.at(-1)).toMatchObject({ state: 'open', head: branch });
    await forge.merge(forge.pulls.at(-1)!.number, 'squash');
    await fleet.until('prod runs it', () => runsOn().length === 3, 900);
  });

  it('counts again when it is given once more, also while the rewind is not accepted', async () => {
    const { one, old } = await approved('2h');
    await fleet.until('it is taken', () => fleet.repo.tip(branch) === undefined, 60);
    fleet.repo.refs.set(main, old);
    await untilOpen();
    await fleet.run(9_000);
    expect(runsOn()).toEqual(['a']);
    await forge.merge(forge.pulls.at(-1)!.number, 'squash');
    await fleet.until('prod runs it', () => runsOn().length === 3, 900);
    expect(codes(one)).toContain('rewound');
  });

  it('stops nothing that is under way', async () => {
    const { one, old } = await approved('1m');
    await fleet.until('prod has begun', () => runsOn().length === 2, 900);
    fleet.repo.refs.set(main, old);
    await fleet.run(60);
    expect(codes(one)).toContain('rewound');
    one.kill();
    fleet.start({ forge, acceptRewind: old });
    await fleet.until('prod runs it', () => runsOn().length === 3, 900);
    await fleet.run(600);
    expect(runsOn()).toEqual(['a', 'b', 'c']);
    expect(forge.pulls.map(({ state }) => state)).toEqual(['merged']);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { MergeMethod } from '../../../src/simulator/forge/dialect.ts';
import type { TestForge } from '../../forge/test-forge.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';
import { branch, forgeFleet } from './forge-fleet.ts';

let fleet: VirtualFleet;
let forge: TestForge;
afterEach(() => fleet.close());

const path = 'approvals/web-1-after-dev.yaml';
const runsOn = (): string[] =>
  ['a', 'b', 'c'].filter((name) => fleet.stored(name, 'apps/deployments', 'web', 'web') !== undefined);
/** How often the branch was pushed. */
const asked = (): number =>
  fleet.repo.pushes.filter(({ ref, to }) => ref === `refs/heads/${branch}` && to !== undefined).length;
const untilAsked = (times: number) => fleet.until('it is asked', () => asked() === times, 900);
const isOnMain = async () => path in (await fleet.repo.files('main'));

async function revert(): Promise<void> {
  expect(await isOnMain()).toBe(true);
  fleet.files = await fleet.repo.files('main');
  fleet.commit({ [path]: undefined }, 'Revert the approval');
}

/** Merges the request that stands, by the forge or by git. */
async function merge(how: MergeMethod, byForge: boolean): Promise<void> {
  if (!byForge) return forge.git.merge(branch, 'main', how);
  await fleet.until('a pull request is open', () => forge.pulls.some(({ state }) => state === 'open'), 60);
  await forge.merge(forge.pulls.at(-1)!.number, how);
}

async function isAskedOnce(how: MergeMethod, byForge: boolean): Promise<void> {
  await untilAsked(2);
  await fleet.run(600);
  expect([asked(), runsOn()]).toEqual([2, ['a']]);
  expect(forge.pulls.map(({ state }) => state)).toEqual(byForge ? ['merged', 'open'] : []);
  await merge(how, byForge);
  await fleet.until('prod runs it', () => runsOn().length === 3, 900);
  expect(asked()).toBe(2);
}

describe.each([
  ['merge commit', 'pull request'],
  ['merge commit', 'git'],
  ['squash', 'pull request'],
  ['squash', 'git'],
] as const)('an approval that is merged (%s, by %s) and reverted is asked once more', (how, by) => {
  const byForge = by === 'pull request';
  const options = () => (byForge ? { forge } : {});
  const open = async (waitTime?: string) => {
    ({ fleet, forge } = await forgeFleet('github', waitTime));
  };

  it('while the daemon is down', async () => {
    await open();
    const first = fleet.start(options());
    await untilAsked(1);
    await fleet.run(60);
    first.kill();
    await merge(how, byForge);
    await revert();
    fleet.start(options());
    await isAskedOnce(how, byForge);
  });

  it('before two daemons see it', async () => {
    await open();
    fleet.start(options());
    fleet.start(options());
    await untilAsked(1);
    await fleet.run(60);
    await merge(how, byForge);
    await revert();
    await isAskedOnce(how, byForge);
  });

  it('after the daemon saw it, while the stage still soaks', async () => {
    await open('2h');
    fleet.start(options());
    await untilAsked(1);
    await fleet.run(60);
    await merge(how, byForge);
    await fleet.until('the request is withdrawn', () => fleet.repo.tip(branch) === undefined, 60);
    await revert();
    await untilAsked(2);
    await fleet.run(600);
    expect([asked(), runsOn()]).toEqual([2, ['a']]);
    expect(forge.pulls.map(({ state }) => state)).toEqual(byForge ? ['merged', 'open'] : []);
  });
});

it('a branch that others added to is not started again, but named', async () => {
  ({ fleet, forge } = await forgeFleet('github'));
  const first = fleet.start({ forge });
  await untilAsked(1);
  await fleet.run(60);
  first.kill();
  const files = await fleet.repo.files(branch);
  const theirs = fleet.repo.commit(branch, { ...files, 'resources/more.yaml': '' }, 'One more thing');
  await forge.merge(1, 'squash');
  fleet.files = await fleet.repo.files('main');
  fleet.commit({ [path]: undefined, 'resources/more.yaml': undefined }, 'Revert all of it');
  fleet.start({ forge });
  await fleet.run(600);
  expect(fleet.repo.tip(branch)).toBe(theirs);
  expect((await fleet.repo.files('fleet-status'))['summary.yaml']).toContain('contains more than that');
  expect(runsOn()).toEqual(['a']);
});

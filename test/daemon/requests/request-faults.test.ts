import { afterEach, describe, expect, it } from 'vitest';
import type { TestForge } from '../../forge/test-forge.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';
import { branch, forgeFleet } from './forge-fleet.ts';

let fleet: VirtualFleet;
let forge: TestForge;
afterEach(() => fleet.close());

const path = 'approvals/web-1-after-dev.yaml';
const runsOn = (): string[] =>
  ['a', 'b', 'c'].filter((name) => fleet.stored(name, 'apps/deployments', 'web', 'web') !== undefined);
const open = async () => {
  ({ fleet, forge } = await forgeFleet('github'));
};
const untilOpen = () => fleet.until('it is asked', () => forge.pulls.some(({ state }) => state === 'open'), 900);
const finished = () => fleet.until('prod runs it', () => runsOn().length === 3, 900);
/** What main holds now, which others than the test change. */
const take = async () => {
  fleet.files = await fleet.repo.files('main');
};

describe('an approval', () => {
  it('that is given twice, by the forge and by git, counts once', async () => {
    await open();
    fleet.start({ forge });
    await untilOpen();
    const text = (await fleet.repo.files(branch))[path]!;
    await forge.merge(1, 'rebase');
    await take();
    fleet.commit({ [path]: `${text}# again\n` }, 'Approve once more');
    await finished();
    await fleet.run(300);
    expect(forge.pulls.map(({ state }) => state)).toEqual(['merged']);
  });

  it('that is given before it is asked, or squashed with its run, does not count', async () => {
    await open();
    const early = fleet.start({ forge });
    await untilOpen();
    const text = (await fleet.repo.files(branch))[path]!;
    early.kill();
    await fleet.close();
    await open();
    fleet.commit({ [path]: text, 'resources/new.yaml': '' }, 'Everything at once');
    fleet.start({ forge });
    await fleet.run(1_200);
    expect(runsOn()).toEqual(['a']);
  });

  it('whose branch was force-pushed is not taken for the request', async () => {
    await open();
    fleet.start({ forge });
    await untilOpen();
    const files = await fleet.repo.files(branch);
    const other = files[path]!.replace(/sha256:[0-9a-f]+/, `sha256:${'0'.repeat(64)}`);
    fleet.repo.commit(branch, { ...files, [path]: other }, 'Something else', [fleet.repo.tip('main')!]);
    await fleet.run(300);
    await forge.merge(1, 'squash');
    await fleet.run(600);
    expect(runsOn()).toEqual(['a']);
  });
});

it('a kill between any two calls, with lost answers, leaves one pull request and loses no approval', async () => {
  for (const at of [1, 2, 3, 4, 6, 8]) {
    await open();
    let calls = 0;
    const victim = fleet.start({ forge });
    forge.fault = () => {
      if (++calls !== at) return undefined;
      victim.kill();
      return at % 2 === 0 ? 'answer lost' : 'not sent';
    };
    await fleet.run(400);
    victim.kill();
    forge.fault = () => undefined;
    fleet.start({ forge });
    await untilOpen();
    await fleet.run(120);
    expect(forge.pulls, `killed at call ${at}`).toHaveLength(1);
    await forge.merge(1, 'squash');
    await finished();
    await fleet.close();
  }
});

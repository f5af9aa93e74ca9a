import { afterEach, describe, expect, it } from 'vitest';
import type { TestForge } from '../../forge/test-forge.ts';
import type { Asked } from '../../support/memory-repo.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';
import { branch, forgeFleet, run, web } from './forge-fleet.ts';

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
    const daemon = fleet.start({ forge });
    await fleet.run(1_200);
    expect([runsOn(), daemon.plan().guard]).toEqual([['a'], []]);
  });

  it('whose branch was force-pushed is left as it is, reported and not taken for the request, until the branch is deleted', async () => {
    await open();
    const daemon = fleet.start({ forge });
    await untilOpen();
    const files = await fleet.repo.files(branch);
    const other = files[path]!.replace(/sha256:[0-9a-f]+/, `sha256:${'0'.repeat(64)}`);
    fleet.repo.commit(branch, { ...files, [path]: other }, 'Something else', [fleet.repo.tip('main')!]);
    const pushed = fleet.repo.tip(branch);
    await fleet.run(300);
    expect(fleet.repo.tip(branch)).toBe(pushed);
    expect(daemon.plan().problems).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        code: 'approval-branch',
        file: `(branch) ${branch}`,
        message: expect.stringContaining('Something else of '),
      }),
    );
    await forge.merge(1, 'squash');
    await fleet.run(600);
    expect([runsOn(), daemon.plan().guard]).toEqual([['a'], []]);
    await take();
    fleet.commit({ [path]: undefined }, 'Revert');
    fleet.repo.refs.delete(`refs/heads/${branch}`);
    await untilOpen();
    await forge.merge(2, 'squash');
    await finished();
  });
});

// An answer to a question that nobody reads is as good as none.
it.each([
  ['before it', 'not sent', () => true],
  ['before its answer', 'answer lost', (method: string) => method !== 'GET'],
] as const)(
  'a kill at any call of the forge, %s, leaves one pull request and loses no approval',
  async (_, how, counts) => {
    let calls = 0;
    for (let at = 1; at === 1 || calls >= at - 1; at++) {
      await open();
      calls = 0;
      let daemon = fleet.start({ forge });
      forge.fault = ({ method }) => {
        if (!counts(method) || ++calls !== at) return undefined;
        daemon.kill();
        daemon = fleet.start({ forge });
        return how;
      };
      await untilOpen();
      await fleet.run(70);
      await forge.merge(1, 'squash');
      await finished();
      await fleet.run(60);
      expect([forge.pulls.map(({ state }) => state), fleet.repo.tip(branch)], `killed at call ${at}`).toEqual([
        ['merged'],
        undefined,
      ]);
      await fleet.close();
    }
    expect(calls).toBeGreaterThan(3);
  },
);

it('an approval that is squashed together with the change and the run that it approves does not count', async () => {
  const second = { 'resources/web.yaml': web('web:2'), 'runs/web-2.yaml': run('web-2') };
  const asked = branch.replace('web-1', 'web-2');
  const untilFirst = async () => {
    await open();
    const daemon = fleet.start();
    await fleet.until('web-1 asks', () => fleet.repo.tip(branch) !== undefined, 600);
    await forge.git.merge(branch, 'main', 'squash');
    await finished();
    await fleet.run(60);
    await take();
    return daemon;
  };
  await untilFirst();
  fleet.commit(second, 'web 2');
  await fleet.until('web-2 asks', () => fleet.repo.tip(asked) !== undefined, 600);
  const approval = path.replace('web-1', 'web-2');
  const text = (await fleet.repo.files(asked))[approval]!;
  await fleet.close();
  const daemon = await untilFirst();
  fleet.commit({ ...second, [approval]: text }, 'Everything at once');
  await fleet.run(1_200);
  const runs = ['a', 'b', 'c'].map((name) => JSON.stringify(fleet.stored(name, 'apps/deployments', 'web', 'web')));
  expect(runs.map((it) => /web:\d/.exec(it)?.[0])).toEqual(['web:2', 'web:1', 'web:1']);
  expect(daemon.plan().guard).toEqual([]);
});

/** A daemon that dies at its n-th request that concerns branches of approvals: before it, or with its answer lost. */
function startMortal(at: number, how: 'not sent' | 'answer lost'): { readonly isDead: () => boolean } {
  let calls = 0;
  const asked = async ({ kind, ref }: Asked): Promise<void> => {
    if (kind === 'list' || !ref.startsWith('refs/heads/gitfleet/approve/') || ++calls !== at) return;
    victim.kill();
    if (how === 'not sent') await new Promise(() => {});
  };
  const victim = fleet.start({ forge, branches: fleet.repo.branches({ remote: true, asked }) });
  return { isDead: () => calls >= at };
}

describe.each(['not sent', 'answer lost'] as const)('git calls of a request that are killed (%s)', (how) => {
  it('leave one pull request', async () => {
    await open();
    const { isDead } = startMortal(1, how);
    await fleet.until('it is killed', isDead, 600);
    fleet.start({ forge });
    await untilOpen();
    await fleet.run(120);
    expect(forge.pulls).toHaveLength(1);
    await forge.merge(1, 'squash');
    await finished();
  });

  it.each([1, 2, 3])('leave one further pull request after a revert: call %i', async (at) => {
    await open();
    const first = fleet.start({ forge });
    await untilOpen();
    await fleet.run(60);
    first.kill();
    await forge.merge(1, 'squash');
    await take();
    fleet.commit({ [path]: undefined }, 'Revert the approval');
    const { isDead } = startMortal(at, how);
    await fleet.until('it is killed', isDead, 600);
    fleet.start({ forge });
    await untilOpen();
    await fleet.run(120);
    expect(forge.pulls.map(({ state }) => state)).toEqual(['merged', 'open']);
    expect(runsOn()).toEqual(['a']);
    await forge.merge(2, 'squash');
    await finished();
  });
});

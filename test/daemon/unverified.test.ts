import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { CommitVerifier } from '../../src/git/verify/commit-verifier.ts';
import { verifiedSource } from '../../src/git/verify/verified-source.ts';
import { folder } from '../support/folders.ts';
import { stagedRun } from '../support/staged-run.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

it('a commit that does not verify is not acted on; status, problem and metric say so, and who approved was verified', async () => {
  fleet = await VirtualFleet.open(stagedRun('{type: Approval}'), { name: 'a' }, { name: 'b' });
  const verifier: CommitVerifier = {
    verify: async (objects, commit) =>
      (await objects.read([commit])).get(commit)!.content.toString('utf8').includes('unsigned')
        ? { isVerified: false, why: 'it is not signed' }
        : { isVerified: true, by: 'ann@example.com' },
    close: async () => {},
  };
  const memory = join(folder(), 'verified');
  const one = fleet.start({ followed: (source) => verifiedSource(source, { verifier, memory }) });
  const branch = 'gitfleet/approve/web-1-after-all';
  await fleet.until('the gate asks', () => fleet.repo.tip(branch) !== undefined, 600);
  const before = fleet.repo.tip('main')!;
  const bad = fleet.commit({ 'web.yaml': undefined, 'run.yaml': undefined }, 'unsigned');
  await fleet.run(120);
  const status = async () => fleet.repo.files('fleet-status');
  const { problems, commit } = one.plan();
  expect(commit).toBe(before);
  expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    `unverified-commit: main is at ${bad.slice(0, 12)}, but commit ${bad.slice(0, 12)} is not acted on: it is not signed. The fleet stays at ${before.slice(0, 12)}, the last verified commit`,
  ]);
  expect((await status())['README.md']).toContain('is not acted on: it is not signed');
  expect(one.metrics.render()).toContain('gitfleet_unverified_commits 1\n');
  expect(fleet.stored('a', 'apps/deployments', 'web', 'web')).toBeDefined();
  fleet.repo.commit('main', await fleet.repo.files(branch), 'Merge', [before, fleet.repo.tip(branch)!]);
  await fleet.run(120);
  expect(one.plan().problems).toEqual([]);
  expect(one.metrics.render()).toContain('gitfleet_unverified_commits 0\n');
  expect((await status())['runs/web-1.yaml']).toMatch(
    /approved by Ann in commit [0-9a-f]{7} \(signature of ann@example.com verified\)/,
  );
});

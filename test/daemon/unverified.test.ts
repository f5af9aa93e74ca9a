import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CommitVerifier } from '../../src/git/verify/commit-verifier.ts';
import { verifiedSource } from '../../src/git/verify/verified-source.ts';
import { folder } from '../support/folders.ts';
import { deployment } from '../support/paper-fleet.ts';
import { stagedRun } from '../support/staged-run.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const verifier: CommitVerifier = {
  verify: async (objects, commit) =>
    (await objects.read([commit])).get(commit)!.content.toString('utf8').includes('unsigned')
      ? { isVerified: false, why: 'it is not signed' }
      : { isVerified: true, by: 'ann@example.com' },
  close: async () => {},
};
const verifying = (memory = join(folder(), 'verified')): VirtualDaemon =>
  fleet.start({ followed: (source) => verifiedSource(source, { verifier, memory }) });

it('a commit that does not verify is not acted on; status, problem and metric say so, and who approved was verified', async () => {
  fleet = await VirtualFleet.open(stagedRun('{type: Approval}'), { name: 'a' }, { name: 'b' });
  const one = verifying();
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

const image = (version: number) => ({ 'resources/web.yaml': deployment('web', 'web', `web:${version}`) });
const problems = (daemon: VirtualDaemon): readonly string[] =>
  daemon.plan().problems.map(({ code, message, fix }) => `${code}: ${message}. Fix: ${fix}`);

describe('turned on over an unsigned commit that was acted on', () => {
  /** Signed, then unsigned and acted on. */
  async function actedOn() {
    fleet = await VirtualFleet.open(stagedRun('{type: Approval}'), { name: 'a' }, { name: 'b' });
    const memory = join(folder(), 'verified');
    const first = verifying(memory);
    await fleet.run(60);
    first.kill();
    const off = fleet.start();
    const good = fleet.repo.tip('main')!;
    const bad = fleet.commit(image(9), 'unsigned');
    await fleet.run(60);
    off.kill();
    return { good, bad, memory, short: [good.slice(0, 12), bad.slice(0, 12)] };
  }

  it('every cluster keeps what it has until one signed commit on top', async () => {
    const { bad, short } = await actedOn();
    const one = verifying();
    await fleet.run(60);
    expect(one.plan().commit).toBe(bad);
    expect(problems(one)).toEqual([
      `unverified-commit: main is at ${short[1]}, but commit ${short[1]} does not verify: it is not signed. According to the status branch, ${short[1]} was acted on before. Every cluster keeps what it has. Fix: if all of main since ${short[0]} is right, push one signed commit on top of ${short[1]}, or start gitfleet with a --verify-keys that has its key; else push main again without ${short[1]}, on top of ${short[0]} and signed, and start once with --accept-rewind and the id of what you pushed`,
    ]);
    const next = fleet.commit(image(10), 'signed');
    await fleet.run(60);
    expect(one.plan()).toMatchObject({ commit: next, problems: [] });
    fleet.commit(image(11), 'unsigned');
    fleet.commit(image(12), 'signed');
    await fleet.run(60);
    expect(one.plan().commit).toBe(next);
  });

  it('after it was on before, the record is not believed against what is kept', async () => {
    const { bad, memory } = await actedOn();
    const one = verifying(memory);
    await fleet.run(60);
    expect(problems(one)).toEqual([
      expect.stringContaining(`right, stop gitfleet, remove ${memory}, start it, and push`),
    ]);
    fleet.commit(image(10), 'signed');
    await fleet.run(60);
    expect(one.plan().commit).toBe(bad);
    one.kill();
    rmSync(memory);
    const two = verifying(memory);
    await fleet.run(60);
    expect(two.plan()).toMatchObject({ commit: fleet.repo.tip('main'), problems: [] });
  });

  it('a branch that lost that commit was rewound all the same', async () => {
    const { good } = await actedOn();
    fleet.repo.refs.set('refs/heads/main', good);
    const other = fleet.commit(image(10), 'unsigned');
    const one = verifying();
    await fleet.run(60);
    expect(
      one
        .plan()
        .problems.map(({ code }) => code)
        .toSorted(),
    ).toEqual(['rewound', 'unverified-commit']);
    one.kill();
    const again = fleet.repo.commit('main', fleet.files, 'signed', [good]);
    expect(again).not.toBe(other);
    const two = fleet.start({
      acceptRewind: again,
      followed: (source) => verifiedSource(source, { verifier, memory: join(folder(), 'verified') }),
    });
    await fleet.run(60);
    expect(two.plan()).toMatchObject({ commit: again, problems: [] });
  });
});

it('a rewind that is refused is not the last verified commit: main can be restored', async () => {
  fleet = await VirtualFleet.open(stagedRun('{type: Approval}'), { name: 'a' }, { name: 'b' });
  const old = fleet.repo.tip('main')!;
  fleet.commit({ 'notes.md': '1' }, 'unsigned, of before');
  const tip = fleet.commit({ 'notes.md': '2' }, 'signed');
  const one = verifying();
  await fleet.run(60);
  fleet.repo.refs.set('refs/heads/main', old);
  await fleet.run(60);
  expect(one.plan()).toMatchObject({ commit: tip, problems: [{ code: 'rewound' }] });
  fleet.repo.refs.set('refs/heads/main', tip);
  await fleet.run(60);
  expect(one.plan()).toMatchObject({ commit: tip, problems: [] });
  const next = fleet.commit(image(2), 'signed');
  await fleet.run(60);
  expect(one.plan()).toMatchObject({ commit: next, problems: [] });
});

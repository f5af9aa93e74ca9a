import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { syncApprovals } from '../../../src/daemon/pass/approvals.ts';
import { approvalBranches } from '../../../src/git/approval-branches.ts';
import { defaultAuthor, parsePerson } from '../../../src/git/person.ts';
import { openSource } from '../../../src/git/source.ts';
import { bareHost } from '../../forge/git-host.ts';
import { TestForge } from '../../forge/test-forge.ts';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { nobody, sh } from '../../support/git-repository.ts';
import { startGitServer } from '../../support/http-backend-server.ts';
import { cli } from '../../support/run-cli.ts';
import { stagedRun } from '../../support/staged-run.ts';

const name = 'web-1-after-all';
const path = `approvals/${name}.yaml`;

let fleet: FleetOnGit;
let forge: TestForge;
let repo: string;
const closing: (() => Promise<void>)[] = [];

/** A fleet that waits for approval. */
beforeEach(() => open(stagedRun('{type: Approval}')));

/** A fleet behind a git server and a forge over HTTP, with branches for what it requests. */
async function open(files: Readonly<Record<string, string>>): Promise<void> {
  fleet = await FleetOnGit.open(files);
  fleet.git('config', 'http.receivepack', 'true');
  fleet.git('config', 'receive.denyCurrentBranch', 'ignore');
  forge = new TestForge('github', bareHost(fleet.dir), Date.now);
  const [git, web] = [await startGitServer(fleet.dir), await forge.listen()];
  closing.push(git.close, web.close);
  repo = git.url('.git');
  vi.stubEnv('GITFLEET_FORGE_TOKEN', 'right-token');
  vi.stubEnv('GITFLEET_FORGE_HOST', new URL(web.url).host);
  const spec = `spec: {forge: {kind: github, repository: acme/fleet, baseURL: "${web.url}"}}`;
  fleet.commit({ 'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\n${spec}\n` }, 'The forge');
  const source = await openSource({ repo: fleet.dir, branch: 'main', cacheDir: folder(), credentials: nobody });
  const branches = approvalBranches(source, { author: parsePerson(defaultAuthor), now: () => fleet.paper.now });
  for (let at = 0; at < 4; at++) {
    const plan = await fleet.pass();
    await syncApprovals(plan, { approvals: plan.approvals, removalHolds: [], config: undefined }, branches, new Set());
  }
  await source.close();
}

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  vi.unstubAllEnvs();
  removeFolders();
});

const run = (...args: string[]) => cli('approve', name, ...args);
const answer = async (): Promise<string | undefined> => {
  fleet.look();
  return (await fleet.pass()).approvals[0]!.answer;
};

it('of a URL with a token merges the pull request by the forge', async () => {
  expect(await run('--repo', repo, '--dry-run')).toMatchObject({
    code: 0,
    out: expect.stringContaining('kind: ClusterApprovalRequest'),
    err: expect.stringContaining('note: github merges it as a pull request of acme/fleet\n'),
  });
  expect(forge.pulls).toEqual([]);
  forge.refusedMerges = 1;
  const ran = await run('--repo', repo, '-o', 'json');
  expect(ran).toMatchObject({
    code: 0,
    err: 'note: #1 is not merged: 405 At least 1 approving review is required\n',
  });
  expect(JSON.parse(ran.out)).toMatchObject({
    kind: 'Change',
    summary: `${name} is approved`,
    branch: 'main',
    pullRequest: { number: '#1', url: 'https://forge.example/acme/fleet/pulls/1' },
    files: [{ path }],
  });
  expect(fleet.git('log', '-1', '--format=%s', 'main')).toBe(`Approve ${name}`);
  expect(await answer()).toBe('approved');
  expect((await run('--repo', repo)).out).toBe(`${name} is approved already\n`);
});

it('in a clone merges by git, unless --forge', async () => {
  const clone = folder();
  // From the folder: the server is in this process, which waits for git here.
  sh('.', 'clone', '-q', fleet.dir, clone);
  sh(clone, 'remote', 'set-url', 'origin', repo);
  sh(clone, 'config', 'user.name', 'Bob');
  sh(clone, 'config', 'user.email', 'bob@example.com');
  const byForge = await run('--repo', clone, '--forge');
  expect(byForge).toMatchObject({
    code: 0,
    out: `${name} is approved: #1 merged into main, https://forge.example/acme/fleet/pulls/1\n  ${path}\n`,
    err: `note: ${clone} is behind its origin now: git pull\n`,
  });
  fleet.git('update-ref', 'refs/heads/main', 'main~1');
  expect((await run('--repo', clone)).out).toContain(`${name} is approved: commit `);
  expect(fleet.git('log', '-1', '--format=%an %s', 'main')).toBe(`Bob Approve ${name}`);
  expect(forge.pulls).toHaveLength(1);
});

it('rejects by a branch and a pull request of its own', async () => {
  const ran = await run(
    '--repo',
    repo,
    '--reject',
    '--reason',
    'too many errors',
    '--git-author',
    'Eve <eve@example.com>',
  );
  expect(ran).toMatchObject({ code: 0, err: '' });
  expect(ran.out).toContain(`${name} is rejected: #1 merged into main`);
  expect(forge.pull(1)).toMatchObject({
    head: `gitfleet/reject/${name}`,
    title: `Reject ${name}`,
    body: 'too many errors',
  });
  expect(fleet.git('for-each-ref', 'refs/heads/gitfleet/reject')).toBe('');
  expect(await answer()).toBe('rejected');
});

it('is given up with what blocks it, and changes nothing then', async () => {
  forge.refusedMerges = 100;
  const ran = await run('--repo', repo, '--timeout', '0s');
  expect(ran).toMatchObject({ code: 4, out: '' });
  expect(ran.err).toContain(
    '#1 is not merged: 405 At least 1 approving review is required: given up after 0 s, see https://',
  );
  expect(await answer()).toBeUndefined();
});

it('that the forge cannot merge says how git does', async () => {
  vi.stubEnv('GITFLEET_FORGE_HOST', '');
  expect(await run('--repo', repo)).toMatchObject({
    code: 2,
    err: expect.stringContaining('or --no-forge, to merge by git'),
  });
  expect(await run('--repo', repo, '--no-forge', '--git-author', 'Eve <eve@example.com>')).toMatchObject({ code: 0 });
  vi.stubEnv('GITFLEET_FORGE_TOKEN', '');
  expect((await run('--repo', repo, '--forge')).err).toContain(
    'there is no token for it: set GITFLEET_FORGE_TOKEN_FILE',
  );
  expect((await run('--repo', repo, '--timeout', 'soon')).err).toContain('--timeout soon is not a duration');
});

it('of a scheduled start, which has no branch, merges one of its own and deletes it', async () => {
  const start = { startDay: 'Monday', startTime: '06:00', utcOffset: '+00:00' };
  const gate = { type: 'ScheduledStart', scheduledStartConfiguration: start };
  await open({
    ...upgradeMember('eu-1', { 'gitfleet.dev/update-group': 'eu' }),
    ...upgradeRun({ strategy: { stages: [{ name: 'one', beforeGates: [gate], groups: [{ name: 'eu' }] }] } }),
  });
  const ran = await cli('approve', 'k8s-before-one', '--repo', repo);
  expect(ran).toMatchObject({ code: 0, err: '' });
  expect(ran.out).toContain('k8s-before-one is opened before its time: #1 merged into main');
  expect(forge.pull(1)).toMatchObject({ head: 'gitfleet/open/k8s-before-one', title: 'Approve k8s-before-one' });
  expect(fleet.git('for-each-ref', 'refs/heads/gitfleet')).toBe('');
  fleet.look();
  await fleet.pass();
  expect((await cli('describe', 'gate', 'k8s-before-one', '--repo', fleet.dir)).out).toMatch(/State: +Completed/);
});

import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { Plan } from '../../../src/engine/plan-document.ts';
import { defaultAuthor, parsePerson } from '../../../src/git/person.ts';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { folder, put, removeFolders } from '../../support/folders.ts';
import { sh } from '../../support/git-repository.ts';
import { startGitServer } from '../../support/http-backend-server.ts';
import { pushRequests } from '../../support/push-requests.ts';
import { cli } from '../../support/run-cli.ts';
import { keyFile, sshKey, sshThere } from '../../support/signing-keys.ts';
import { stagedRun } from '../../support/staged-run.ts';

afterAll(removeFolders);
afterEach(() => vi.unstubAllEnvs());

let fleet: FleetOnGit;
const name = 'web-1-after-all';
const branch = `gitfleet/approve/${name}`;
const path = `approvals/${name}.yaml`;

const request = (plan: Plan): Promise<void> => pushRequests(plan, fleet);
const run = (...args: string[]) => cli('approve', ...args, '--repo', fleet.dir);
const show = (what: string): string => fleet.git('show', what);
/** Commits a file to the branch of the request, as another person. */
const addTo = (what: string, file: string, text: string): void => changeOn(what, (work) => put(work, { [file]: text }));
const changeOn = (what: string, change: (work: string) => void): void => {
  const work = folder();
  sh('.', 'clone', '-q', fleet.dir, work);
  sh(work, 'checkout', '-q', what);
  change(work);
  sh(work, 'add', '-A');
  sh(work, '-c', 'user.name=Mallory', 'commit', '-qm', 'More');
  sh(work, 'push', '-q', 'origin', `HEAD:${what}`);
};

describe('a gate of a staged update run', () => {
  beforeEach(async () => {
    fleet = await FleetOnGit.open(stagedRun('{type: Approval}'));
    for (let at = 0; at < 4; at++) await request(await fleet.pass());
  });

  it('--dry-run shows the file and the command', async () => {
    const before = fleet.git('rev-parse', 'main');
    const { code, out, err } = await run(name, '--dry-run');
    expect({ code, file: parse(out) }).toMatchObject({ code: 0, file: { metadata: { name } } });
    expect(err).toBe(`note: nothing is changed; this does it: gitfleet approve ${name} --repo ${fleet.dir}\n`);
    expect(fleet.git('rev-parse', 'main')).toBe(before);
  });

  it('is approved by a merge of its branch, by whoever runs the command', async () => {
    const ran = await run(name, '-o', 'json');
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(ran.out)).toMatchObject({ kind: 'Change', summary: `${name} is approved`, branch: 'main' });
    expect(fleet.git('log', '-1', '--format=%an %s%n%P', 'main')).toBe(
      `Ann Approve ${name}\n${fleet.git('rev-parse', 'main~1')} ${fleet.git('rev-parse', branch)}`,
    );
    expect(fleet.git('diff', '--name-only', 'main~1', 'main')).toBe(path);
    expect(show(`main:${path}`)).toBe(show(`${branch}:${path}`));
    expect(fleet.git('status', '--porcelain', path)).toBe('');
    fleet.look();
    const plan = await fleet.pass();
    expect(plan.approvals[0]!.answer).toBe('approved');
    expect(await run(name)).toEqual({ code: 0, out: `${name} is approved already\n`, err: '' });
    expect((await run(name, '--reject', '--reason', 'no')).err).toContain('is approved already: revert the commit');
  });

  it('is rejected by a file with the reason, which ends the run', async () => {
    expect(await run(name, '--reject', '--reason', 'too many errors')).toMatchObject({ code: 0, err: '' });
    expect(parse(show(`main:${path}`)).status.conditions).toEqual([
      { type: 'Approved', status: 'False', reason: 'Rejected', message: 'too many errors' },
    ]);
    expect(fleet.git('log', '-1', '--format=%B', 'main')).toContain(`Reject ${name}\n\ntoo many errors`);
    fleet.look();
    const plan = await fleet.pass();
    expect(JSON.stringify(plan.runs[0]!.status.conditions)).toContain('was rejected on main: too many errors');
  });

  it('that is rejected on main is not approved over that, also before gitfleet has read it', async () => {
    await run(name, '--reject', '--reason', 'too many errors');
    const rejected = fleet.git('rev-parse', 'main');
    expect(await run(name)).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        `${name} is rejected already: as long as gitfleet has not read the commit that rejected it, revert that one first`,
      ),
    });
    expect(await run(name, '--reject', '--reason', 'again')).toMatchObject({
      code: 0,
      out: `${name} is rejected already\n`,
    });
    expect(fleet.git('rev-parse', 'main')).toBe(rejected);
    fleet.git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'revert', '--no-edit', 'main');
    expect(await run(name)).toMatchObject({ code: 0, err: '' });
  });

  it('that is approved on main, but not acted on yet, has no branch any more', async () => {
    await run(name);
    fleet.git('branch', '-D', branch);
    expect(await run(name)).toMatchObject({
      code: 0,
      out: `${name} is approved already on main, and counts once gitfleet acts on that commit (gitfleet get problems shows what prevents it)\n`,
    });
    expect(await run(name, '--reject', '--reason', 'no')).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        `${name} is approved already: revert the commit that approved it (a merge with git revert -m 1), before gitfleet `,
      ),
    });
  });

  it.each([
    ['', [], `merge ${branch} as it allows`],
    ['', ['--reject', '--reason', 'no'], 'bring the file that --dry-run shows to it as it allows'],
    ['kind: github, repository: acme/fleet', [], 'use --forge'],
  ])('on a protected main says what to do: forge {%s} %j', async (forge, more, hint) => {
    const spec = forge && `spec: {forge: {${forge}}}`;
    fleet.commit({ 'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\n${spec}\n` }, 'The forge');
    const bare = join(folder(), 'fleet.git');
    sh('.', 'clone', '-q', '--mirror', fleet.dir, bare);
    const refuse = '#!/bin/sh\nwhile read -r _ _ ref; do [ "$ref" != refs/heads/main ] || exit 1; done\n';
    writeFileSync(join(bare, 'hooks/pre-receive'), refuse, { mode: 0o755 });
    sh(bare, 'config', 'http.receivepack', 'true');
    const server = await startGitServer(bare);
    const ran = await cli('approve', name, '--repo', server.url(''), '--git-author', 'Eve <e@example.com>', ...more);
    await server.close();
    expect(ran).toMatchObject({ code: 3, err: expect.stringContaining(`; if main is protected, ${hint}\n`) });
  });

  it('run in a clone that is behind is merged at its origin', async () => {
    const clone = folder();
    sh('.', 'clone', '-q', fleet.dir, clone);
    sh(clone, 'config', 'user.name', 'Bob');
    sh(clone, 'config', 'user.email', 'bob@example.com');
    fleet.commit({ 'later.yaml': '' }, 'Later');
    const ran = await cli('approve', name, '--repo', clone);
    expect(ran).toMatchObject({ code: 0, err: `note: ${clone} is behind its origin now: git pull\n` });
    expect(fleet.git('log', '-1', '--format=%an %s', 'main')).toBe(`Bob Approve ${name}`);
    expect(fleet.git('log', '-2', '--first-parent', '--format=%s', 'main')).toContain('Later');
  });

  it.skipIf(!sshThere)('is signed where git signs the commits of the clone, and refused where it cannot', async () => {
    const clone = folder();
    sh('.', 'clone', '-q', fleet.dir, clone);
    const key = sshKey('ann');
    const settings = {
      'user.name': 'Ann',
      'user.email': 'a@example.com',
      'gpg.format': 'ssh',
      'commit.gpgsign': 'true',
    };
    for (const [setting, value] of Object.entries(settings)) sh(clone, 'config', setting, value);
    sh(clone, 'config', 'user.signingkey', '/nowhere/key');
    const before = fleet.git('rev-parse', 'main');
    const refused = await cli('approve', name, '--repo', clone);
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('git cannot sign the commit') });
    expect(refused.err).toContain('/nowhere/key');
    expect(fleet.git('rev-parse', 'main')).toBe(before);
    sh(clone, 'config', 'user.signingkey', key);
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    vi.stubEnv('GIT_CONFIG_KEY_0', 'safe.bareRepository');
    vi.stubEnv('GIT_CONFIG_VALUE_0', 'explicit');
    expect(await cli('approve', name, '--repo', clone)).toMatchObject({ code: 0 });
    const allowed = keyFile(`a@example.com ${readFileSync(`${key}.pub`, 'utf8')}`);
    const verified = fleet.git(
      '-c',
      `gpg.ssh.allowedSignersFile=${allowed}`,
      'log',
      '-1',
      '--format=%G? %GS %an %P',
      'main',
    );
    expect(verified).toBe(`G a@example.com Ann ${before} ${fleet.git('rev-parse', branch)}`);
    expect(fleet.git('diff', '--name-only', 'main~1', 'main')).toBe(path);
    fleet.git('fsck', '--strict');
  });

  it('is refused where main is checked out in another working tree, also at the same commit', async () => {
    const other = join(folder(), 'main');
    fleet.git('checkout', '-q', '-b', 'feature');
    fleet.git('worktree', 'add', '-q', other, 'main');
    const refused = await cli('approve', name, '--repo', fleet.dir);
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining('main is checked out in another working tree'),
    });
    expect([fleet.git('status', '--porcelain'), sh(other, 'status', '--porcelain')]).toEqual(['', '']);
    expect(await cli('approve', name, '--repo', other)).toMatchObject({ code: 0 });
    expect([fleet.git('status', '--porcelain'), sh(other, 'status', '--porcelain')]).toEqual(['', '']);
  });

  it.runIf(process.getuid?.() === 0)('runs no program that a clone of another user names (as root)', async () => {
    const clone = folder();
    sh('.', 'clone', '-q', fleet.dir, clone);
    const program = join(folder(), 'program');
    writeFileSync(program, `#!/bin/sh\ntouch ${program}.ran\n`, { mode: 0o755 });
    const settings = {
      'user.name': 'Ann',
      'user.email': 'a@example.com',
      'commit.gpgsign': 'true',
      'gpg.program': program,
    };
    for (const [setting, value] of Object.entries(settings)) sh(clone, 'config', setting, value);
    const suspend = ['suspend', 'placement', 'web', '--reason', 'incident', '--repo', clone];
    expect(await cli(...suspend)).toMatchObject({ code: 4 });
    expect(existsSync(`${program}.ran`)).toBe(true);
    rmSync(`${program}.ran`);
    chownSync(join(clone, '.git'), 65_534, 65_534);
    expect(await cli(...suspend)).toMatchObject({ code: 0 });
    expect(existsSync(`${program}.ran`)).toBe(false);
  });

  it('is refused where others added to its branch, unless --force', async () => {
    addTo(branch, 'clusters/evil.yaml', 'kind: Evil\n');
    const ran = await run(name);
    expect(ran.code).toBe(4);
    expect(ran.err).toMatch(
      /holds more .*commit [0-9a-f]{7} More of Mallory, file clusters\/evil.yaml: read it with git diff/,
    );
    expect(await run(name, '--force')).toMatchObject({ code: 0 });
    expect(show('main:clusters/evil.yaml')).toBe('kind: Evil');
  });

  it('is refused where its file approves something else than was requested', async () => {
    addTo(branch, path, show(`${branch}:${path}`).replace(/sha256:[0-9a-f]+/, 'sha256:1234'));
    expect(await run(name)).toMatchObject({
      code: 4,
      err: expect.stringContaining('its file does not approve what the status branch records as requested'),
    });
  });

  it('is rejected as requested where others changed its branch, without what they added', async () => {
    const requested = show(`${branch}:${path}`);
    addTo(branch, 'clusters/evil.yaml', 'kind: Evil\n');
    addTo(branch, path, requested.replace(/sha256:[0-9a-f]+/, 'sha256:1234'));
    const ran = await run(name, '--reject', '--reason', 'no');
    expect(ran).toMatchObject({
      code: 0,
      err: expect.stringMatching(/note: left out of the rejection: file clusters\/evil.yaml\n/),
    });
    expect(ran.err).not.toContain('merged');
    expect(fleet.git('diff', '--name-only', 'main~1', 'main')).toBe(path);
    expect(parse(show(`main:${path}`))).toMatchObject({ metadata: parse(requested).metadata });
    fleet.look();
    const plan = await fleet.pass();
    expect(JSON.stringify(plan.runs[0]!.status.conditions)).toContain('was rejected on main: no');
  });

  it.each([
    ['deletes the request', [path], `no ${path}`],
    ['makes it a binary file', [], 'its file is no YAML'],
  ])(
    'is rejected as requested, and nothing else changes, where its branch %s, and changes other files',
    async (_, gone, why) => {
      const binary = Buffer.from([0, 0xff, 0xfe, 0x80, 10]);
      writeFileSync(join(fleet.dir, 'logo.png'), binary);
      fleet.git('add', 'logo.png');
      fleet.git('commit', '-qm', 'Add a logo');
      const files = fleet.git('ls-tree', '-r', 'main');
      changeOn(branch, (work) => {
        for (const file of ['photo.png', ...(gone.length === 0 ? [path] : [])]) writeFileSync(join(work, file), binary);
        for (const file of ['web.yaml', ...gone]) rmSync(join(work, file));
      });
      const tip = fleet.git('rev-parse', branch);
      const ran = await run(name, '--reject', '--reason', 'no');
      expect(ran).toMatchObject({
        code: 0,
        err: expect.stringContaining('left out of the rejection: file photo.png\n'),
      });
      expect(ran.err).toContain(why);
      expect(
        fleet
          .git('ls-tree', '-r', 'main')
          .split('\n')
          .filter((line) => !line.endsWith(path))
          .join('\n'),
      ).toBe(files);
      expect(fleet.git('rev-parse', branch)).toBe(tip);
      expect(fleet.git('status', '--porcelain')).toBe('');
      expect(parse(show(`main:${path}`)).status.conditions).toMatchObject([{ status: 'False', message: 'no' }]);
    },
  );

  it('is refused while fleet.yaml is not in effect, which says where approvals count', async () => {
    const config = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {approvals: {path: []}}\n';
    fleet.commit({ 'fleet.yaml': config }, 'Break fleet.yaml');
    const why = 'fleet.yaml is not in effect on main, and no approval counts meanwhile';
    expect(await run(name)).toMatchObject({ code: 4, err: expect.stringContaining(why) });
    expect(await run(name, '--reject', '--reason', 'no')).toMatchObject({ code: 4 });
  });

  it.each([
    [['web-1-after-al'], `there is no approval request web-1-after-al: did you mean ${name}?`],
    [[name, '--reject'], '--reject needs --reason TEXT'],
    [[name, '--reason', 'why'], '--reason goes with --reject'],
  ])('%j is an error that says what to do', async (args, message) => {
    const ran = await run(...args);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(message);
  });

  it('is refused without a git identity', async () => {
    fleet.git('config', '--unset', 'user.name');
    vi.stubEnv('HOME', folder());
    vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
    expect((await run(name)).err).toContain('git has no identity, and the commit names who approved');
    expect(await run(name, '--git-author', 'Ann <ann@example.com>')).toMatchObject({ code: 0 });
  });

  it('whose branch is not there yet is an error of its own', async () => {
    fleet.git('branch', '-D', branch);
    expect(await run(name)).toMatchObject({ code: 3, err: expect.stringContaining('is requested, but its branch') });
    expect((await run('other')).err).toContain('nothing waits for approval, so there is no request other');
  });
});

it('a gate of a cluster update run is approved, and rejected with a reason', async () => {
  const gate = 'k8s-before-one';
  const open = async () => {
    fleet = await FleetOnGit.open({
      ...upgradeMember('eu-1', { 'gitfleet.dev/update-group': 'eu' }),
      ...upgradeRun({
        strategy: { stages: [{ name: 'one', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'eu' }] }] },
      }),
    });
    fleet.paper.versions.set('eu-1', {
      versions: { controlPlane: 'v1.30.9', pools: [{ name: 'np1', kubernetes: 'v1.30.9' }] },
    });
    await request(await fleet.pass());
  };
  await open();
  expect(await run(gate)).toMatchObject({ code: 0 });
  fleet.look();
  expect((await fleet.pass()).approvals[0]!.answer).toBe('approved');
  await open();
  expect(await run(gate, '--reject', '--reason', 'not this week')).toMatchObject({ code: 0 });
  fleet.look();
  const rejected = await fleet.pass();
  const why = `approval ${gate} was rejected on main: not this week`;
  expect(JSON.stringify(rejected.upgrades)).toContain(why);
  expect(show(`fleet-status:approvals/${gate}.yaml`)).toContain(`message: "${why}"`);
});

it('a removal is approved, and cannot be rejected', async () => {
  const files = stagedRun('{type: Approval}');
  fleet = await FleetOnGit.open({ ...files, 'web.yaml': files['web.yaml']!.replace('External', 'RollingUpdate') });
  for (let at = 0; at < 3; at++) await fleet.pass();
  fleet.git('rm', '-q', 'web.yaml', 'run.yaml');
  fleet.git('commit', '-qm', 'Remove');
  fleet.look();
  const plan = await fleet.pass({ refused: true });
  await request(plan);
  const [asked] = fleet.git('for-each-ref', '--format=%(refname:lstrip=4)', 'refs/heads/gitfleet/approve').split('\n');
  expect((await run(asked!, '--reject', '--reason', 'no')).err).toContain('revert the commit that removes it');
  expect(await run(asked!)).toMatchObject({ code: 0 });
  expect(show(`main:approvals/${asked}.yaml`)).toContain('kind: RemovalApproval');
  fleet.look();
  await request(await fleet.pass());
  expect(await run(asked!)).toMatchObject({ code: 0, out: expect.stringContaining(`${asked} is approved already`) });
});

describe('a run that an AutoUpgradeProfile proposes', () => {
  const run131 = 'auto-1-31-6';
  const document = (kind: string, name: string, spec: object): string =>
    JSON.stringify({ apiVersion: 'gitfleet.dev/v1alpha1', kind, metadata: { name }, spec });
  const catalog = (...versions: string[]): Record<string, string> => ({
    'catalog.yaml': document('VersionCatalog', 'all', {
      regions: [{ name: 'westeurope', kubernetesVersions: versions.map((version) => ({ version })) }],
    }),
  });
  const push = (to: string, file: string, text: string): void => {
    const work = folder();
    sh('.', 'clone', '-q', fleet.dir, work);
    put(work, { [file]: text });
    sh(work, 'add', '-A');
    const { name: author, email } = parsePerson(defaultAuthor);
    sh(work, '-c', `user.name=${author}`, '-c', `user.email=${email}`, 'commit', '-qm', 'Approve');
    sh(work, 'push', '-qf', 'origin', `HEAD:gitfleet/approve/${to}`);
  };
  const evil = Object.values(upgradeRun({}, 'evil'))[0]!;

  beforeEach(async () => {
    fleet = await FleetOnGit.open({
      ...upgradeMember('eu-1', { 'topology.kubernetes.io/region': 'westeurope' }),
      'profile.yaml': document('AutoUpgradeProfile', 'auto', { channel: 'Rapid' }),
      ...catalog('1.30.9', '1.31.5'),
    });
    await request(await fleet.pass());
    fleet.commit(catalog('1.30.9', '1.31.5', '1.31.6'), 'Release');
    await request(await fleet.pass());
  });

  it('is merged', async () => {
    expect(await run(run131)).toMatchObject({ code: 0, err: '' });
    expect(show(`main:upgrades/${run131}.yaml`)).toContain('autoUpgradeProfileId: auto');
  });

  it.each([
    ['another run under its name', run131, `upgrades/${run131}.yaml`, evil, 4, 'its file is not the run that'],
    ['another run elsewhere', run131, 'fleet.yaml', evil, 2, `has no upgrades/${run131}.yaml`],
    ['a run that none proposes', 'mine', 'approvals/mine.yaml', evil, 4, 'no AutoUpgradeProfile proposes it'],
    ['a run that none proposes, elsewhere', 'mine', 'fleet.yaml', evil, 2, 'has no approvals/mine.yaml'],
  ])('is not %s', async (_, to, file, text, code, message) => {
    push(to, file, text);
    const before = fleet.git('rev-parse', 'main');
    expect(await run(to)).toMatchObject({ code, err: expect.stringContaining(message) });
    expect(fleet.git('rev-parse', 'main')).toBe(before);
  });
});

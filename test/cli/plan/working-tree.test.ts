import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { folder, put, removeFolders } from '../../support/folders.ts';
import { bare, sh } from '../../support/git-repository.ts';
import { deployment, member } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

let fleet: FleetOnGit;
beforeAll(async () => {
  fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  // One edited, one new and one removed file; none is committed.
  put(fleet.dir, {
    'resources/web.yaml': deployment('web', 'web', 'web:2'),
    'resources/more.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more, namespace: web}\n',
  });
  rmSync(join(fleet.dir, 'resources/settings.yaml'));
});
afterAll(removeFolders);

const run = (...args: string[]) => cli(...args, '--repo', fleet.dir, '--now', '2026-11-20T10:00:00Z');

it('plan reads the last commit, and names what it leaves out and the flag that reads it', async () => {
  const { err, out } = await run('plan');
  expect(out).toContain('0 to update');
  expect(err).toBe(
    'note: only what is committed is read, without the changes in resources/settings.yaml, resources/web.yaml, resources/more.yaml (--worktree reads them)\n',
  );
});

it('plan --worktree reads what is on disk, on top of the record of the status branch', async () => {
  const { err, out, code } = await run('plan', '--worktree');
  expect({ err, code }).toEqual({ err: '', code: 1 });
  expect(out).toMatch(
    /Plan: 0 to add, 2 to update, 0 to remove, 4 waiting, \d+ unchanged \(--all lists them\)\. Commit none: these are the files of a working tree\. Updates remove 2 objects\.$/m,
  );
});

it('diff --worktree shows edited, new and removed files', async () => {
  const { err, out } = await run('diff', '--worktree', '--cluster', 'eu-1', '-o', 'json');
  const { items } = JSON.parse(out) as { items: { object: string; action: string }[] };
  expect(items.map(({ object, action }) => `${action} ${object}`)).toEqual([
    'create ConfigMap web/more',
    'delete ConfigMap web/settings',
    'update Deployment web/web',
  ]);
  expect(err).not.toContain('committed');
});

it.each([
  [['--ref', 'main'], "option '--worktree' cannot be used with option '--ref <ref>'"],
  [['--base', 'main'], "option '--base <ref>' cannot be used with option '--worktree'"],
])('--worktree and %j exclude each other', async (flags, message) => {
  expect(await run('plan', '--worktree', ...flags)).toEqual({
    code: 2,
    out: '',
    err: expect.stringContaining(message),
  });
});

it.each<[string, () => string]>([
  ['a server', () => 'https://git.example.com/fleet.git'],
  ['a bare repository', bare],
])('%s has no working tree', async (_what, repo) => {
  const named = repo();
  expect(await cli('plan', '--worktree', '--repo', named)).toEqual({
    code: 2,
    out: '',
    err: `gitfleet: --worktree: ${named} has no working tree: name a clone with --repo\n`,
  });
});

it('before the first commit, what reads commits reads what is on disk, and says so', async () => {
  const dir = folder({ 'clusters/eu-1.yaml': member('eu-1') });
  sh(dir, 'init', '-q');
  const ran: { code: number; err: string }[] = [];
  for (const args of [['plan'], ['forecast'], ['windows', 'eu-1']]) ran.push(await cli(...args, '--repo', dir));
  const note = `note: ${dir} has no commit yet: its files on disk are read\n`;
  expect(ran.map(({ code, err }) => ({ code, err }))).toEqual(ran.map(() => ({ code: 0, err: note })));
});

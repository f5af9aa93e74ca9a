import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { fetchOrigin } from '../../src/git/native/fetch-origin.ts';
import { git } from '../../src/git/native/run-git.ts';
import { uncommittedFiles } from '../../src/git/native/uncommitted.ts';
import { workingTreeFiles } from '../../src/git/native/working-tree-files.ts';
import { openSource } from '../../src/git/source.ts';
import { folder, put, removeFolders } from '../support/folders.ts';
import { bare, commit, elsewhere, nobody, openStatus, sh } from '../support/git-repository.ts';

afterAll(removeFolders);
afterEach(() => vi.unstubAllEnvs());

const hooks = [
  'reference-transaction',
  'post-index-change',
  'pre-auto-gc',
  'pre-push',
  'post-checkout',
  'fsmonitor-watchman',
];

/** A clone in which every program that git could run is one that leaves a mark, committed with the fleet's files. */
function booby(): { readonly dir: string; readonly mark: string } {
  const mark = join(folder(), 'executed');
  const dir = join(folder(), 'clone');
  sh('.', 'clone', '-q', bare(), dir);
  const program = `#!/bin/sh\necho "$0 $*" >> ${mark}\ncat\n`;
  const programs = [...hooks.map((hook) => `.hooks/${hook}`), 'tools/run.sh'];
  put(dir, Object.fromEntries(programs.map((path) => [path, program])));
  for (const path of programs) chmodSync(join(dir, path), 0o755);
  commit(dir, { '.gitattributes': '*.yaml filter=evil diff=evil\n', 'resources/shop/cart.yaml': 'a: 1\n' });
  const run = join(dir, 'tools/run.sh');
  const settings: Record<string, string> = {
    'core.hooksPath': join(dir, '.hooks'),
    'core.fsmonitor': run,
    'core.pager': run,
    'core.editor': run,
    'core.alternateRefsCommand': run,
    'filter.evil.clean': run,
    'filter.evil.smudge': run,
    'filter.evil.required': 'true',
    'diff.evil.textconv': run,
    'diff.evil.command': run,
    'diff.external': run,
    'gpg.program': run,
    'core.sshCommand': run,
    'core.askPass': run,
    'remote.origin.uploadpack': run,
    'remote.origin.receivepack': run,
    'protocol.ext.allow': 'always',
  };
  for (const [name, value] of Object.entries(settings)) sh(dir, 'config', name, value);
  return { dir, mark };
}

describe('programs that a followed clone names in its configuration are not run', () => {
  it('while its branches are read and the status branch is written', async () => {
    const { dir, mark } = booby();
    const status = await openStatus({ repo: dir, native: true });
    const source = await openSource({ repo: dir, branch: 'main', cacheDir: folder(), credentials: nobody });
    await (await source.tree(await source.poll())).files();
    // More objects than are written one by one: git takes them as a pack.
    const files = new Map(Array.from({ length: 150 }, (_, at) => [`placements/p${at}/state.yaml`, `n: ${at}\n`]));
    const first = await status.publish(await status.read(), files, 'First');
    expect(first.kind).toBe('published');
    const next = await status.publish(first.kind === 'moved' ? await status.read() : first.tip, new Map(), 'Next');
    expect(next.kind).toBe('published');
    await status.close();
    await source.close();
    expect(existsSync(mark)).toBe(false);
  });

  it('while its working tree is looked at', async () => {
    const { dir, mark } = booby();
    put(dir, { 'resources/shop/cart.yaml': 'a: 2\n' });
    expect(await uncommittedFiles(dir)).toEqual(['resources/shop/cart.yaml']);
    expect(await workingTreeFiles(dir)).toContain('resources/shop/cart.yaml');
    expect(existsSync(mark)).toBe(false);
  });

  it('while its origin is fetched, also where another repository lends it objects', async () => {
    const { dir, mark } = booby();
    const lender = bare();
    put(dir, { '.git/objects/info/alternates': `${lender}/objects\n` });
    elsewhere(sh(dir, 'remote', 'get-url', 'origin'), { 'resources/shop/new.yaml': 'kind: ConfigMap\n' });
    expect(await fetchOrigin(dir)).toBeUndefined();
    expect(existsSync(mark)).toBe(false);
  });

  it('while an object is read that its partial clone left out', async () => {
    const { dir, mark } = booby();
    for (const [name, value] of [
      ['core.repositoryformatversion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
    ] as const)
      sh(dir, 'config', name, value);
    const blob = sh(dir, 'rev-parse', 'HEAD:resources/shop/cart.yaml').trim();
    rmSync(join(dir, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    const source = await openSource({ repo: dir, branch: 'main', cacheDir: folder(), credentials: nobody });
    const tree = await source.tree(await source.poll());
    await expect(tree.read([blob])).rejects.toThrow(/is not in/);
    await source.close();
    expect(existsSync(mark)).toBe(false);
  });

  it('by an address of its origin that is a command', async () => {
    const { dir, mark } = booby();
    sh(dir, 'remote', 'set-url', 'origin', `ext::sh -c "touch ${mark}"`);
    expect(await fetchOrigin(dir)).toMatch(/transport 'ext' not allowed/);
    expect(existsSync(mark)).toBe(false);
  });
});

describe('the configuration of the operator keeps working', () => {
  it('an ssh program named in GIT_SSH, which a repository cannot replace', async () => {
    const { dir, mark } = booby();
    const ssh = join(folder({ 'ssh.sh': `#!/bin/sh\necho "ssh of the operator" >&2\nexit 1\n` }), 'ssh.sh');
    chmodSync(ssh, 0o755);
    vi.stubEnv('GIT_SSH', ssh);
    vi.stubEnv('GIT_SSH_COMMAND', undefined);
    sh(dir, 'remote', 'set-url', 'origin', 'ssh://git@host.invalid/fleet.git');
    expect(await fetchOrigin(dir)).toMatch(/ssh of the operator/);
    expect(existsSync(mark)).toBe(false);
  });

  it('a credential helper', async () => {
    const { dir } = booby();
    sh(dir, 'config', 'credential.helper', '!f() { echo username=ann; echo password=secret; }; f');
    const filled = await git(['-C', dir, 'credential', 'fill'], { input: 'protocol=https\nhost=host.invalid\n\n' });
    expect(filled.stdout.toString('utf8')).toContain('password=secret\n');
  });

  it('a filter of the machine, such as git-lfs', async () => {
    const { dir } = booby();
    const home = folder({ '.gitconfig': '[filter "upper"]\n\tclean = tr a-z A-Z\n' });
    vi.stubEnv('HOME', home);
    vi.stubEnv('GIT_CONFIG_GLOBAL', join(home, '.gitconfig'));
    commit(dir, { '.gitattributes': '*.json filter=upper\n', 'b.json': '"B"\n' });
    put(dir, { 'b.json': '"b"\n' });
    expect(await uncommittedFiles(dir)).toEqual([]);
  });
});

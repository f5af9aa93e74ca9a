import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openRepo } from '../../../src/cli/fleet-repo/open-repo.ts';
import { GitError } from '../../../src/git/git-error.ts';
import { changeRef } from '../../../src/git/local/local-refs.ts';
import { takeLock } from '../../../src/git/local/process-lock.ts';
import { watchLocal } from '../../../src/git/local/watch-local.ts';
import { commitAll, initRepo, mergeBranch } from '../../../src/git/local/worktree.ts';
import { whileLocked } from '../../../src/git/ref-lock.ts';
import { openSource } from '../../../src/git/source.ts';
import { folder, put, removeFolders } from '../../support/folders.ts';
import { bare, clone, commit, gitThere, nobody, openStatus, sh } from '../../support/git-repository.ts';

afterAll(removeFolders);

const open = (repo: string, native?: boolean) =>
  openSource({ repo, branch: 'main', cacheDir: folder(), credentials: nobody, native });
const status = (repo: string, native?: boolean) => openStatus({ repo, native });

describe.skipIf(!gitThere)('a repository that gitfleet cannot handle', () => {
  it('with SHA-256 is refused', async () => {
    const dir = folder();
    sh(dir, 'init', '-q', '--object-format=sha256');
    await expect(open(dir)).rejects.toThrow(expect.objectContaining({ code: 'sha256-repo' }));
    commit(dir, { a: '1' });
    const remote = await open(`file://${dir}`);
    await expect(remote.poll()).rejects.toThrow(expect.objectContaining({ code: 'sha256-repo' }));
    await remote.close();
  });

  it('with a reftable is refused', async () => {
    const dir = clone();
    sh(dir, 'config', 'core.repositoryformatversion', '1');
    sh(dir, 'config', 'extensions.refstorage', 'reftable');
    await expect(open(dir)).rejects.toThrow(expect.objectContaining({ code: 'reftable-repo' }));
  });

  it('that borrows objects is refused only where there is no git to follow the alternates', async () => {
    const dir = folder();
    sh('.', 'clone', '-q', '--shared', clone(), dir);
    await expect(open(dir, false)).rejects.toThrow(expect.objectContaining({ code: 'alternates' }));
    const opened = await open(dir, true);
    expect((await (await opened.tree(await opened.poll())).files()).length).toBe(2);
  });

  it('that is not a repository is refused', async () => {
    await expect(open(folder())).rejects.toThrow(expect.objectContaining({ code: 'not-found' }));
  });
});

describe.skipIf(!gitThere)('a local repository', () => {
  it('is read while it is repacked', async () => {
    for (const native of [true, false]) {
      const dir = clone();
      for (let i = 0; i < 5; i++) commit(dir, { [`resources/${i}.yaml`]: `i: ${i}\n` });
      sh(dir, 'repack', '-adq');
      const opened = await open(dir, native);
      const files = await (await opened.tree(await opened.poll())).files();
      commit(dir, { 'resources/6.yaml': 'i: 6\n' });
      sh(dir, 'repack', '-adq');
      const tree = await opened.tree(await opened.poll());
      expect((await tree.read(files.map(({ oid }) => oid))).size).toBe(7);
    }
  });

  it('through a linked worktree shares branches and keeps its own HEAD', async () => {
    const dir = clone();
    const linked = join(folder(), 'linked');
    sh(dir, 'worktree', 'add', '-q', '-b', 'topic', linked);
    const tip = commit(linked, { topic: '1' });
    const opened = await open(linked);
    expect(await opened.poll()).toBe(sh(dir, 'rev-parse', 'main'));
    const repo = await openRepo(linked);
    expect(repo.tree.id).toBe(tip);
    await repo.close();
  });

  it('whose status branch is checked out is left alone', async () => {
    const dir = clone();
    const opened = await status(dir);
    const base = await opened.publish(await opened.read(), new Map([['x', '0']]), 'First');
    if (base.kind === 'moved') throw new Error('moved');
    sh(dir, 'checkout', '-q', 'fleet-status');
    await expect(opened.publish(base.tip, new Map([['x', '1']]), 'Second')).rejects.toThrow(
      expect.objectContaining({ code: 'checked-out' }),
    );
    expect(readFileSync(join(dir, 'x'), 'utf8')).toBe('0');
  });

  it('keeps index and working tree as they are while status is published', async () => {
    const dir = clone();
    const opened = await status(dir);
    await opened.publish(await opened.read(), new Map([['x', '0']]), 'First');
    expect(sh(dir, 'status', '--porcelain')).toBe('');
  });

  it.each([true, false])(
    'a branch with a stale lock is not written, and the lock is named (git: %s)',
    async (native) => {
      const dir = clone();
      const lock = join(dir, '.git/refs/heads/fleet-status.lock');
      put(dir, { '.git/refs/heads/fleet-status.lock': '' });
      const opened = await status(dir, native);
      const publish = async () => opened.publish(await opened.read(), new Map([['x', '0']]), 'First');
      await expect(publish()).rejects.toMatchObject({ code: 'locked', message: expect.stringContaining(lock) });
      expect(existsSync(join(dir, '.git/refs/heads/fleet-status'))).toBe(false);
      expect(existsSync(lock)).toBe(true);
      const freed = new Promise((done) => setTimeout(() => done(rmSync(lock)), 150));
      expect((await publish()).kind).toBe('published');
      await freed;
    },
  );

  it('without git a packed branch is deleted once no other process writes packed-refs', async () => {
    const dir = clone();
    const commonDir = join(dir, '.git');
    const from = sh(dir, 'rev-parse', 'main');
    sh(dir, 'branch', 'x', from);
    sh(dir, 'branch', 'y', from);
    sh(dir, 'pack-refs', '--all');
    const lock = join(commonDir, 'packed-refs.lock');
    put(dir, { '.git/packed-refs.lock': '' });
    const change = { ref: 'refs/heads/x', from, to: undefined };
    const remove = () => whileLocked(() => changeRef(commonDir, change, false));
    await expect(remove()).rejects.toMatchObject({ code: 'locked', message: expect.stringContaining(lock) });
    const freed = new Promise((done) => setTimeout(() => done(rmSync(lock)), 150));
    expect(await remove()).toBe('done');
    await freed;
    expect(sh(dir, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')).toEqual(['main', 'y']);
  });

  it('without git many writers of one ref have one winner', async () => {
    const dir = clone();
    const commonDir = join(dir, '.git');
    const from = sh(dir, 'rev-parse', 'main');
    const to = commit(dir, { b: '2' });
    sh(dir, 'branch', 'x', from);
    const change = { ref: 'refs/heads/x', from, to };
    const tryUntilFree = async (): Promise<'done' | 'moved'> => {
      for (;;) {
        const outcome = await whileLocked(() => changeRef(commonDir, change, false)).catch(unlessLocked);
        if (outcome !== 'locked') return outcome;
      }
    };
    const outcomes = await Promise.all(Array.from({ length: 20 }, tryUntilFree));
    expect(outcomes.filter((outcome) => outcome === 'done')).toEqual(['done']);
    expect(sh(dir, 'rev-parse', 'x')).toBe(to);
  });
});

describe.skipIf(!gitThere)('the watcher', () => {
  it('reports a commit made right after it started, and packed branches, but not packing alone', async () => {
    const dir = clone();
    sh(dir, 'branch', 'other');
    const reported: string[] = [];
    let wake = () => {};
    const watcher = await watchLocal(dir, ['main', 'other'], (branch) => {
      reported.push(branch);
      wake();
    });
    const next = () => new Promise<void>((resolve) => (wake = resolve));
    let heard = next();
    commit(dir, { a: '1' });
    await heard;
    sh(dir, 'pack-refs', '--all');
    heard = next();
    commit(dir, { a: '2' });
    await heard;
    heard = next();
    sh(dir, 'branch', '-f', 'other', 'main');
    await heard;
    expect(reported).toEqual(['main', 'main', 'other']);
    await watcher!.close();
  });

  it('has nothing to watch at a remote', async () => {
    expect(await watchLocal('https://example.com/fleet', ['main'], () => {})).toBeUndefined();
  });
});

describe('the working tree of the demo', () => {
  it('is committed with additions, changes and deletions, and not when nothing changed', async () => {
    const dir = folder();
    put(dir, { 'a.yaml': '1', 'b/c.yaml': '2' });
    await initRepo(dir, 'main');
    const first = await commitAll(dir, 'First');
    expect(first).toMatch(/^[0-9a-f]{40}$/);
    expect(await commitAll(dir, 'Nothing')).toBeUndefined();
    put(dir, { 'a.yaml': '10', 'd.yaml': '3' });
    expect(await commitAll(dir, 'Second')).not.toBe(first);
  });

  it.skipIf(!gitThere)('merges a branch once', async () => {
    const dir = folder();
    put(dir, { 'a.yaml': '1', 'b/c.yaml': '2' });
    await initRepo(dir, 'main');
    await commitAll(dir, 'First');
    expect(await mergeBranch(dir, 'topic', 'Merge')).toBe(false);
    sh(dir, 'checkout', '-qb', 'topic');
    commit(dir, { 'approvals/x.yaml': 'yes' });
    sh(dir, 'checkout', '-q', 'main');
    commit(dir, { 'a.yaml': '2' });
    expect(await mergeBranch(dir, 'topic', 'Merge topic')).toBe(true);
    expect(readFileSync(join(dir, 'approvals/x.yaml'), 'utf8')).toBe('yes');
    expect(sh(dir, 'status', '--porcelain')).toBe('');
    expect(sh(dir, 'log', '-1', '--format=%s %P').split(' ').length).toBe(4);
    expect(await mergeBranch(dir, 'topic', 'Merge topic')).toBe(false);
  });

  it.skipIf(!gitThere)('keeps uncommitted changes when it merges a branch', async () => {
    const dir = folder();
    put(dir, { 'a.yaml': '1' });
    await initRepo(dir, 'main');
    await commitAll(dir, 'First');
    sh(dir, 'branch', 'topic');
    sh(dir, 'checkout', '-q', 'topic');
    commit(dir, { 'approvals/x.yaml': 'yes' });
    sh(dir, 'checkout', '-q', 'main');
    put(dir, { 'a.yaml': 'being edited' });
    expect(await mergeBranch(dir, 'topic', 'Merge topic')).toBe(true);
    expect(readFileSync(join(dir, 'a.yaml'), 'utf8')).toBe('being edited');
  });
});

describe.skipIf(!gitThere)('a repo for a command', () => {
  it('inside another repository is a plain folder', async () => {
    const dir = clone();
    const repo = await openRepo(join(dir, 'resources'));
    expect((await repo.tree.files()).map(({ path }) => path)).toEqual(['shop/web.yaml']);
    expect((await repo.published()).files).toEqual(new Map());
    await repo.close();
  });

  it('is a commit by HEAD, branch, tag or id, and includes the status branch', async () => {
    for (const dir of [clone(), bare()]) {
      const tip = sh(dir, 'rev-parse', 'HEAD');
      sh(dir, 'tag', '-m', 'one', 'v1');
      const opened = await status(dir);
      await opened.publish(await opened.read(), new Map([['summary.yaml', '0']]), 'First');
      for (const repo of [dir, ...(dir.endsWith('.git') ? [`file://${dir}`] : [])])
        for (const ref of [undefined, 'main', 'v1', tip]) {
          const read = await openRepo(repo, { ref });
          expect(read.tree.id).toBe(tip);
          expect((await read.published()).files).toEqual(new Map([['summary.yaml', '0']]));
          await read.close();
        }
    }
  });

  it('that cannot be read ends the command with 3, an invalid address with 2', async () => {
    for (const [repo, ref] of [[join(folder(), 'nowhere')], [clone(), 'v9'], [folder(), 'main']] as const)
      await expect(openRepo(repo, { ref })).rejects.toThrow(expect.objectContaining({ exitCode: 3 }));
    await expect(openRepo('ext::sh')).rejects.toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});

it('a lock of a process that has ended is taken over, one of a running process is not', async () => {
  const path = join(folder(), 'lock');
  put(join(path, '..'), {
    lock: JSON.stringify({ host: (await import('node:os')).hostname(), pid: 999_999_999, started: '1' }),
  });
  const release = await takeLock(path);
  await expect(takeLock(path)).rejects.toThrow(expect.objectContaining({ code: 'locked' }));
  await release();
  await (await takeLock(path))();
});

/** On a slow machine twenty writers take longer than one of them waits. */
function unlessLocked(error: unknown): 'locked' {
  if (error instanceof GitError && error.code === 'locked') return 'locked';
  throw error;
}

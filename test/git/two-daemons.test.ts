import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { StatusBranch } from '../../src/git/status-branch.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { bare, clone, commit, gitThere, openStatus, sh } from '../support/git-repository.ts';
import { startGitServer } from '../support/http-backend-server.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});
afterAll(removeFolders);

async function open(repo: string, native?: boolean, cacheDir = folder()): Promise<StatusBranch> {
  const opened = await openStatus({ repo, native, cacheDir });
  closing.push(opened);
  return opened;
}

async function served(dir: string): Promise<string> {
  sh(dir, 'config', 'http.receivepack', 'true');
  const server = await startGitServer(dirname(dir));
  closing.push(server);
  return server.url(basename(dir));
}

const roads: readonly { name: string; native: boolean; at(dir: string): Promise<string> }[] = [
  { name: 'bare, git', native: true, at: async (dir) => dir },
  { name: 'bare, no git', native: false, at: async (dir) => dir },
  { name: 'http, git', native: true, at: served },
  { name: 'http, no git', native: false, at: served },
  { name: 'file URL', native: true, at: async (dir) => `file://${dir}` },
];

describe.skipIf(!gitThere).each(roads)('over $name', ({ native, at }) => {
  it('two daemons that read again after every lost race lose no update and end with the same', async () => {
    const dir = bare();
    const repo = await at(dir);
    const [one, two] = [await open(repo, native), await open(repo, native)];
    const work = async (status: StatusBranch, name: string): Promise<void> => {
      for (let round = 0; round < 4; round++) {
        for (let attempt = 0; ; attempt++) {
          if (attempt === 50) throw new Error('never got through');
          const tip = await status.read();
          const wanted = new Map([...tip.files, [`${name}/${round}`, 'x']]);
          if ((await status.publish(tip, wanted, `${name} ${round}`)).kind !== 'moved') break;
        }
      }
    };
    await Promise.all([work(one, 'one'), work(two, 'two')]);
    const [a, b] = [await one.read(), await two.read()];
    expect(a).toEqual(b);
    expect([...a.files.keys()].sort()).toEqual(
      ['one', 'two'].flatMap((name) => [0, 1, 2, 3].map((n) => `${name}/${n}`)),
    );
    expect(sh(dir, 'rev-list', '--count', 'fleet-status')).toBe('8');
  });

  it('a branch that was deleted and pruned is pushed whole again', async () => {
    const dir = bare();
    const status = await open(await at(dir), native);
    const wanted = new Map([
      ['a', '1'],
      ['b/c', '2'],
    ]);
    expect((await status.publish(await status.read(), wanted, 'First')).kind).toBe('published');
    sh(dir, 'update-ref', '-d', 'refs/heads/fleet-status');
    sh(dir, 'gc', '-q', '--prune=now');
    expect((await status.publish(await status.read(), wanted, 'Anew')).kind).toBe('published');
    expect(sh(dir, 'ls-tree', '-r', '--name-only', 'fleet-status')).toBe('a\nb/c');
    expect(sh(dir, 'fsck', '--strict', '--no-dangling')).toBe('');
  });
});

describe.skipIf(!gitThere)('the status branch', () => {
  it('is refused while a working tree has it checked out', async () => {
    const dir = clone();
    sh(dir, 'checkout', '-q', '--orphan', 'fleet-status');
    commit(dir, { note: 'mine\n' });
    const status = await open(dir);
    await expect(status.publish(await status.read(), new Map([['a', '1']]), 'x')).rejects.toMatchObject({
      code: 'checked-out',
    });
  });

  it('is refused while a linked worktree has it checked out', async () => {
    const dir = clone();
    sh(dir, 'worktree', 'add', '-q', '-b', 'fleet-status', join(folder(), 'linked'));
    const status = await open(dir);
    await expect(status.publish(await status.read(), new Map([['a', '1']]), 'x')).rejects.toMatchObject({
      code: 'checked-out',
    });
  });

  it('of a working clone is written beside the working tree and index', async () => {
    const dir = clone();
    const status = await open(dir);
    await status.publish(await status.read(), new Map([['a', '1']]), 'First');
    expect(sh(dir, 'status', '--porcelain')).toBe('');
    expect(sh(dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    expect(existsSync(join(dir, 'a'))).toBe(false);
  });

  it('through a linked worktree is the one of the repository', async () => {
    const dir = clone();
    const linked = join(folder(), 'linked');
    sh(dir, 'worktree', 'add', '-q', '-b', 'side', linked);
    const status = await open(linked);
    await status.publish(await status.read(), new Map([['a', '1']]), 'First');
    expect(sh(dir, 'log', '--format=%s', 'fleet-status')).toBe('First');
  });

  it('published over and over by the git binary does not fill the cache folder with loose objects', async () => {
    const cacheDir = folder();
    const status = await open(`file://${bare()}`, true, cacheDir);
    let tip = await status.read();
    for (let round = 0; round < 60; round++) {
      const wanted = new Map(
        Array.from({ length: 40 }, (_, n): [string, string] => [`clusters/m${n}.yaml`, `${round} ${n}`]),
      );
      const done = await status.publish(tip, wanted, `${round}`);
      if (done.kind === 'moved') throw new Error('nobody else writes here');
      tip = done.tip;
    }
    const files = readdirSync(cacheDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeLessThan(3_000);
    expect((await status.read()).files).toEqual(tip.files);
  });
});

import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { watchLocal } from '../../../src/git/local/watch-local.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { clone, commit, gitThere, sh } from '../../support/git-repository.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});
afterAll(removeFolders);

/** All hints so far, and the next one as a promise. */
async function watched(repo: string) {
  const hints: string[] = [];
  let reported = (): void => {};
  const watcher = await watchLocal(repo, ['main', 'fleet-status'], (branch) => {
    hints.push(branch);
    reported();
  });
  closing.push(watcher!);
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      reported = resolve;
    });
  return { hints, next };
}

describe.skipIf(!gitThere)('the watcher of a local repository', () => {
  it('reports a branch that is created and one that is deleted while it is packed, and no other branch', async () => {
    const dir = clone();
    const { hints, next } = await watched(dir);
    const appears = next();
    sh(dir, 'branch', 'other');
    sh(dir, 'branch', 'fleet-status');
    await appears;
    sh(dir, 'pack-refs', '--all');
    const goes = next();
    sh(dir, 'branch', '-D', 'fleet-status', 'other');
    await goes;
    expect(hints).toEqual(['fleet-status', 'fleet-status']);
  });

  it('reports ten quick commits at least once and not ten times', async () => {
    const dir = clone();
    const { hints, next } = await watched(dir);
    const first = next();
    for (let at = 0; at < 10; at++) commit(dir, { a: `${at}` });
    await first;
    expect(hints.length).toBeLessThan(10);
  });

  it('watches the repository that a linked worktree belongs to', async () => {
    const dir = clone();
    const linked = join(folder(), 'linked');
    sh(dir, 'worktree', 'add', '-q', '-b', 'side', linked);
    const { next } = await watched(linked);
    const hint = next();
    commit(dir, { a: '1' });
    await hint;
  });
});

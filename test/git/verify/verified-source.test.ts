import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { alwaysAsk } from '../../../src/git/ref-poll.ts';
import { gitSource } from '../../../src/git/source.ts';
import type { CommitVerifier } from '../../../src/git/verify/commit-verifier.ts';
import { verifiedSource } from '../../../src/git/verify/verified-source.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { MemoryRepo } from '../../support/memory-repo.ts';

afterAll(removeFolders);

/** A branch whose commits are signed or not, as their names say. */
function world() {
  const repo = new MemoryRepo(() => 0);
  const named = new Map<string, string>();
  const looked: string[] = [];
  const verifier: CommitVerifier = {
    async verify(_, commit) {
      const name = named.get(commit)!;
      looked.push(name);
      return name.startsWith('bad')
        ? { isVerified: false, why: `${name} is not signed` }
        : { isVerified: true, by: 'Ann' };
    },
    close: async () => {},
  };
  const memory = join(folder(), 'verified');
  const open = () => {
    const branches = repo.branches();
    return verifiedSource(gitSource(branches, { branch: 'main' }, alwaysAsk(branches)), { verifier, memory });
  };
  let source = open();
  return {
    memory,
    looked,
    restart() {
      source = open();
    },
    /** Commits, each on top of the one before or of its parents. */
    commit(name: string, parents?: readonly string[], branch = 'main'): string {
      const oid = repo.commit(branch, { name }, name, parents);
      named.set(oid, name);
      return oid;
    },
    /** What is acted on, and why not the tip. */
    async sees({ isActedOn = true } = {}) {
      const commit = await source.poll();
      if (isActedOn) source.actsOn(commit);
      const { first, why, count, verified, tip } = source.unverified() ?? {};
      expect(verified ?? commit).toBe(commit);
      expect(tip ?? commit).toBe(repo.tip('main'));
      return first === undefined ? named.get(commit) : `${named.get(commit)}; ${named.get(first)}: ${why}; ${count}`;
    },
  };
}

describe('the commit that is acted on', () => {
  it('is the tip as long as every commit verifies', async () => {
    const it = world();
    for (const name of ['a', 'b', 'c']) {
      it.commit(name);
      expect(await it.sees()).toBe(name);
    }
    for (const name of ['d', 'e', 'f']) it.commit(name);
    expect(await it.sees()).toBe('f');
  });

  it('is the last one before a commit that does not verify, whatever follows', async () => {
    const it = world();
    const good = it.commit('a');
    await it.sees();
    it.commit('bad');
    expect(await it.sees()).toBe('a; bad: bad is not signed; 1');
    it.commit('c');
    expect(await it.sees()).toBe('a; bad: bad is not signed; 2');
    // The branch is pushed again without it.
    it.commit('d', [good]);
    expect(await it.sees()).toBe('d');
  });

  it('moves to the commits before the first that does not verify', async () => {
    const it = world();
    it.commit('a');
    await it.sees();
    for (const name of ['b', 'c', 'bad', 'd']) it.commit(name);
    expect(await it.sees()).toBe('c; bad: bad is not signed; 2');
  });

  it('is a merge that is signed, whatever it merges', async () => {
    const it = world();
    const a = it.commit('a');
    await it.sees();
    const side = it.commit('bad side', [a], 'side');
    it.commit('merge', [a, side]);
    expect(await it.sees()).toBe('merge');
  });

  it('is not a merge that is not signed, of whatever it merges', async () => {
    const it = world();
    const a = it.commit('a');
    await it.sees();
    it.commit('bad merge', [a, it.commit('side', [a], 'side')]);
    expect(await it.sees()).toBe('a; bad merge: bad merge is not signed; 1');
  });

  it('is not a merge whose first parent is not the branch, if that does not verify', async () => {
    const it = world();
    const root = it.commit('root');
    const a = it.commit('a', [root]);
    await it.sees();
    const side = it.commit('side', [it.commit('bad side', [root], 'side')], 'side');
    it.commit('foxtrot', [side, a]);
    expect(await it.sees()).toBe('a; bad side: bad side is not signed; 3');
  });

  it('is no other line of the branch, unless its tip verifies', async () => {
    const it = world();
    const root = it.commit('root');
    it.commit('a');
    await it.sees();
    it.commit('bad', [root]);
    expect(await it.sees()).toBe('a; bad: bad is not signed; 1');
    it.commit('b', [root]);
    expect(await it.sees()).toBe('b');
  });
});

describe('a start', () => {
  it('without memory begins with the newest commit that verifies', async () => {
    const it = world();
    for (const name of ['bad old', 'a', 'bad 1', 'bad 2']) it.commit(name);
    expect(await it.sees()).toBe('a; bad 1: bad 1 is not signed; 2');
  });

  it('remembers the last verified commit', async () => {
    const it = world();
    it.commit('a');
    await it.sees();
    it.commit('bad');
    it.commit('c');
    it.restart();
    expect(await it.sees()).toBe('a; bad: bad is not signed; 2');
    rmSync(it.memory);
    it.restart();
    expect(await it.sees()).toBe('c');
    expect(readFileSync(it.memory, 'utf8')).toMatch(/^[0-9a-f]{40}\nmain\n$/);
  });

  it('forgets what is not acted on', async () => {
    const it = world();
    it.commit('a');
    it.commit('bad');
    expect(await it.sees({ isActedOn: false })).toBe('a; bad: bad is not signed; 1');
    expect(existsSync(it.memory)).toBe(false);
    it.commit('b');
    expect(await it.sees()).toBe('b');
    it.commit('bad');
    expect(await it.sees()).toBe('b; bad: bad is not signed; 1');
  });

  it('fails where no commit verifies', async () => {
    const it = world();
    it.commit('bad');
    await expect(it.sees()).rejects.toThrow('no commit of main is signed by a key of --verify-keys');
    expect(existsSync(it.memory)).toBe(false);
  });
});

it('a tip is judged once', async () => {
  const it = world();
  it.commit('a');
  for (let at = 0; at < 3; at++) await it.sees();
  expect(it.looked).toEqual(['a']);
});

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { mergeTrees } from '../../src/git/merge-trees.ts';
import { openObjects } from '../../src/git/objects/open-objects.ts';
import { folder, put, removeFolders } from '../support/folders.ts';
import { gitThere, sh } from '../support/git-repository.ts';

afterAll(removeFolders);

let dir: string;
beforeEach(() => {
  dir = folder();
  sh(dir, 'init', '-q');
});

type Files = Readonly<Record<string, string>>;

/** A commit of exactly these files, with any parents, at any time that its author claims. */
function commit(files: Files, parents: readonly string[], year = 2026): string {
  sh(dir, 'rm', '-rfq', '--ignore-unmatch', '.');
  put(dir, files);
  sh(dir, 'add', '-A');
  const date = `${year}-01-01T00:00:00Z`;
  const people = ['AUTHOR', 'COMMITTER'].map((who) => [`GIT_${who}_NAME`, 'Ann'] as const);
  const addresses = ['AUTHOR', 'COMMITTER'].map((who) => [`GIT_${who}_EMAIL`, 'ann@example.com'] as const);
  const env = {
    ...process.env,
    ...Object.fromEntries([...people, ...addresses]),
    ...{ GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  };
  const named = parents.flatMap((parent) => ['-p', parent]);
  const args = ['-C', dir, 'commit-tree', sh(dir, 'write-tree'), ...named, '-m', 'Change'];
  return execFileSync('git', args, { env }).toString('utf8').trim();
}

const merge = (ours: string, theirs: string, native = true) =>
  mergeTrees(openObjects(join(dir, '.git'), native), { ours, theirs });

const pathsOf = async (merged: ReturnType<typeof merge>): Promise<string[]> =>
  (await (await merged).tree.files()).map(({ path }) => path).sort();

const lines = (first: string, last: string): string => [first, 'b: 1', 'c: 1', 'd: 1', 'e: 1', last, ''].join('\n');

describe.skipIf(!gitThere)('the merge of a pull request', () => {
  describe.each([
    ['with git', true],
    ['without git', false],
  ])('%s', (_, native) => {
    it('begins where the two parted, whatever dates its commits claim', async () => {
      const first = commit({ 'a.yaml': 'a: 1\n' }, []);
      const guarded = commit({ 'a.yaml': 'a: 1\n', 'limits.yaml': 'guard: strict\n' }, [first]);
      const removed = commit({ 'a.yaml': 'a: 1\n' }, [guarded], 1970);
      // Newer than what it comes from, with the first commit as another parent.
      const theirs = commit({ 'a.yaml': 'a: 1\n' }, [removed, first], 2030);
      const ours = commit({ 'a.yaml': 'a: 1\n', 'limits.yaml': 'guard: strict\n', 'b.yaml': 'b: 1\n' }, [guarded]);
      expect(await pathsOf(merge(ours, theirs, native))).toEqual(['a.yaml', 'b.yaml']);
      expect(sh(dir, 'merge-tree', '--write-tree', ours, theirs)).toBe(
        sh(dir, 'rev-parse', `${commit({ 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' }, [])}^{tree}`),
      );
    });

    it('that was merged crosswise is refused', async () => {
      const first = commit({ 'a.yaml': 'a: 1\n' }, []);
      const [left, right] = ['left', 'right'].map((name) => commit({ [`${name}.yaml`]: 'a: 1\n' }, [first]));
      const crossed = [
        [left!, right!],
        [right!, left!],
      ].map((parents) => commit({ 'left.yaml': 'a: 1\n', 'right.yaml': 'a: 1\n' }, parents));
      const tips = crossed.map((parent, at) => commit({ [`${at}.yaml`]: 'a: 1\n' }, [parent]));
      await expect(merge(tips[0]!, tips[1]!, native)).rejects.toMatchObject({ code: 'several-bases' });
    });

    it('without a common commit is refused', async () => {
      const [ours, theirs] = ['a', 'b'].map((name) => commit({ [`${name}.yaml`]: 'a: 1\n' }, []));
      await expect(merge(ours!, theirs!, native)).rejects.toMatchObject({ code: 'not-found' });
    });
  });

  /** Both sides change these files, one at the beginning and one at the end. */
  function bothChange(names: readonly string[], last: string): ReturnType<typeof merge> {
    const all = (text: string): Files => Object.fromEntries(names.map((name) => [name, text]));
    const base = commit(all(lines('a: 1', 'z: 1')), []);
    return merge(commit(all(lines('a: 2', 'z: 1')), [base]), commit(all(lines('a: 1', last)), [base]));
  }

  it('merges by line what a fleet reads, and takes other files as the pull request has them', async () => {
    const { tree, conflicts } = await bothChange(['.github/ci.yaml', 'a.txt', 'a.yaml'], 'z: 2');
    const files = await tree.files();
    const contents = await tree.read(files.map(({ oid }) => oid));
    expect(conflicts).toEqual([]);
    expect(files.map(({ path, oid }) => [path, Buffer.from(contents.get(oid)!).toString('utf8')]).sort()).toEqual([
      ['.github/ci.yaml', lines('a: 1', 'z: 2')],
      ['a.txt', lines('a: 1', 'z: 2')],
      ['a.yaml', lines('a: 2', 'z: 2')],
    ]);
  });

  it('does not merge files of more than 1 MiB', async () => {
    const { conflicts } = await bothChange(['a.yaml'], `z: ${'z'.repeat(1 << 20)}`);
    expect(conflicts).toEqual(['a.yaml (too large to merge)']);
  });

  it('keeps at most 16 MiB of merged texts, and a little', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `f${at}.yaml`);
    const { tree, conflicts } = await bothChange(names, `z: ${'z'.repeat(1_000_000)}`);
    // The same text each time, so that the test is fast; it counts each time.
    expect(conflicts.length).toBe(13);
    expect(new Set(conflicts.map((text) => text.replace(/^\S+/, '')))).toEqual(new Set([' (too many to merge)']));
    expect((await tree.files()).length).toBe(17);
  });

  it('merges at most 200 files', async () => {
    const names = Array.from({ length: 203 }, (_, at) => `f${at}.yaml`);
    expect((await bothChange(names, 'z: 2')).conflicts.length).toBe(3);
  });
});

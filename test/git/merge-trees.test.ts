import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mergeTrees } from '../../src/git/merge-trees.ts';
import { openObjects } from '../../src/git/objects/open-objects.ts';
import { folder, put, removeFolders } from '../support/folders.ts';
import { commit, gitThere, sh } from '../support/git-repository.ts';

afterAll(removeFolders);

const lines = (...changed: readonly [number, string][]): string =>
  Array.from({ length: 12 }, (_, at) => `${new Map(changed).get(at) ?? `line ${at}`}\n`).join('');

describe.skipIf(!gitThere)('a merge in memory', () => {
  /** Both sides change these files of a common commit; undefined deletes. */
  function sides(ours: Record<string, string | undefined>, theirs: Record<string, string | undefined>) {
    const dir = folder();
    sh(dir, 'init', '-q');
    commit(dir, { 'a.yaml': lines(), 'b.yaml': 'b', 'c/d.yaml': 'd' }, 'Base');
    const side = (name: string, files: Record<string, string | undefined>) => {
      sh(dir, 'checkout', '-q', '-b', name, 'main');
      for (const [path, text] of Object.entries(files)) if (text === undefined) sh(dir, 'rm', '-q', path);
      const written = Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined);
      put(dir, Object.fromEntries(written));
      sh(dir, 'add', '-A');
      sh(dir, 'commit', '-q', '--allow-empty', '-m', name);
      return sh(dir, 'rev-parse', 'HEAD');
    };
    return { dir, ours: side('ours', ours), theirs: side('theirs', theirs) };
  }

  const merged = async ({ dir, ...of }: ReturnType<typeof sides>) => {
    const { tree, conflicts } = await mergeTrees(openObjects(join(dir, '.git'), true), of);
    const files = await tree.files();
    const contents = await tree.read(files.map(({ oid }) => oid));
    const sizes = await tree.sizes!(files.map(({ oid }) => oid));
    const texts = files.map(({ path, oid }) => [path, Buffer.from(contents.get(oid)!).toString('utf8')] as const);
    for (const [at, [, text]] of texts.entries()) expect(sizes.get(files[at]!.oid)).toBe(text.length);
    return { texts: Object.fromEntries(texts), conflicts };
  };

  it('has what both changed: other files, and other lines of one file', async () => {
    const of = sides(
      { 'a.yaml': lines([1, 'ours']), 'new.yaml': 'ours', 'b.yaml': undefined },
      { 'a.yaml': lines([10, 'theirs']), 'c/d.yaml': 'changed' },
    );
    expect(await merged(of)).toEqual({
      texts: { 'a.yaml': lines([1, 'ours'], [10, 'theirs']), 'new.yaml': 'ours', 'c/d.yaml': 'changed' },
      conflicts: [],
    });
    sh(of.dir, 'checkout', '-q', 'ours');
    sh(of.dir, 'merge', '-q', '--no-edit', 'theirs');
    expect(`${sh(of.dir, 'show', 'HEAD:a.yaml')}\n`).toBe(lines([1, 'ours'], [10, 'theirs']));
  });

  it.each([
    ['the same line', { 'a.yaml': lines([1, 'ours']) }, { 'a.yaml': lines([1, 'theirs']) }, ['a.yaml']],
    ['a deleted file', { 'b.yaml': undefined }, { 'b.yaml': 'changed' }, ['b.yaml']],
    ['a file that both added', { 'n.yaml': '1' }, { 'n.yaml': '2' }, ['n.yaml']],
    ['equal changes', { 'b.yaml': 'same' }, { 'b.yaml': 'same' }, []],
    ['nothing', {}, { 'b.yaml': 'theirs' }, []],
  ])('of %s names the conflicts', async (_, ours, theirs, conflicts) => {
    expect((await merged(sides(ours, theirs))).conflicts).toEqual(conflicts);
  });
});

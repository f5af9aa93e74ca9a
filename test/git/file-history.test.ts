import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fileChanges } from '../../src/git/objects/changes.ts';
import { subjectOf } from '../../src/git/objects/commit.ts';
import { openObjects } from '../../src/git/objects/open-objects.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { commit, gitThere, sh } from '../support/git-repository.ts';

afterAll(removeFolders);

describe.skipIf(!gitThere).each([true, false])('history, git binary: %s', (native) => {
  const dir = folder();
  sh(dir, 'init', '-q');
  const first = commit(dir, { 'a/x.yaml': '1', 'b.yaml': '1' }, 'First\n\nWith a body');
  const second = commit(dir, { 'a/x.yaml': '2', 'a/[x].yaml': '2' }, 'Second');
  sh(dir, 'rm', '-q', 'b.yaml');
  const third = commit(dir, {}, 'Third');
  const objects = openObjects(join(dir, '.git'), native);

  it('lists commits newest first, at most the requested number', async () => {
    expect(await objects.log(third, { most: 10 })).toEqual([third, second, first]);
    expect(await objects.log(third, { most: 2 })).toEqual([third, second]);
  });

  it('lists the commits that changed one file, whatever characters its name holds', async () => {
    expect(await objects.log(third, { most: 10, path: 'a/x.yaml' })).toEqual([second, first]);
    expect(await objects.log(third, { most: 10, path: 'a/[x].yaml' })).toEqual([second]);
    expect(await objects.log(third, { most: 1, path: 'b.yaml' })).toEqual([third]);
  });

  it('reads the author and the message of commits', async () => {
    const [one] = await objects.commits([first]);
    expect(one).toMatchObject({
      oid: first,
      parents: [],
      author: { name: 'Ann', email: 'ann@example.com', at: Number(sh(dir, 'log', '-1', '--format=%at', first)) * 1000 },
      message: 'First\n\nWith a body',
    });
    expect(subjectOf(one!)).toBe('First');
  });

  it('lists the files that differ between trees', async () => {
    const [one, two, three] = await objects.commits([first, second, third]);
    const oid = (at: string, path: string) => sh(dir, 'rev-parse', `${at}:${path}`);
    expect(
      await fileChanges(objects, [
        { before: one!.tree, after: two!.tree },
        { before: two!.tree, after: three!.tree },
        { before: undefined, after: one!.tree },
        { before: one!.tree, after: one!.tree },
      ]),
    ).toEqual([
      [
        { path: 'a/x.yaml', before: oid(first, 'a/x.yaml'), after: oid(second, 'a/x.yaml') },
        { path: 'a/[x].yaml', before: undefined, after: oid(second, 'a/[x].yaml') },
      ],
      [{ path: 'b.yaml', before: oid(first, 'b.yaml'), after: undefined }],
      [
        { path: 'b.yaml', before: undefined, after: oid(first, 'b.yaml') },
        { path: 'a/x.yaml', before: undefined, after: oid(first, 'a/x.yaml') },
      ],
      [],
    ]);
  });
});

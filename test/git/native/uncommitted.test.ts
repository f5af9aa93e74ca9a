import { afterAll, expect, it } from 'vitest';
import { uncommittedFiles } from '../../../src/git/native/uncommitted.ts';
import { folder, put, removeFolders } from '../../support/folders.ts';
import { bare, clone, commit, sh } from '../../support/git-repository.ts';

afterAll(removeFolders);

it('manifests that were changed, added, staged or deleted since the last commit are listed, and nothing else', async () => {
  const dir = clone();
  commit(dir, { 'a.yaml': 'a: 1\n', 'b.yml': 'b: 1\n', 'c d.json': '{}\n', 'notes.md': 'x\n', '.gitignore': 'out/\n' });
  expect(await uncommittedFiles(dir)).toEqual([]);
  put(dir, {
    'a.yaml': 'a: 2\n',
    'c d.json': '{"c": 1}\n',
    'new/e.yaml': 'e: 1\n',
    'notes.md': 'y\n',
    'out/f.yaml': 'f: 1\n',
    '.schemas/g.json': '{}\n',
  });
  sh(dir, 'rm', '-q', 'b.yml');
  sh(dir, 'add', 'c d.json');
  expect([...(await uncommittedFiles(dir))].sort()).toEqual(['a.yaml', 'b.yml', 'c d.json', 'new/e.yaml']);
});

it('there is nothing to commit in a bare repository or a plain folder', async () => {
  expect(await Promise.all([bare(), folder()].map(uncommittedFiles))).toEqual([[], []]);
});

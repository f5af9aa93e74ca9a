import fs from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadIsomorphic } from '../load-isomorphic.ts';
import type { FileEdits } from '../objects/edit-tree.ts';
import { newObject } from '../objects/new-objects.ts';

/** Where a working tree and its index are. */
export interface WorkingTree {
  readonly dir: string;
  readonly gitDir: string;
}

/** Whether it is on this branch, also where another working tree of the repository is at the same commit. */
export const hasCheckedOut = async ({ gitDir }: WorkingTree, ref: string): Promise<boolean> =>
  (await readFile(join(gitDir, 'HEAD'), 'utf8').catch(() => '')).trim() === `ref: ${ref}`;

/** Those of the files whose text in the working tree differs from the commit; `committed` has the texts of the commit. */
export async function uncommitted({ dir }: WorkingTree, committed: FileEdits): Promise<string[]> {
  const found: string[] = [];
  for (const [path, text] of committed) {
    const there = await readFile(join(dir, path), 'utf8').catch(() => undefined);
    if (there !== text) found.push(path);
  }
  return found;
}

/** Updates some files of a working tree, and its index, to the contents of a commit that was just made. */
export async function bringAlong({ dir, gitDir }: WorkingTree, edits: FileEdits): Promise<void> {
  const isomorphic = await loadIsomorphic();
  for (const [path, text] of edits) {
    const index = { fs, dir, gitdir: gitDir, filepath: path };
    if (text === undefined) {
      await rm(join(dir, path), { force: true });
      await isomorphic.updateIndex({ ...index, remove: true, force: true });
      continue;
    }
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
    await isomorphic.updateIndex({ ...index, add: true, oid: newObject('blob', Buffer.from(text)).oid });
  }
}

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Branches } from '../branches.ts';
import { GitError } from '../git-error.ts';
import { openObjects } from '../objects/open-objects.ts';
import { writeObjects } from '../objects/write-objects.ts';
import { changeRef, listRefs, readHead } from './local-refs.ts';
import { locate, refuseUnknownFormat } from './locate.ts';

/** A repository on this machine, read and written in place. */
export async function localBranches(path: string, native: boolean): Promise<Branches> {
  const located = await locate(path);
  if (located === undefined) {
    const isThere = await stat(path).catch(() => undefined);
    const what = isThere ? 'is not a git repository: run git init there, or' : 'does not exist:';
    throw new GitError('not-found', `${path} ${what} name another --repo`);
  }
  const { commonDir, gitDir, bare } = located;
  await refuseUnknownFormat(commonDir, native);
  async function under(prefix: string): Promise<Map<string, string>> {
    if (prefix !== 'HEAD') return listRefs(commonDir, prefix);
    const oid = await readHead(gitDir, commonDir);
    return new Map(oid === undefined ? [] : [[prefix, oid]]);
  }

  return {
    name: path,
    remote: false,
    objects: openObjects(commonDir, native),
    async list(prefixes) {
      const found = new Map<string, string>();
      for (const prefix of prefixes) for (const [ref, oid] of await under(prefix)) found.set(ref, oid);
      return found;
    },
    obtain: async () => {},
    deepen: async () => false,
    keepOnly: async () => {},
    async change({ objects, ...change }) {
      await writeObjects(commonDir, objects, native);
      return changeRef(commonDir, change, native);
    },
    async checkedOut(ref) {
      const linked = await readdir(join(commonDir, 'worktrees')).catch(() => []);
      const heads = linked.map((name) => join(commonDir, 'worktrees', name, 'HEAD'));
      // HEAD of a bare repository is only the default branch of clones.
      if (!bare) heads.push(join(commonDir, 'HEAD'));
      const texts = await Promise.all(heads.map((head) => readFile(head, 'utf8').catch(() => '')));
      return texts.some((text) => text.trim() === `ref: ${ref}`);
    },
    close: async () => {},
  };
}

import fs from 'node:fs';
import { GitError } from '../git-error.ts';
import { loadIsomorphic } from '../load-isomorphic.ts';
import { git, gitOrThrow } from '../native/run-git.ts';
import { type Commit, parseCommit } from './commit.ts';
import { isFolder, type TreeEntry } from './new-objects.ts';
import type { Objects, StoredObject } from './objects.ts';
import { nativeRead, pureFault, pureRead, throughRepacks } from './read-objects.ts';

/** `native` reads through `git cat-file --batch` (60 to 100 times faster on packs), otherwise isomorphic-git reads. */
export function openObjects(gitdir: string, native: boolean): Objects {
  const read = native ? nativeRead(gitdir) : pureRead(gitdir);
  return objectsFrom(read, native ? nativeHistory(gitdir, read) : pureHistory(gitdir));
}

/** Everything else that can be told from reading objects. */
export function objectsFrom(read: Objects['read'], { log, isAncestor }: Pick<Objects, 'log' | 'isAncestor'>): Objects {
  let known = new Map<string, readonly TreeEntry[]>();

  async function commits(oids: readonly string[]): Promise<Commit[]> {
    const found = await read(oids);
    return oids.map((oid) => {
      const { type, content } = found.get(oid)!;
      if (type !== 'commit') throw new GitError('object-missing', `${oid} is a ${type}, not a commit`);
      return parseCommit(oid, content.toString('utf8'));
    });
  }

  const commit = async (oid: string): Promise<Commit> => (await commits([oid]))[0]!;

  /** All folders under a tree, one bulk read for each level of depth. Keeps only what this listing used. */
  async function folders(root: string): Promise<Map<string, readonly TreeEntry[]>> {
    const used = new Map<string, readonly TreeEntry[]>();
    let level = [root];
    while (level.length > 0) {
      const missing = level.filter((oid) => !known.has(oid));
      const fetched = missing.length === 0 ? new Map<string, StoredObject>() : await read(missing);
      for (const oid of level) used.set(oid, known.get(oid) ?? parseTree(fetched.get(oid)!.content));
      const inner = level.flatMap((oid) =>
        used
          .get(oid)!
          .filter(isFolder)
          .map((entry) => entry.oid),
      );
      level = [...new Set(inner)].filter((oid) => !used.has(oid));
    }
    known = used;
    return used;
  }

  return {
    read,
    commit,
    commits,
    log,
    has: (oid) => areThere(read, [oid]),
    async tree(oid) {
      return known.get(oid) ?? parseTree((await read([oid])).get(oid)!.content);
    },
    async files(id) {
      const root = (await commit(id)).tree;
      const entries = await folders(root);
      const files: { path: string; oid: string; mode: string }[] = [];
      const collect = (oid: string, prefix: string): void => {
        for (const entry of entries.get(oid)!) {
          if (isFolder(entry)) collect(entry.oid, `${prefix}${entry.name}/`);
          else files.push({ path: prefix + entry.name, oid: entry.oid, mode: entry.mode });
        }
      };
      collect(root, '');
      return {
        id,
        files: async () => files,
        read: async (oids) => new Map([...(await read(oids))].map(([oid, { content }]) => [oid, content])),
      };
    },
    async oidsOf(id) {
      const root = (await commit(id)).tree;
      const all = new Set<string>([root]);
      for (const entries of (await folders(root)).values()) for (const { oid } of entries) all.add(oid);
      return all;
    },
    isAncestor: async (ancestor, of) => ancestor === of || isAncestor(ancestor, of),
  };
}

/** False only where one is known to be missing. Errors: GitError, where that cannot be known. */
const areThere = (read: Objects['read'], oids: readonly string[]): Promise<boolean> =>
  read(oids).then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitError && error.code === 'object-missing') return false;
      throw error;
    },
  );

type History = Pick<Objects, 'log' | 'isAncestor'>;

const nativeHistory = (gitdir: string, read: Objects['read']): History => ({
  async log(tip, { most, path }) {
    const limit = [
      '--literal-pathspecs',
      'rev-list',
      `--max-count=${most}`,
      tip,
      ...(path === undefined ? [] : ['--', path]),
    ];
    const listed = (await gitOrThrow(limit, { gitdir })).toString('latin1').trim();
    return listed === '' ? [] : listed.split('\n');
  },
  async isAncestor(ancestor, of) {
    const { code, stderr } = await git(['merge-base', '--is-ancestor', ancestor, of], { gitdir });
    if (code === 0 || code === 1) return code === 0;
    // Git ends alike where a commit is not there and where it cannot be read: the first is an answer, the second is none.
    if (!(await areThere(read, [ancestor, of]))) return false;
    throw new GitError('failed', `git merge-base in ${gitdir}: ${stderr}`);
  },
});

const pureHistory = (gitdir: string): History => ({
  async log(tip, { most, path }) {
    const isomorphic = await loadIsomorphic();
    const found = await isomorphic.log({
      fs,
      gitdir,
      ref: tip,
      ...(path === undefined ? { depth: most } : { filepath: path, force: true }),
    });
    return found.slice(0, most).map(({ oid }) => oid);
  },
  async isAncestor(ancestor, of) {
    const isomorphic = await loadIsomorphic();
    const unlessRepacked = throughRepacks();
    return unlessRepacked((cache) =>
      isomorphic.isDescendent({ fs, gitdir, oid: of, ancestor, depth: -1, cache }),
    ).catch(async (error: unknown) => {
      const fault = await pureFault(error, gitdir);
      if (fault.code === 'object-missing') return false;
      throw fault;
    });
  },
});

/** The entries of a tree object. */
export function parseTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(32, at);
    const zero = content.indexOf(0, space);
    entries.push({
      mode: content.toString('latin1', at, space),
      name: content.toString('utf8', space + 1, zero),
      oid: content.toString('hex', zero + 1, zero + 21),
    });
    at = zero + 21;
  }
  return entries;
}

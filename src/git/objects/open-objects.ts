import fs from 'node:fs';
import { GitError } from '../git-error.ts';
import { loadIsomorphic } from '../load-isomorphic.ts';
import { git, gitOrThrow } from '../native/run-git.ts';
import { boundedRead } from './bounded-read.ts';
import { type Commit, parseCommit } from './commit.ts';
import { treeOfFolder } from './folder-of-tree.ts';
import { deepestFolder, listFiles } from './list-files.ts';
import { mergeBases as basesByParents } from './merge-bases.ts';
import { nativeReadSmall } from './native-read-small.ts';
import { isFolder, type TreeEntry } from './new-objects.ts';
import { nativeSizes, pureSizes } from './object-sizes.ts';
import type { ObjectStore, Objects, StoredObject } from './objects.ts';
import { parseTree } from './parse-tree.ts';
import { nativeRead, pureFault, pureRead, throughRepacks } from './read-objects.ts';

/** `native` reads through `git cat-file --batch` (60 to 100 times faster on packs), otherwise isomorphic-git reads. */
export function openObjects(gitdir: string, native: boolean): Objects {
  const store: ObjectStore = native
    ? { read: nativeRead(gitdir), sizes: nativeSizes(gitdir), readSmall: nativeReadSmall(gitdir) }
    : { read: pureRead(gitdir), sizes: pureSizes(gitdir) };
  return objectsFrom(store, native ? nativeHistory(gitdir, store.read) : pureHistory(gitdir));
}

/** The operations that need nothing but reading objects. */
export function objectsFrom(store: ObjectStore, { log, isAncestor, firstParents, mergeBases }: History): Objects {
  const { read, readSmall, sizes } = boundedRead(store);
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
  const tree = async (oid: string): Promise<readonly TreeEntry[]> =>
    known.get(oid) ?? parseTree((await read([oid])).get(oid)!.content);
  const has = (oid: string): Promise<boolean> => areThere(read, [oid]);

  /**
   * All folders under a tree, one bulk read for each level of depth. Keeps only what this listing used. Leaves out those that are
   * too large, too deep or not trees; for the root this is an error.
   */
  async function folders(root: string): Promise<Map<string, readonly TreeEntry[]>> {
    const used = new Map<string, readonly TreeEntry[]>();
    // Another listing may end meanwhile, and keep other folders.
    const before = known;
    let level = [root];
    for (let depth = 0; level.length > 0 && depth < deepestFolder; depth++) {
      const missing = level.filter((oid) => !before.has(oid));
      // A root that is too large is an error; other folders that are too large are left out.
      const fetched =
        missing.length === 0 ? new Map<string, StoredObject>() : await (depth === 0 ? read : readSmall)(missing);
      for (const oid of level) {
        const entries = before.get(oid) ?? entriesOf(fetched.get(oid));
        if (entries !== undefined) used.set(oid, entries);
      }
      const inner = level.flatMap((oid) => (used.get(oid) ?? []).filter(isFolder).map((entry) => entry.oid));
      level = [...new Set(inner)].filter((oid) => !used.has(oid));
    }
    if (!used.has(root)) throw new GitError('failed', `${root} is not a readable folder: run git fsck`);
    known = used;
    return used;
  }

  return {
    read,
    sizes,
    commit,
    commits,
    log,
    firstParents: firstParents ?? ((tip, most) => lineFrom(tip, { most, commit })),
    has,
    mergeBases: mergeBases ?? ((ours, theirs) => basesByParents({ commits, has }, ours, theirs)),
    tree,
    async files(id, folder = '') {
      const root = await treeOfFolder(tree, (await commit(id)).tree, folder);
      const files = root === undefined ? [] : listFiles(root, await folders(root));
      return {
        id,
        files: async () => files,
        sizes,
        read: async (oids) => new Map([...(await read(oids))].map(([oid, { content }]) => [oid, content])),
      };
    },
    async oidsOf(id) {
      const root = (await commit(id)).tree;
      const all = new Set<string>([root]);
      for (const entries of (await folders(root)).values()) for (const { oid } of entries) all.add(oid);
      return all;
    },
    isAncestor: async (ancestor, of) =>
      ancestor === of ||
      isAncestor(ancestor, of).catch(async (error: unknown) => {
        // What is there but no commit has no history: a record edited by hand may name such an object.
        const named = await read([ancestor, of]).catch(() => new Map<string, StoredObject>());
        if ([...named.values()].some(({ type }) => type !== 'commit')) return false;
        throw error;
      }),
  };
}

function entriesOf(object: StoredObject | undefined): TreeEntry[] | undefined {
  if (object?.type !== 'tree') return undefined;
  try {
    return parseTree(object.content);
  } catch {
    return undefined;
  }
}

/** False only if one is known to be missing. Errors: GitError, if that cannot be known. */
const areThere = (read: Objects['read'], oids: readonly string[]): Promise<boolean> =>
  read(oids).then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitError && error.code === 'object-missing') return false;
      throw error;
    },
  );

type History = Pick<Objects, 'log' | 'isAncestor'> & Partial<Pick<Objects, 'firstParents' | 'mergeBases'>>;

async function lineFrom(
  tip: string,
  { most, commit }: Pick<Objects, 'commit'> & { readonly most: number },
): Promise<readonly string[]> {
  const line: string[] = [];
  for (let next: string | undefined = tip; next !== undefined && line.length < most; ) {
    const found: Commit | undefined = await commit(next).catch((error: unknown) => {
      if (error instanceof GitError && error.code === 'object-missing') return undefined;
      throw error;
    });
    if (found === undefined) break;
    line.push(next);
    next = found.parents[0];
  }
  return line;
}

const nativeHistory = (gitdir: string, read: Objects['read']): History => ({
  log: (tip, { most, path }) =>
    revList(gitdir, [`--max-count=${most}`, tip, ...(path === undefined ? [] : ['--', path])]),
  firstParents: (tip, most) => revList(gitdir, ['--first-parent', `--max-count=${most}`, tip]),
  async isAncestor(ancestor, of) {
    const { code, stderr } = await git(['merge-base', '--is-ancestor', ancestor, of], { gitdir });
    if (code === 0 || code === 1) return code === 0;
    // Git exits the same for a commit that does not exist and for one that cannot be read: only the first means false.
    if (!(await areThere(read, [ancestor, of]))) return false;
    throw new GitError('failed', `git merge-base in ${gitdir}: ${stderr}`);
  },
  async mergeBases(ours, theirs) {
    const { code, stdout, stderr } = await git(['merge-base', '--all', ours, theirs], { gitdir });
    if (code !== 0 && code !== 1) throw new GitError('failed', `git merge-base in ${gitdir}: ${stderr}`);
    return stdout.toString('latin1').split('\n').filter(Boolean).sort();
  },
});

async function revList(gitdir: string, args: readonly string[]): Promise<readonly string[]> {
  const listed = (await gitOrThrow(['--literal-pathspecs', 'rev-list', ...args], { gitdir })).toString('latin1').trim();
  return listed === '' ? [] : listed.split('\n');
}

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

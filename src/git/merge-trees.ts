import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RepoTree, TreeFile } from '../repo/tree.ts';
import { GitError } from './git-error.ts';
import { git, hasGit } from './native/run-git.ts';
import { newObject } from './objects/new-objects.ts';
import type { Objects } from './objects/objects.ts';

/** Commits that are read to find where two branches parted. */
const mostCommits = 20_000;

export interface MergedTree {
  readonly tree: RepoTree;
  /** Files that both sides changed in ways that do not go together, sorted. Empty = the merge is clean. */
  readonly conflicts: readonly string[];
}

/**
 * The files as merging `theirs` into `ours` would leave them, without writing to the repository: three-way by file, by line (`git
 * merge-file`) where both changed one. A renamed file that the other side changed is a conflict. Error `not-found`: no common history.
 */
export async function mergeTrees(
  objects: Objects,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<MergedTree> {
  const base = await mergeBase(objects, ours, theirs);
  if (base === undefined)
    throw new GitError('not-found', `${ours.slice(0, 12)} and ${theirs.slice(0, 12)} have no common commit`);
  if (base === ours) return { tree: await objects.files(theirs), conflicts: [] };
  if (base === theirs) return { tree: await objects.files(ours), conflicts: [] };
  const [from, mine, other] = await Promise.all([base, ours, theirs].map((commit) => filesOf(objects, commit)));
  const files = new Map<string, TreeFile>();
  const made = new Map<string, Uint8Array>();
  const conflicts: string[] = [];
  for (const path of new Set([...mine!.keys(), ...other!.keys()])) {
    const [was, left, right] = [from!.get(path), mine!.get(path), other!.get(path)];
    if (isSame(left, right) || isSame(was, right)) {
      if (left) files.set(path, left);
    } else if (isSame(was, left)) {
      if (right) files.set(path, right);
    } else {
      const text = left && right && (await mergeLines(objects, { was, left, right }));
      if (text === undefined) conflicts.push(path);
      else {
        const { oid, content } = newObject('blob', text);
        made.set(oid, content);
        files.set(path, { ...left!, oid });
      }
    }
  }
  return { tree: overlay(await objects.files(theirs), { id: theirs, files, made }), conflicts: conflicts.sort() };
}

const filesOf = async (objects: Objects, commit: string): Promise<ReadonlyMap<string, TreeFile>> =>
  new Map((await (await objects.files(commit)).files()).map((file) => [file.path, file]));

const isSame = (a: TreeFile | undefined, b: TreeFile | undefined): boolean => a?.oid === b?.oid && a?.mode === b?.mode;

/** The newest commit that both have; of several, one. */
async function mergeBase(objects: Objects, ours: string, theirs: string): Promise<string | undefined> {
  const known = new Set(await objects.log(ours, { most: mostCommits }));
  return (await objects.log(theirs, { most: mostCommits })).find((commit) => known.has(commit));
}

/** Undefined where lines conflict, or cannot be merged. */
async function mergeLines(
  objects: Objects,
  { was, left, right }: { readonly was: TreeFile | undefined; readonly left: TreeFile; readonly right: TreeFile },
): Promise<Buffer | undefined> {
  if (was === undefined || left.mode !== right.mode || !(await hasGit())) return undefined;
  const contents = await objects.read([left.oid, was.oid, right.oid]);
  const dir = await mkdtemp(join(tmpdir(), 'gitfleet-merge-'));
  try {
    const paths = [left, was, right].map(({ oid }, at) => ({ path: join(dir, String(at)), oid }));
    for (const { path, oid } of paths) await writeFile(path, contents.get(oid)!.content);
    const merged = await git(['merge-file', '--stdout', '--quiet', ...paths.map(({ path }) => path)]);
    return merged.code === 0 ? merged.stdout : undefined;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function overlay(
  tree: RepoTree,
  {
    id,
    files,
    made,
  }: {
    readonly id: string;
    readonly files: ReadonlyMap<string, TreeFile>;
    readonly made: ReadonlyMap<string, Uint8Array>;
  },
): RepoTree {
  const stored = (oids: readonly string[]): string[] => oids.filter((oid) => !made.has(oid));
  const ours = (oids: readonly string[]): string[] => oids.filter((oid) => made.has(oid));
  return {
    ...tree,
    id,
    files: async () => [...files.values()],
    read: async (oids) =>
      new Map([...(await tree.read(stored(oids))), ...ours(oids).map((oid) => [oid, made.get(oid)!] as const)]),
    ...(tree.sizes && {
      sizes: async (oids: readonly string[]) =>
        new Map([
          ...(await tree.sizes!(stored(oids))),
          ...ours(oids).map((oid) => [oid, made.get(oid)!.length] as const),
        ]),
    }),
  };
}

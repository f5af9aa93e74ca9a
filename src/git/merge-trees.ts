import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFile, isHidden, mayBeManifest, type RepoTree, type TreeFile } from '../repo/tree.ts';
import { GitError } from './git-error.ts';
import { git, hasGit } from './native/run-git.ts';
import { newObject } from './objects/new-objects.ts';
import type { Objects } from './objects/objects.ts';

/** Of each of the three versions, bytes. Kubernetes takes no larger object, and `git merge-file` forty times as much memory. */
const largestMerged = 1024 * 1024;
/** Of all merged texts, which stay in memory, bytes. */
const mostMerged = 16 * 1024 * 1024;
/** Files merged by line: each starts git, which takes some 10 ms. */
const mostMerges = 200;
/** Of one file. */
const longestMergeMs = 10_000;

export interface MergedTree {
  readonly tree: RepoTree;
  /** Files that both sides changed in ways that do not go together, sorted; with the reason where it is a limit. Empty = it is clean. */
  readonly conflicts: readonly string[];
}

/**
 * The files of a folder (see fleetFolder) as merging `theirs` into `ours` would leave them, without writing to the repository:
 * three-way by file, by line (`git merge-file`) where both changed a manifest. A renamed file that the other side changed is a
 * conflict. Of files that no fleet reads `theirs` counts. Errors: `not-found` without common history, `several-bases`.
 */
export async function mergeTrees(
  objects: Objects,
  { ours, theirs, folder }: { readonly ours: string; readonly theirs: string; readonly folder?: string | undefined },
): Promise<MergedTree> {
  const treeOf = (commit: string) => objects.files(commit, folder);
  const base = await mergeBase(objects, ours, theirs);
  if (base === ours) return { tree: await treeOf(theirs), conflicts: [] };
  if (base === theirs) return { tree: await treeOf(ours), conflicts: [] };
  const [from, mine, other] = await Promise.all(
    [base, ours, theirs].map(async (commit) => filesOf(await treeOf(commit))),
  );
  const files = new Map<string, TreeFile>();
  const merges = textMerges(objects);
  const conflicts: string[] = [];
  for (const path of new Set([...mine!.keys(), ...other!.keys()])) {
    const [was, left, right] = [from!.get(path), mine!.get(path), other!.get(path)];
    if (isSame(left, right) || isSame(was, right)) {
      if (left) files.set(path, left);
    } else if (isSame(was, left) || !isOfFleet(path)) {
      if (right) files.set(path, right);
    } else {
      const merged = was && left && right ? await merges.merge({ was, left, right }) : conflict;
      if ('why' in merged) conflicts.push(`${path}${merged.why}`);
      else files.set(path, { ...left!, oid: merged.oid });
    }
  }
  const tree = overlay(await treeOf(theirs), { id: theirs, files, made: merges.made });
  return { tree, conflicts: conflicts.sort() };
}

const isOfFleet = (path: string): boolean => mayBeManifest({ path }) && !isHidden(path);

const filesOf = async (tree: RepoTree): Promise<ReadonlyMap<string, TreeFile>> =>
  new Map((await tree.files()).map((file) => [file.path, file]));

const isSame = (a: TreeFile | undefined, b: TreeFile | undefined): boolean => a?.oid === b?.oid && a?.mode === b?.mode;

async function mergeBase(objects: Objects, ours: string, theirs: string): Promise<string> {
  const bases = await objects.mergeBases(ours, theirs);
  if (bases.length === 1) return bases[0]!;
  const [mine, other, ...common] = [ours, theirs, ...bases].map((commit) => commit.slice(0, 12));
  if (bases.length === 0) throw new GitError('not-found', `${mine} and ${other} have no common commit`);
  const named = common.slice(0, 2).join(' and ');
  throw new GitError(
    'several-bases',
    `${mine} and ${other} have ${bases.length} newest common commits, among them ${named}`,
  );
}

/** `why`: a limit, in parentheses; empty where lines conflict. */
interface Conflict {
  readonly why: string;
}

const conflict: Conflict = { why: '' };

interface Versions {
  readonly was: TreeFile;
  readonly left: TreeFile;
  readonly right: TreeFile;
}

/** Merges by line, with their results in memory: few and small ones only. */
function textMerges(objects: Objects) {
  const made = new Map<string, Uint8Array>();
  let merges = 0;
  let bytes = 0;
  return {
    made,
    async merge({ was, left, right }: Versions): Promise<Conflict | { readonly oid: string }> {
      const oids = [left, was, right].map(({ oid }) => oid);
      if (left.mode !== right.mode || ![was, left, right].every(isFile) || !(await hasGit())) return conflict;
      const sizes = [...(await objects.sizes(oids)).values()];
      if (Math.max(...sizes) > largestMerged) return { why: ' (too large to merge)' };
      if (++merges > mostMerges || bytes > mostMerged) return { why: ' (too many to merge)' };
      const text = await mergeLines(objects, oids);
      if (text === undefined) return conflict;
      const { oid, content } = newObject('blob', text);
      bytes += content.length;
      made.set(oid, content);
      return { oid };
    },
  };
}

/** Ours, before, theirs. Undefined where lines conflict, or cannot be merged in time. */
async function mergeLines(objects: Objects, oids: readonly string[]): Promise<Buffer | undefined> {
  const contents = await objects.read(oids);
  const dir = await mkdtemp(join(tmpdir(), 'gitfleet-merge-'));
  try {
    const paths = oids.map((_, at) => join(dir, String(at)));
    for (const [at, path] of paths.entries()) await writeFile(path, contents.get(oids[at]!)!.content);
    const merged = await git(['merge-file', '--stdout', '--quiet', ...paths], { timeoutMs: longestMergeMs });
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

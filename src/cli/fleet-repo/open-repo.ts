import { realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { parseAddress } from '../../git/address.ts';
import type { Branches } from '../../git/branches.ts';
import { fleetTimeOf } from '../../git/fleet-time.ts';
import { followedBranch } from '../../git/followed-branch.ts';
import { isWorkingTree, locate } from '../../git/local/locate.ts';
import { uncommittedFiles } from '../../git/native/uncommitted.ts';
import { workingTreeFiles } from '../../git/native/working-tree-files.ts';
import { requireFolder } from '../../git/objects/folder-of-tree.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { branchRef } from '../../git/source.ts';
import { readFiles } from '../../git/status-branch.ts';
import { openDirectory } from '../../repo/directory-tree.ts';
import type { RepoTree } from '../../repo/tree.ts';
import { CliError } from '../terminal/exit.ts';
import { unreadable } from '../terminal/file-errors.ts';
import { writeError } from '../terminal/write.ts';
import { enclosingClone, openGit } from './open-git.ts';

const statusBranch = 'fleet-status';
/** Files named in a note; the rest are counted. */
const mostNamed = 3;

export interface OpenedRepo {
  readonly tree: RepoTree;
  /** The source: a folder that is not a clone, the files of a clone on disk, or a commit. */
  readonly from: 'folder' | 'working tree' | 'commit';
  /** A folder of a clone, which may be only a part of the fleet. */
  readonly isPart: boolean;
  /** The status branch, in a clone as of the last fetch; empty for a plain folder and before the first reconciliation. */
  published(): Promise<Published>;
  close(): Promise<void>;
}

/** Files of a status branch by path, and when its last commit was made in the fleet's time, milliseconds since the epoch. */
interface Published {
  readonly files: ReadonlyMap<string, string>;
  readonly at?: number;
}

interface RepoOptions {
  /** Folder of the fleet in the repo: see fleetFolder. */
  readonly path?: string | undefined;
  readonly ref?: string | undefined;
  /**
   * Whether to read the working tree of a clone: `preferred` where there is one and no `ref`, `required` or an error, or only `offered` in
   * a note on what is not committed, and read before the first commit.
   */
  readonly workingTree?: 'preferred' | 'required' | 'offered';
}

/**
 * A fleet repo for a command: the files of a plain folder, a working tree, or a commit (`ref`, else HEAD) of a git repository. A folder
 * inside a repository is a plain folder. Error: CliError with exit code 3 when it cannot be read.
 */
export async function openRepo(repo: string, options: RepoOptions = {}): Promise<OpenedRepo> {
  const opened = await openedRepo(repo, options);
  if ((await opened.tree.files()).length === 0)
    writeError(`note: ${join(repo, options.path ?? '')} holds no files: is it the fleet repo that you mean?\n`);
  return opened;
}

async function openedRepo(repo: string, { path: folder = '', ref, workingTree }: RepoOptions): Promise<OpenedRepo> {
  try {
    const address = parseAddress(repo);
    const noWorkingTree = new CliError(`--worktree: ${repo} has no working tree: name a clone with --repo`);
    if (address.kind !== 'local') {
      if (workingTree === 'required') throw noWorkingTree;
      return await openCommit(repo, folder, ref);
    }
    if (!(await stat(address.path)).isDirectory()) throw new Error('not a directory');
    if (await locate(address.path)) {
      const isWanted = workingTree === 'required' || (workingTree === 'preferred' && ref === undefined);
      const isTree = workingTree !== undefined && (await isWorkingTree(address.path));
      if (isWanted && isTree) return await openWorkingTree(address.path, folder);
      if (workingTree === 'required') throw noWorkingTree;
      if (isTree && ref === undefined && (await hasNoCommit(address.path))) {
        writeError(`note: ${repo} has no commit yet: its files on disk are read\n`);
        return await openWorkingTree(address.path, folder);
      }
      const opened = await openCommit(repo, folder, ref);
      if (ref === undefined) await noteUncommitted(address.path, workingTree === 'offered');
      return opened;
    }
    if (ref !== undefined) throw new Error(`not a git repository, so it has no ${ref}: leave --ref out`);
    const clone = await enclosingClone(address.path);
    const path = await folderIn(address.path, folder);
    if (clone !== undefined && address.path === process.cwd()) noteFolder(address.path, clone);
    const tree = await openDirectory(path, clone === undefined ? undefined : await committable(path));
    return { ...onDiskOnly(tree), from: 'folder', isPart: clone !== undefined };
  } catch (error) {
    return unreadable(repo)(error);
  }
}

/** Files that git ignores are left out: they would not be part of a commit either. */
async function openWorkingTree(path: string, folder: string): Promise<OpenedRepo> {
  const inside = await folderIn(path, folder);
  const tree = await openDirectory(inside, await workingTreeFiles(inside));
  return {
    tree,
    from: 'working tree',
    isPart: false,
    async published() {
      const branches = await openGit(path);
      try {
        return await publishedIn(branches);
      } finally {
        await branches.close();
      }
    },
    close: async () => {},
  };
}

const onDiskOnly = (tree: RepoTree) => ({ tree, published: async () => ({ files: new Map() }), close: async () => {} });

async function publishedIn(branches: Branches): Promise<Published> {
  const { tip } = await followedBranch(branches, statusBranch);
  if (tip === undefined) return { files: new Map() };
  await branches.obtain(branchRef(statusBranch), tip);
  return { files: await readFiles(branches, tip), at: fleetTimeOf(await branches.objects.commit(tip)) };
}

/** Notes uncommitted changes: the result does not include them. */
async function noteUncommitted(dir: string, isOffered: boolean): Promise<void> {
  const files = await uncommittedFiles(dir);
  if (files.length === 0) return;
  const offer = isOffered ? ' (--worktree reads them)' : '';
  writeError(`note: only what is committed is read, without the changes in ${listUpTo(files, mostNamed)}${offer}\n`);
}

/** The files of a folder in a clone that git does not ignore, such as kubeconfigs; undefined, all of them, where it ignores the folder. */
async function committable(path: string): Promise<readonly string[] | undefined> {
  const files = await workingTreeFiles(path);
  return files?.length === 0 ? undefined : files;
}

/** Notes that only a folder of a clone is read: most likely the whole clone is meant, but a fleet may be in such a folder. */
function noteFolder(path: string, clone: string): void {
  writeError(
    `note: ${path} is a folder inside the git repository ${clone}: only its files on disk are read, and no status; --repo ${clone} reads all of it, and with --path ${relative(clone, path)} the fleet of this folder\n`,
  );
}

/** A folder on disk. Error: one that is reached by a symbolic link, which no commit follows either. */
async function folderIn(root: string, folder: string): Promise<string> {
  if (folder === '') return root;
  const path = join(root, folder);
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isThere && (await stat(root)).isDirectory()) throw new Error(`it has no folder ${folder}: name another --path`);
  const isInside = (await realpath(path)) === join(await realpath(root), folder).replace(/[/\\]$/, '');
  if (!isInside) throw new Error(`--path ${folder} is a symbolic link: name the folder that it leads to`);
  return path;
}

async function hasNoCommit(path: string): Promise<boolean> {
  const branches = await openGit(path);
  try {
    return !(await branches.list(['HEAD'])).has('HEAD');
  } finally {
    await branches.close();
  }
}

async function openCommit(repo: string, folder: string, ref: string | undefined): Promise<OpenedRepo> {
  const branches: Branches = await openGit(repo);
  try {
    const commit = await resolveCommit(branches, ref);
    await requireFolder(branches.objects, { folder, commit, named: repo });
    const tree = await branches.objects.files(commit, folder);
    return {
      tree,
      from: 'commit',
      isPart: false,
      published: () => publishedIn(branches),
      close: () => branches.close(),
    };
  } catch (error) {
    await branches.close();
    throw error;
  }
}

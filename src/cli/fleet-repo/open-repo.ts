import { stat } from 'node:fs/promises';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { parseAddress } from '../../git/address.ts';
import type { Branches } from '../../git/branches.ts';
import { followedBranch } from '../../git/followed-branch.ts';
import { isWorkingTree, locate } from '../../git/local/locate.ts';
import { uncommittedFiles } from '../../git/native/uncommitted.ts';
import { workingTreeFiles } from '../../git/native/working-tree-files.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { branchRef } from '../../git/source.ts';
import { readFiles } from '../../git/status-branch.ts';
import { openDirectory } from '../../repo/directory-tree.ts';
import type { RepoTree } from '../../repo/tree.ts';
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
  /** Files of the status branch, in a clone as of the last fetch; empty for a plain folder and before the first reconciliation. */
  statusFiles(): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

/**
 * A fleet repo for a command: the files of a plain folder, or a commit (`ref`, else HEAD) of a git repository. With `onDisk` it
 * is the working tree of a clone, unless a `ref` is given. A folder inside a repository is a plain folder. Error: CliError with
 * exit code 3 when it cannot be read.
 */
export async function openRepo(
  repo: string,
  { ref, onDisk = false }: { readonly ref?: string | undefined; readonly onDisk?: boolean } = {},
): Promise<OpenedRepo> {
  const opened = await openedRepo(repo, ref, onDisk);
  if ((await opened.tree.files()).length === 0)
    writeError(`note: ${repo} holds no files: is it the fleet repo that you mean?\n`);
  return opened;
}

async function openedRepo(repo: string, ref: string | undefined, onDisk: boolean): Promise<OpenedRepo> {
  try {
    const address = parseAddress(repo);
    if (address.kind !== 'local') return await openCommit(repo, ref);
    if (!(await stat(address.path)).isDirectory()) throw new Error('not a directory');
    if (await locate(address.path)) {
      if (onDisk && ref === undefined && (await isWorkingTree(address.path)))
        return await openWorkingTree(address.path);
      const opened = await openCommit(repo, ref);
      if (ref === undefined) await noteUncommitted(address.path);
      return opened;
    }
    if (ref !== undefined) throw new Error(`not a git repository, so it has no ${ref}: leave --ref out`);
    const clone = await enclosingClone(address.path);
    if (clone !== undefined && address.path === process.cwd()) noteFolder(address.path, clone);
    return { ...onDiskOnly(await openDirectory(address.path)), from: 'folder', isPart: clone !== undefined };
  } catch (error) {
    return unreadable(repo)(error);
  }
}

/** Files that git ignores are left out: they would not be part of a commit either. */
const openWorkingTree = async (path: string): Promise<OpenedRepo> => ({
  ...onDiskOnly(await openDirectory(path, await workingTreeFiles(path))),
  from: 'working tree',
  isPart: false,
});

const onDiskOnly = (tree: RepoTree) => ({ tree, statusFiles: async () => new Map(), close: async () => {} });

/** Notes uncommitted changes: the result does not include them. */
async function noteUncommitted(dir: string): Promise<void> {
  const files = await uncommittedFiles(dir);
  if (files.length === 0) return;
  writeError(`note: only what is committed is read, without the changes in ${listUpTo(files, mostNamed)}\n`);
}

/** Notes that only a folder of a clone is read: most likely the whole clone is meant, but a fleet may be in such a folder. */
function noteFolder(path: string, clone: string): void {
  writeError(
    `note: ${path} is a folder inside the git repository ${clone}: only its files on disk are read; name the repository to read all of it\n`,
  );
}

async function openCommit(repo: string, ref: string | undefined): Promise<OpenedRepo> {
  const branches: Branches = await openGit(repo);
  try {
    const tree = await branches.objects.files(await resolveCommit(branches, ref));
    return {
      tree,
      from: 'commit',
      isPart: false,
      async statusFiles() {
        const { tip } = await followedBranch(branches, statusBranch);
        if (tip === undefined) return new Map();
        await branches.obtain(branchRef(statusBranch), tip);
        return readFiles(branches, tip);
      },
      close: () => branches.close(),
    };
  } catch (error) {
    await branches.close();
    throw error;
  }
}

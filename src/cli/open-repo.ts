import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAddress } from '../git/address.ts';
import { type Branches, openBranches } from '../git/branches.ts';
import { credentialsFromEnv } from '../git/credentials.ts';
import { locate } from '../git/locate.ts';
import { resolveCommit } from '../git/resolve-commit.ts';
import { branchRef } from '../git/source.ts';
import { readFiles } from '../git/status-branch.ts';
import { openDirectory } from '../repo/directory-tree.ts';
import type { RepoTree } from '../repo/tree.ts';
import { CliError, exitCodes } from './exit.ts';

export interface OpenedRepo {
  readonly tree: RepoTree;
  /** What the status branch holds; empty for a plain folder and before the first pass. */
  statusFiles(): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

/**
 * A fleet repo for a command: a plain folder as it is on disk, or a commit (`ref`, else HEAD) of a git repository. A folder
 * inside a repository is a plain folder. Error: CliError with exit code 3 when it cannot be read.
 */
export async function openRepo(repo: string, ref?: string, statusBranch = 'fleet-status'): Promise<OpenedRepo> {
  try {
    const address = parseAddress(repo);
    if (address.kind !== 'local') return await openGit(repo, ref, statusBranch);
    if (!(await stat(address.path)).isDirectory()) throw new Error('not a directory');
    if (await locate(address.path)) return await openGit(repo, ref, statusBranch);
    if (ref !== undefined) throw new Error(`not a git repository, so it has no ${ref}: leave --ref out`);
    return { tree: await openDirectory(address.path), statusFiles: async () => new Map(), close: async () => {} };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw new CliError(`${repo} cannot be read: ${said}`, exitCodes.unreachable, { cause: error });
  }
}

async function openGit(repo: string, ref: string | undefined, statusBranch: string): Promise<OpenedRepo> {
  const mirrorDir = await mkdtemp(join(tmpdir(), 'gitfleet-'));
  let branches: Branches | undefined;
  const close = async (): Promise<void> => {
    await branches?.close();
    await rm(mirrorDir, { recursive: true, force: true });
  };
  try {
    const opened = await openBranches({ address: parseAddress(repo), mirrorDir, credentials: credentialsFromEnv() });
    branches = opened;
    const tree = await opened.objects.files(await resolveCommit(opened, ref));
    const status = branchRef(statusBranch);
    return {
      tree,
      async statusFiles() {
        const tip = (await opened.list([status])).get(status);
        if (tip === undefined) return new Map();
        await opened.obtain(status, tip);
        return readFiles(opened, tip);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

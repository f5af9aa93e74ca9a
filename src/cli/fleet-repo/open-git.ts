import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseAddress } from '../../git/address.ts';
import type { Branches } from '../../git/branches.ts';
import { GitError } from '../../git/git-error.ts';
import { credentialsFromEnv } from '../../git/http/credentials.ts';
import { locate } from '../../git/local/locate.ts';
import { openBranches } from '../../git/open-branches.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { unreadable } from '../terminal/file-errors.ts';
import { defaultCacheDir } from './cache-dir.ts';

/** The branches of a repository for one command. A remote's clone is kept between commands, unless another one uses it. */
export async function openGit(repo: string): Promise<Branches> {
  const address = parseAddress(repo);
  const open = (mirrorDir: string) => openBranches({ address, mirrorDir, credentials: credentialsFromEnv() });
  if (address.kind === 'local') return open('');
  try {
    return await open(join(defaultCacheDir(repo), 'cli'));
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'locked') throw error;
  }
  const mirrorDir = await mkdtemp(join(tmpdir(), 'gitfleet-'));
  const forget = () => rm(mirrorDir, { recursive: true, force: true });
  const branches = await open(mirrorDir).catch(async (error: unknown) => {
    await forget();
    throw error;
  });
  return {
    ...branches,
    async close() {
      await branches.close();
      await forget();
    },
  };
}

/**
 * Like `openGit`, but a folder inside a working clone means the clone, as git itself has it. Errors: CliError with exit code
 * 3 when there is no repository.
 */
export async function openClone(repo: string): Promise<Branches> {
  try {
    const address = parseAddress(repo);
    if (address.kind !== 'local') return await openGit(repo);
    const clone = await enclosingClone(address.path);
    if (clone !== undefined) return await openGit(clone);
    await stat(address.path);
    throw new CliError(
      `${address.path} is not a git repository: name the fleet repo with --repo DIR or --repo URL`,
      exitCodes.unreachable,
    );
  } catch (error) {
    return unreadable(repo)(error);
  }
}

/** The repository whose working tree a folder is in; undefined outside of any. */
export async function enclosingClone(path: string): Promise<string | undefined> {
  for (let folder = path; ; folder = dirname(folder)) {
    if (await locate(folder)) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

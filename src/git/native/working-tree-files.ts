import { git, hasGit } from './run-git.ts';

/**
 * Paths of a working tree that a commit of everything would hold: what git follows and what it would, without what it ignores;
 * among them files that were deleted. Undefined where git is not installed or does not trust the folder.
 */
export async function workingTreeFiles(dir: string): Promise<readonly string[] | undefined> {
  if (!(await hasGit())) return undefined;
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const ran = await git(['-C', dir, ...list]);
  if (ran.code !== 0) return undefined;
  // What is in conflict is listed once for each side.
  return [...new Set(ran.stdout.toString('utf8').split('\0'))].filter((path) => path !== '');
}

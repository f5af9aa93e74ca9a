import { git, hasGit } from './run-git.ts';

/**
 * Tracked and untracked paths of a working tree, without ignored ones; deleted files are included. Undefined if git is not
 * installed or does not trust the folder.
 */
export async function workingTreeFiles(dir: string): Promise<readonly string[] | undefined> {
  if (!(await hasGit())) return undefined;
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const ran = await git(['-C', dir, ...list]);
  if (ran.code !== 0) return undefined;
  // A file in conflict is listed once for each side.
  return [...new Set(ran.stdout.toString('utf8').split('\0'))].filter((path) => path !== '');
}

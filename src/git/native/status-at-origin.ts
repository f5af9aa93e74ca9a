import { git, hasGit } from './run-git.ts';

/**
 * Whether a clone has fetched a status branch from `origin` and has none of its own. A daemon with such a clone as its repository
 * starts without the record. False if git is not installed.
 */
export async function hasStatusAtOriginOnly(dir: string, statusBranch: string): Promise<boolean> {
  if (!(await hasGit())) return false;
  const has = async (ref: string) => (await git(['-C', dir, 'rev-parse', '--verify', '--quiet', ref])).code === 0;
  return (await has(`refs/remotes/origin/${statusBranch}`)) && !(await has(`refs/heads/${statusBranch}`));
}

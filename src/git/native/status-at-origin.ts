import { git, hasGit } from './run-git.ts';

/**
 * Whether a clone has seen a status branch at `origin` and has none of its own. Whoever works on such a clone as the repository
 * itself begins without what is remembered. False where git is not installed.
 */
export async function hasStatusAtOriginOnly(dir: string, statusBranch: string): Promise<boolean> {
  if (!(await hasGit())) return false;
  const has = async (ref: string) => (await git(['-C', dir, 'rev-parse', '--verify', '--quiet', ref])).code === 0;
  return (await has(`refs/remotes/origin/${statusBranch}`)) && !(await has(`refs/heads/${statusBranch}`));
}

import { git, hasGit } from './run-git.ts';

/** Where a clone's remote `origin` is, as git itself resolves it; undefined where there is none, or no git. */
export async function originUrl(dir: string): Promise<string | undefined> {
  if (!(await hasGit())) return undefined;
  const { code, stdout } = await git(['-C', dir, 'remote', 'get-url', 'origin']);
  return code === 0 ? stdout.toString('utf8').trim() : undefined;
}

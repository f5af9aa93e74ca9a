import type { Person } from '../person.ts';
import { git, hasGit } from './run-git.ts';

/** The author of git's commits: from the environment, else from its configuration, here or for the whole machine. */
export async function whoCommits(gitDir?: string): Promise<Person | undefined> {
  const [name, email] = await Promise.all([
    process.env['GIT_AUTHOR_NAME'] || configured('user.name', gitDir),
    process.env['GIT_AUTHOR_EMAIL'] || configured('user.email', gitDir),
  ]);
  return name === undefined || email === undefined ? undefined : { name, email };
}

async function configured(key: string, gitdir: string | undefined): Promise<string | undefined> {
  if (!(await hasGit())) return undefined;
  const { code, stdout } = await git(['config', '--get', key], gitdir === undefined ? {} : { gitdir });
  return (code === 0 && stdout.toString('utf8').trim()) || undefined;
}

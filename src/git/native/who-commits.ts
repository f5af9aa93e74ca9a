import { defaultAuthor, type Person, parsePerson } from '../person.ts';
import { git, hasGit } from './run-git.ts';

/**
 * The person whom git would name as author: of the environment, else of its configuration, here or for the whole machine;
 * where there is none `nobody`, by default gitfleet itself.
 */
export async function whoCommits(gitDir?: string, nobody: Person = parsePerson(defaultAuthor)): Promise<Person> {
  const [name, email] = await Promise.all([
    process.env['GIT_AUTHOR_NAME'] || configured('user.name', gitDir),
    process.env['GIT_AUTHOR_EMAIL'] || configured('user.email', gitDir),
  ]);
  return name === undefined || email === undefined ? nobody : { name, email };
}

async function configured(key: string, gitdir: string | undefined): Promise<string | undefined> {
  if (!(await hasGit())) return undefined;
  const { code, stdout } = await git(['config', '--get', key], gitdir === undefined ? {} : { gitdir });
  return (code === 0 && stdout.toString('utf8').trim()) || undefined;
}

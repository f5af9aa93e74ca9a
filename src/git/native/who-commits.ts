import { defaultAuthor, type Person, parsePerson } from '../person.ts';
import { git, hasGit } from './run-git.ts';

/** The person whom git's configuration names, here or for the whole machine; gitfleet itself where it names nobody. */
export async function whoCommits(gitDir?: string): Promise<Person> {
  const [name, email] = await Promise.all(['user.name', 'user.email'].map((key) => configured(key, gitDir)));
  return name === undefined || email === undefined ? parsePerson(defaultAuthor) : { name, email };
}

async function configured(key: string, gitdir: string | undefined): Promise<string | undefined> {
  if (!(await hasGit())) return undefined;
  const { code, stdout } = await git(['config', '--get', key], gitdir === undefined ? {} : { gitdir });
  return (code === 0 && stdout.toString('utf8').trim()) || undefined;
}

import { git } from './run-git.ts';

/** A user waits at a terminal. Milliseconds. */
const longestMs = 60_000;

/** Pushes a branch of a clone to its remote `origin`, never by force, with the user's own credentials. Returns the error. */
export async function pushOrigin(dir: string, branch: string): Promise<string | undefined> {
  // Not the program in `remote.origin.receivepack`: a clone may name a committed file.
  const only = ['--quiet', '--no-follow-tags', '--recurse-submodules=no', '--receive-pack=git-receive-pack'];
  const ref = `refs/heads/${branch}:refs/heads/${branch}`;
  const ran = await git(['-C', dir, 'push', ...only, 'origin', ref], { timeoutMs: longestMs });
  return ran.code === 0 ? undefined : ran.stderr || `git push: exit code ${ran.code}`;
}

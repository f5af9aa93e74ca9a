import { originUrl } from './origin-url.ts';
import { git } from './run-git.ts';

/** A user waits at a terminal. Milliseconds. */
const longestMs = 60_000;

/**
 * Fetches the branches of a clone's remote `origin`, as `git fetch` does, with the user's own credentials. Returns the error;
 * undefined when it is done, or when there is nothing to fetch from: no `origin`, no git.
 */
export async function fetchOrigin(dir: string): Promise<string | undefined> {
  if ((await originUrl(dir)) === undefined) return undefined;
  // A clone of a single branch has no refspec for the others.
  const every = '+refs/heads/*:refs/remotes/origin/*';
  // Not the program in `remote.origin.uploadpack`: a clone may name a committed file.
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--upload-pack=git-upload-pack'];
  const fetch = ['-C', dir, 'fetch', ...quiet, 'origin', every];
  const ran = await git(fetch, { timeoutMs: longestMs });
  return ran.code === 0 ? undefined : ran.stderr || `git fetch: exit code ${ran.code}`;
}

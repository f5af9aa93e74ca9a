import { originUrl } from './origin-url.ts';
import { git } from './run-git.ts';

/** Somebody waits at a terminal. Milliseconds. */
const longestMs = 60_000;

/**
 * Brings a clone what its remote `origin` has, as `git fetch` does, with the person's own credentials. Returns what went
 * wrong; undefined when it is done, or when there is nothing to ask: no `origin`, no git.
 */
export async function fetchOrigin(dir: string): Promise<string | undefined> {
  if ((await originUrl(dir)) === undefined) return undefined;
  // A clone of a single branch has no rule for the others.
  const every = '+refs/heads/*:refs/remotes/origin/*';
  const fetch = ['-C', dir, 'fetch', '--quiet', '--no-tags', '--no-write-fetch-head', 'origin', every];
  const ran = await git(fetch, { timeoutMs: longestMs });
  return ran.code === 0 ? undefined : ran.stderr || `git fetch: exit code ${ran.code}`;
}

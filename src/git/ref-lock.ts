import { setTimeout as pause } from 'node:timers/promises';
import { GitError } from './git-error.ts';

/** How long a lock of a ref may be that of a slow writer, milliseconds; a usual one is held for a single rename. */
const mostMs = 1_000;
/** Mean; spread, since of writers that retry together only one gets the lock. */
const againMs = 25;

/** The message of git, and of a server that runs git, when another process holds the lock of a ref. */
const words = /cannot lock ref|Unable to create '[^']*\.lock'|failed to update ref/;

/**
 * Moves a ref, with retries while another process holds its lock. A lock that stays was left by a process that was killed: then
 * this rejects with `locked` and git's message, so that a user sees it, and the daemon does not retry forever.
 */
export async function whileLocked<T>(move: () => Promise<T>): Promise<T> {
  const until = performance.now() + mostMs;
  for (;;) {
    try {
      return await move();
    } catch (error) {
      if (!(error instanceof GitError && (error.code === 'locked' || words.test(error.message)))) throw error;
      if (performance.now() >= until) throw new GitError('locked', error.message, error);
      await pause(2 * againMs * Math.random());
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { GitError } from './git-error.ts';

/** A writer holds the lock of a ref for the moment of one rename; so long it may be a slow one, milliseconds. */
const mostMs = 1_000;
/** Mean; spread, since of those who come back together only one gets it. */
const againMs = 25;

/** What git, and a server in its name, says when somebody else holds the lock of a ref. */
const words = /cannot lock ref|Unable to create '[^']*\.lock'|failed to update ref/;

/**
 * Moves a ref, again and again while somebody else holds its lock. A lock that stays was left behind by a process that
 * was killed: then it rejects with `locked` and what git said, so that a person hears of it instead of a daemon losing race
 * after race.
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

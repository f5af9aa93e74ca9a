import fs from 'node:fs';
import { join } from 'node:path';
import isomorphic from 'isomorphic-git';
import { whoCommits } from '../native/who-commits.ts';
import type { Person } from '../person.ts';

/** Author of the demo's commits if git's configuration names none. */
const you: Person = { name: 'You', email: 'you@example.com' };

/** An empty repository with a working tree, whose first commit will be on `branch`. */
export async function initRepo(dir: string, branch: string): Promise<void> {
  await isomorphic.init({ fs, dir, defaultBranch: branch });
}

/** Commits everything in the working tree, deletions too. Returns the commit, or undefined when nothing changed. */
export async function commitAll(dir: string, message: string): Promise<string | undefined> {
  const cache = {};
  const rows = await isomorphic.statusMatrix({ fs, dir, cache });
  const changed = rows.filter(([, head, work, stage]) => !(head === 1 && work === 1 && stage === 1));
  if (changed.length === 0) return undefined;
  for (const [filepath, , work] of changed) {
    if (work === 0) await isomorphic.remove({ fs, dir, filepath, cache });
    else await isomorphic.add({ fs, dir, filepath, cache });
  }
  return isomorphic.commit({ fs, dir, message, author: await authorIn(dir), cache });
}

/**
 * Merges a branch into the one that is checked out, with a merge commit, and updates the working tree. False when the branch
 * does not exist or has nothing new.
 */
export async function mergeBranch(dir: string, branch: string, message: string): Promise<boolean> {
  const theirs = await isomorphic.resolveRef({ fs, dir, ref: `refs/heads/${branch}` }).catch(() => undefined);
  const ours = await isomorphic.currentBranch({ fs, dir });
  if (theirs === undefined || !ours) return false;
  const head = await isomorphic.resolveRef({ fs, dir, ref: ours });
  if (head === theirs || (await isomorphic.isDescendent({ fs, dir, oid: head, ancestor: theirs, depth: -1 })))
    return false;
  const cache = {};
  await isomorphic.merge({
    fs,
    dir,
    ours,
    theirs: branch,
    fastForward: false,
    message,
    author: await authorIn(dir),
    cache,
  });
  await isomorphic.checkout({ fs, dir, ref: ours, cache });
  return true;
}

const authorIn = async (dir: string): Promise<Person> => (await whoCommits(join(dir, '.git'))) ?? you;

import type { Branches } from './branches.ts';
import { branchRef } from './source.ts';

/** A branch that another process writes. */
export interface FollowedBranch {
  /** Undefined if there is none. */
  readonly tip: string | undefined;
  /** The tip is the one `origin` had at the last fetch; it may be out of date until the next one. */
  readonly fromOrigin: boolean;
  /** The other tip, of a branch that does not contain this one either: another daemon began it anew. */
  readonly diverged?: string;
}

/**
 * Where a repository has a branch that the daemon writes. A clone has it under `refs/remotes/origin` when the daemon pushes to
 * what it was cloned from, perhaps with an older copy among its own branches; its own counts when it holds more. Where neither contains
 * the other, as after a daemon moved from this clone to the origin, the one that was written last counts.
 */
export async function followedBranch(branches: Branches, branch: string): Promise<FollowedBranch> {
  const own = branchRef(branch);
  const tracked = `refs/remotes/origin/${branch}`;
  const refs = await branches.list(branches.remote ? [own] : [own, tracked]);
  const [mine, theirs] = [refs.get(own), refs.get(tracked)];
  if (theirs === undefined) return { tip: mine, fromOrigin: false };
  const { isAncestor, commit } = branches.objects;
  if (mine === undefined || (await isAncestor(mine, theirs))) return { tip: theirs, fromOrigin: true };
  if (await isAncestor(theirs, mine)) return { tip: mine, fromOrigin: false };
  const isOlder = (await commit(mine)).committer.at <= (await commit(theirs)).committer.at;
  return isOlder
    ? { tip: theirs, fromOrigin: true, diverged: mine }
    : { tip: mine, fromOrigin: false, diverged: theirs };
}

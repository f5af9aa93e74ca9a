import type { Branches } from './branches.ts';
import { branchRef } from './source.ts';

/** A branch that somebody else writes. */
export interface FollowedBranch {
  /** Undefined where there is none. */
  readonly tip: string | undefined;
  /** That tip is what `origin` had at the last fetch: only another fetch tells whether it is still so. */
  readonly fromOrigin: boolean;
}

/**
 * Where a repository has a branch that the daemon writes. A clone has it under `refs/remotes/origin` when the daemon pushes to
 * what it was cloned from, perhaps with an older copy among its own branches; its own counts when it holds more.
 */
export async function followedBranch(branches: Branches, branch: string): Promise<FollowedBranch> {
  const own = branchRef(branch);
  const tracked = `refs/remotes/origin/${branch}`;
  const refs = await branches.list(branches.remote ? [own] : [own, tracked]);
  const [mine, theirs] = [refs.get(own), refs.get(tracked)];
  if (theirs === undefined) return { tip: mine, fromOrigin: false };
  const newer = mine === undefined || (await branches.objects.isAncestor(mine, theirs));
  return newer ? { tip: theirs, fromOrigin: true } : { tip: mine, fromOrigin: false };
}

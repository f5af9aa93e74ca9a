import { formatInstant } from '../../engine/kernel/instant.ts';
import type { Branches } from '../../git/branches.ts';
import { noBranch } from '../../git/no-branch.ts';
import { subjectOf } from '../../git/objects/commit.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { branchRef } from '../../git/source.ts';
import type { Status } from './open-status.ts';

/**
 * Tip of the branch of desired state. A checkout of one commit, as in CI, has only the branch of its origin. Error: GitError,
 * `not-found`, where there is no such branch.
 */
export async function desiredTip(branches: Branches, branch: string): Promise<string> {
  const places = [branchRef(branch), ...(branches.remote ? [] : [`refs/remotes/origin/${branch}`])];
  const refs = await branches.list(places);
  const ref = places.find((place) => refs.has(place));
  if (ref === undefined) throw await noBranch(branches, branch);
  const tip = refs.get(ref)!;
  await branches.obtain(ref, tip);
  return tip;
}

/** Whether a status was planned from this commit or a later one. */
export async function isPlannedFrom(branches: Branches, { record }: Status, commit: string): Promise<boolean> {
  if (record.commit === undefined) return false;
  if (record.commit === commit) return true;
  const planned = await resolveCommit(branches, record.commit).catch(() => undefined);
  return planned !== undefined && branches.objects.isAncestor(commit, planned);
}

/** The commit that a status is missing, and the last commit of the daemon, as text. */
export async function missingCommit(branches: Branches, { record, tip }: Status, commit: string): Promise<string> {
  const has = record.commit?.slice(0, 12) ?? 'no commit';
  return `a status of commit ${commit.slice(0, 12)}: the branch has that of ${has}, which ${await lastStatusCommit(branches, tip)}; is gitfleet run running?`;
}

/** `gitfleet committed at 2026-11-21T12:00:00Z (web: installed on eu-1)`. */
export async function lastStatusCommit(branches: Branches, tip: string): Promise<string> {
  const commit = await branches.objects.commit(tip);
  return `gitfleet committed at ${formatInstant(commit.committer.at)} (${subjectOf(commit)})`;
}

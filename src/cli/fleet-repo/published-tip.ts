import type { Branches } from '../../git/branches.ts';
import { type FollowedBranch, followedBranch } from '../../git/followed-branch.ts';
import { fetchOrigin } from '../../git/native/fetch-origin.ts';
import { writeError } from '../terminal/write.ts';

/** Minimum time between two fetches of a command that polls. Milliseconds. */
const fetchEveryMs = 3_000;

/**
 * Reads the tip of the status branch. In a clone it fetches from origin; when origin does not respond, the last fetch counts,
 * with a note. The returned function may be called repeatedly.
 */
export function publishedTip(branches: Branches, branch: string): () => Promise<string | undefined> {
  let askedAt = Number.NEGATIVE_INFINITY;
  const noted = new Set<string>();

  function note(about: string, text: string): void {
    if (noted.has(about)) return;
    noted.add(about);
    writeError(`note: ${text}\n`);
  }

  async function fetched(): Promise<string | undefined> {
    if (branches.remote || Date.now() - askedAt < fetchEveryMs) return undefined;
    askedAt = Date.now();
    return fetchOrigin(branches.name);
  }

  return async () => {
    const trouble = await fetched();
    const followed = await followedBranch(branches, branch);
    const { tip, fromOrigin, diverged } = followed;
    // A status of this clone's own daemon does not depend on origin.
    if (trouble !== undefined && (tip === undefined || fromOrigin))
      note('origin', `origin does not respond, so this is as of the last git fetch: ${trouble}`);
    if (diverged !== undefined) note('diverged', divergenceText(branch, followed, branches.name));
    return tip;
  };
}

function divergenceText(branch: string, { fromOrigin }: FollowedBranch, dir: string): string {
  const both = `${branch} here and ${branch} at origin have different histories`;
  return fromOrigin
    ? `${both}: this is origin's, which was written last; git -C ${dir} branch -D ${branch} deletes the one here`
    : `${both}: this is the one here, which was written last`;
}

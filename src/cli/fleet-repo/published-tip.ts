import type { Branches } from '../../git/branches.ts';
import { followedBranch } from '../../git/followed-branch.ts';
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
  let complained = false;

  async function ask(): Promise<void> {
    if (Date.now() - askedAt < fetchEveryMs) return;
    askedAt = Date.now();
    const trouble = await fetchOrigin(branches.name);
    if (trouble === undefined || complained) return;
    complained = true;
    writeError(`note: origin does not respond, so this is as of the last git fetch: ${trouble}\n`);
  }

  return async () => {
    const { tip, fromOrigin } = await followedBranch(branches, branch);
    if (branches.remote || (tip !== undefined && !fromOrigin)) return tip;
    await ask();
    return (await followedBranch(branches, branch)).tip;
  };
}

import type { Branches, GitRequest } from './branches.ts';
import { GitError } from './git-error.ts';
import { readRef } from './local/local-refs.ts';
import { type Mirror, mirrorRef } from './mirror.ts';
import type { Objects } from './objects/objects.ts';

/**
 * Depths of the first fetch of a branch. If the branch moves between listing and fetching, its tip is another commit than the
 * listed one; a few more commits include that one too.
 */
const firstDepths = [1, 50] as const;
/** Git's number for the whole history. */
const wholeDepth = 2_147_483_647;

/** Fetches refs of a server into its mirror, by the protocol of `transfer`. */
export function mirrorFetch(input: {
  readonly mirror: Mirror;
  readonly objects: Objects;
  readonly url: string;
  readonly requested: (request: GitRequest) => void;
  /** Fetches a ref to its `mirrorRef`: that many commits of its history, or those since the last fetch. */
  readonly transfer: (ref: string, depth: number | undefined) => Promise<void>;
  /** Records that a commit was fetched, for a `transfer` that does not. */
  readonly point?: (mirrored: string, oid: string) => Promise<void>;
}): Pick<Branches, 'obtain' | 'deepen'> {
  const { mirror, objects, url } = input;

  async function fetch(ref: string, depth: number | undefined): Promise<void> {
    input.requested('fetch');
    await mirror.fetching(() => input.transfer(ref, depth));
  }

  return {
    async obtain(ref, oid) {
      const before = await readRef(mirror.gitdir, mirrorRef(ref));
      if (before === oid) return;
      for (const depth of before === undefined ? firstDepths : [undefined]) {
        await fetch(ref, depth);
        if (!(await objects.has(oid))) continue;
        await input.point?.(mirrorRef(ref), oid);
        await mirror.tidy();
        return;
      }
      throw new GitError('object-missing', `fetch ${ref} of ${url}: ${oid} was not received, the branch has moved`);
    },
    async deepen(ref) {
      if (!(await mirror.cutOff())) return false;
      await fetch(ref, wholeDepth);
      return true;
    },
  };
}

import type { Branches, GitRequest } from './branches.ts';
import { GitError } from './git-error.ts';
import { readRef } from './local/local-refs.ts';
import { type Mirror, mirrorRef } from './mirror.ts';
import type { Objects } from './objects/objects.ts';

/**
 * Depths of the first fetch of a branch. One that moves on between the look and the fetch brings another commit than the one
 * that was seen; a few more bring that one too.
 */
const firstDepths = [1, 50] as const;
/** Git's word for `all of it`. */
const wholeDepth = 2_147_483_647;

/** Brings refs of a server into its mirror, over whatever road `transfer` takes. */
export function mirrorFetch(input: {
  readonly mirror: Mirror;
  readonly objects: Objects;
  readonly url: string;
  readonly requested: (request: GitRequest) => void;
  /** Fetches a ref to its `mirrorRef`; so many commits of its history, or what is missing since the last fetch. */
  readonly transfer: (ref: string, depth: number | undefined) => Promise<void>;
  /** Says that a commit is there, where `transfer` does not. */
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
      throw new GitError('object-missing', `fetch ${ref} of ${url}: ${oid} did not come, the branch has moved on`);
    },
    async deepen(ref) {
      if (!(await mirror.cutOff())) return false;
      await fetch(ref, wholeDepth);
      return true;
    },
  };
}

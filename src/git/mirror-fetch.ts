import type { Branches, FetchBounds, GitRequest } from './branches.ts';
import { GitError } from './git-error.ts';
import { changeRef, readRef } from './local/local-refs.ts';
import { type Mirror, mirrorRef } from './mirror.ts';
import type { Objects } from './objects/objects.ts';

/**
 * Depths of the first fetch of a branch. If the branch moves between listing and fetching, its tip is another commit than the
 * listed one; a few more commits include that one too.
 */
const firstDepths = [1, 50] as const;
/** Git's number for the whole history. */
const wholeDepth = 2_147_483_647;

/** Bytes of one answer of a server. A pack has to fit one Buffer. */
export const largestAnswer = 1024 ** 3;

/** How much of a ref is fetched. */
export interface Extent {
  /** That many commits of its history; undefined: those since the last fetch. */
  readonly depth: number | undefined;
  readonly mostBytes: number;
}

/** Branches of a server as far as its mirror decides: fetches refs into it, by the protocol of `transfer`. */
export function mirrorFetch(input: {
  readonly mirror: Mirror;
  readonly objects: Objects;
  readonly url: string;
  readonly requested: (request: GitRequest) => void;
  readonly native: boolean;
  /** Fetches a ref to its `mirrorRef`. Error `too-large` for more bytes. */
  readonly transfer: (ref: string, extent: Extent) => Promise<void>;
}): Pick<Branches, 'name' | 'remote' | 'objects' | 'obtain' | 'deepen' | 'keepOnly' | 'checkedOut'> {
  const { mirror, objects, url, native } = input;
  const { gitdir } = mirror;

  async function fetch(ref: string, { depth, mostBytes = largestAnswer }: Partial<Extent>): Promise<void> {
    input.requested('fetch');
    await mirror.fetching(() => input.transfer(ref, { depth, mostBytes }));
  }

  /** Records what is here of a ref. */
  async function point(ref: string, to: string): Promise<void> {
    const from = await readRef(gitdir, mirrorRef(ref));
    if (from !== to) await changeRef(gitdir, { ref: mirrorRef(ref), from, to }, native);
  }

  return {
    name: url,
    remote: true,
    objects,
    checkedOut: async () => false,
    async obtain(ref, oid, bounds?: FetchBounds) {
      const before = await readRef(gitdir, mirrorRef(ref));
      if (before === oid) return;
      // So that the server leaves out what the base has.
      if (before === undefined && bounds) await point(ref, bounds.base);
      for (const depth of before === undefined && !bounds ? firstDepths : [undefined]) {
        await fetch(ref, { depth, ...(bounds && { mostBytes: bounds.mostBytes }) });
        if (!(await objects.has(oid))) continue;
        await point(ref, oid);
        await mirror.tidy();
        return;
      }
      throw new GitError('object-missing', `fetch ${ref} of ${url}: ${oid} was not received, the branch has moved`);
    },
    async deepen(ref) {
      if (!(await mirror.cutOff())) return false;
      await fetch(ref, { depth: wholeDepth });
      return true;
    },
    keepOnly: (refs) => mirror.keepOnly(new Set([...refs].map(mirrorRef))),
  };
}

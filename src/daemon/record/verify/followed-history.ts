import type { Fleet } from '../../../engine/input.ts';
import { commitForm } from '../../../git/resolve-commit.ts';
import type { RepoTree } from '../../../repo/tree.ts';
import type { DesiredState } from '../../ports.ts';

/**
 * The followed branch up to one of its commits. Only commits that were its tip count as desired state: those on its first-parent line.
 * What a merge brought was reviewed as the merge left it, not commit by commit.
 */
export interface FollowedHistory {
  /** The commit that is planned for. */
  readonly tip: string;
  /** The fleet as the branch held it; undefined for a commit that was never its tip, or whose files are missing. */
  fleetAt(commit: string): Promise<Fleet | undefined>;
  /** Whether the branch was at `commit` before it was at `of`; also if they are the same. */
  holds(commit: string, of: string): Promise<boolean>;
  /** When a commit was made, milliseconds since the epoch; undefined if it cannot be read. */
  madeAt(commit: string): Promise<number | undefined>;
  /** The fleets before a commit, newest first, along the first parents: at most {@link mostSteps} of them. */
  before(commit: string): AsyncIterable<FollowedFleet>;
}

export interface FollowedFleet {
  readonly commit: string;
  readonly fleet: Fleet;
}

/** How far back a last valid version is looked for. Each step loads the files that changed; a broken file is fixed within days. */
const mostSteps = 50;
/** Fleets kept in memory: a record names few commits, and each verification uses them together. */
const mostKept = 8;

/** Keeps fleets of past commits between verifications. `load` must not drop the present fleet from its cache. */
export function followedHistory(
  desired: Pick<DesiredState, 'has' | 'heightOf' | 'madeAt' | 'parentOf' | 'tree'>,
  load: (tree: RepoTree) => Promise<Fleet>,
): (tip: { readonly commit: string; readonly fleet: Fleet }) => FollowedHistory {
  const loaded = new Map<string, Fleet>();

  async function fleetOf(commit: string): Promise<Fleet | undefined> {
    const known = loaded.get(commit);
    if (known) return known;
    if (!(await desired.has(commit))) return undefined;
    const fleet = await load(await desired.tree(commit));
    for (const oldest of [...loaded.keys()].slice(0, loaded.size + 1 - mostKept)) loaded.delete(oldest);
    loaded.set(commit, fleet);
    return fleet;
  }

  // Only a commit id may be passed to git.
  const heightIn = async (tip: string, commit: string): Promise<number | undefined> =>
    commitForm.test(commit) ? desired.heightOf(commit, tip) : undefined;

  return ({ commit: tip, fleet }) => ({
    tip,
    async fleetAt(commit) {
      if (commit === tip) return fleet;
      return (await heightIn(tip, commit)) === undefined ? undefined : fleetOf(commit);
    },
    async holds(commit, of) {
      if (commit === of) return true;
      const [earlier, later] = [await heightIn(tip, commit), await heightIn(tip, of)];
      return earlier !== undefined && later !== undefined && earlier < later;
    },
    madeAt: async (commit) => (commitForm.test(commit) ? desired.madeAt(commit) : undefined),
    async *before(commit) {
      const wasTip = commit === tip || (await heightIn(tip, commit)) !== undefined;
      let at = wasTip ? await desired.parentOf(commit) : undefined;
      for (let step = 0; step < mostSteps && at !== undefined; step++) {
        const found = await fleetOf(at);
        if (found === undefined) return;
        yield { commit: at, fleet: found };
        at = await desired.parentOf(at);
      }
    },
  });
}

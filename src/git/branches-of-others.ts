import type { Branches } from './branches.ts';
import { fileChanges } from './objects/changes.ts';
import { subjectOf } from './objects/commit.ts';

/** Commits of a branch that are read for the one that made it. */
const mostCommits = 50;

/** Subject of the commit that makes an approval branch. */
export const approvalSubject = (name: string): string => `Approve ${name}`;

/** Tells approval branches of fleets in other folders of the repo from those of this one. The fleet of a whole repo has no others. */
export interface BranchesOfOthers {
  has(branch: { readonly name: string; readonly ref: string; readonly tip: string }): Promise<boolean>;
  /** Forgets all other tips. */
  keepOnly(tips: ReadonlySet<string>): void;
}

export function branchesOfOthers(
  { objects, obtain }: Pick<Branches, 'objects' | 'obtain'>,
  folder: string,
): BranchesOfOthers {
  const known = new Map<string, boolean>();

  /** The commit that made the branch shows its folder; others may have added commits on top. */
  async function isMadeElsewhere(name: string, tip: string): Promise<boolean> {
    let commit = await objects.commit(tip);
    for (let read = 1; subjectOf(commit) !== approvalSubject(name); read++) {
      const [parent] = commit.parents;
      if (parent === undefined || read === mostCommits) return false;
      commit = await objects.commit(parent);
    }
    const [parent] = commit.parents;
    const before = parent === undefined ? undefined : (await objects.commit(parent)).tree;
    const [changes = []] = await fileChanges(objects, [{ before, after: commit.tree }]);
    return changes.every(({ path }) => !path.startsWith(folder));
  }

  return {
    async has({ name, ref, tip }) {
      if (folder === '') return false;
      const before = known.get(tip);
      if (before !== undefined) return before;
      await obtain(ref, tip);
      const found = await isMadeElsewhere(name, tip);
      known.set(tip, found);
      return found;
    },
    keepOnly(tips) {
      for (const tip of known.keys()) if (!tips.has(tip)) known.delete(tip);
    },
  };
}

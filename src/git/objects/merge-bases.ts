import { GitError } from '../git-error.ts';
import type { Objects } from './objects.ts';

/** The same as for the first-parent line. Reading that many without the git binary takes minutes. */
const mostCommits = 100_000;

/**
 * The common ancestors of two commits that no other common ancestor descends from, as of `git merge-base --all`. Decided by parents
 * alone: dates are what the author writes. Ends where history was left out. Errors: GitError, `too-large` for longer histories.
 */
export async function mergeBases(
  { commits, has }: Pick<Objects, 'commits' | 'has'>,
  ours: string,
  theirs: string,
): Promise<readonly string[]> {
  const parentsOf = new Map<string, readonly string[]>();

  async function readParents(oids: readonly string[]): Promise<void> {
    const unread = oids.filter((oid) => !parentsOf.has(oid));
    const read = await commits(unread).catch(async (error: unknown) => {
      if (!(error instanceof GitError && error.code === 'object-missing')) throw error;
      const there: string[] = [];
      for (const oid of unread) if (await has(oid)) there.push(oid);
      return commits(there);
    });
    for (const { oid, parents } of read) parentsOf.set(oid, parents);
    if (parentsOf.size > mostCommits)
      throw new GitError('too-large', `finding where ${theirs} began takes git for more than ${mostCommits} commits`);
  }

  async function ancestors(tip: string): Promise<Set<string>> {
    const seen = new Set<string>();
    for (let level = [tip]; level.length > 0; ) {
      await readParents(level);
      const found = level.filter((oid) => parentsOf.has(oid));
      for (const oid of found) seen.add(oid);
      level = [...new Set(found.flatMap((oid) => parentsOf.get(oid)!))].filter((oid) => !seen.has(oid));
    }
    return seen;
  }

  const common = (await ancestors(ours)).intersection(await ancestors(theirs));
  // Every ancestor of a common ancestor is one, so those that another descends from are parents of one.
  const passed = new Set([...common].flatMap((oid) => parentsOf.get(oid)!));
  return [...common.difference(passed)].sort();
}

import { fileChanges } from './objects/changes.ts';
import type { Commit } from './objects/commit.ts';
import { subjectOf } from './objects/commit.ts';
import type { Person } from './person.ts';
import type { GitSource } from './source.ts';

/** What an approval branch would merge besides its request. */
export interface BranchAdditions {
  /** Commits of others, newest first: `1a2b3c4 Change of Ann`. Merges of the followed branch do not count. */
  readonly commits: readonly string[];
  /** Files that differ from the followed branch. */
  readonly files: readonly string[];
}

/** Where a branch left the followed branch, or took it over last; undefined if that lies too far back. */
interface BranchBase {
  readonly base: string | undefined;
}

export const noAdditions: BranchAdditions = { commits: [], files: [] };

/** Commits that are read of one branch. Gitfleet makes one for each change of the request. */
const mostCommits = 50;

/**
 * What a branch has besides the file at `path`, compared with where it left the followed branch. A commit is ours only if it has our
 * name and changes only that file: anybody can write our name.
 */
export async function branchAdditions(
  source: Pick<GitSource, 'branches' | 'isAncestor'>,
  of: { readonly tip: string; readonly followed: string; readonly path: string; readonly author: Person },
): Promise<BranchAdditions & BranchBase> {
  const { objects } = source.branches;
  const { own, bases } = await commitsSince(source, of);
  const parents = new Map(
    await Promise.all(
      own.flatMap(({ parents: [parent] }) =>
        parent === undefined ? [] : [objects.commit(parent).then((commit) => [parent, commit] as const)],
      ),
    ),
  );
  const treeBefore = ({ parents: [parent] }: Commit) => (parent === undefined ? undefined : parents.get(parent)!.tree);
  const changes = await fileChanges(
    objects,
    own.map((commit) => ({ before: treeBefore(commit), after: commit.tree })),
  );
  const isOurs = ({ author: { name, email } }: Commit, at: number): boolean =>
    name === of.author.name && email === of.author.email && changes[at]!.every(({ path }) => path === of.path);
  const base = await latest(bases, source);
  const [differing = []] = await fileChanges(objects, [
    { before: base && (await objects.commit(base)).tree, after: (await objects.commit(of.tip)).tree },
  ]);
  return {
    base,
    commits: own
      .filter((commit, at) => commit.parents.length < 2 && !isOurs(commit, at))
      .map((commit) => `${commit.oid.slice(0, 7)} ${subjectOf(commit)} of ${commit.author.name}`),
    files: differing
      .map(({ path }) => path)
      .filter((path) => path !== of.path)
      .sort(),
  };
}

/** Commits that the followed branch lacks, newest first, and the commits of the followed branch that they are based on. */
async function commitsSince(
  { branches, isAncestor }: Pick<GitSource, 'branches' | 'isAncestor'>,
  { tip, followed }: { readonly tip: string; readonly followed: string },
): Promise<{ readonly own: readonly Commit[]; readonly bases: readonly string[] }> {
  const own: Commit[] = [];
  const bases: string[] = [];
  const open = [tip];
  const seen = new Set(open);
  for (let oid = open.shift(); oid !== undefined; oid = open.shift()) {
    if (await isAncestor(oid, followed)) {
      bases.push(oid);
      continue;
    }
    // What lies further back is among the files, which are then compared with nothing.
    if (own.length === mostCommits) return { own, bases: [] };
    const commit = await branches.objects.commit(oid);
    own.push(commit);
    const next = commit.parents.filter((parent) => !seen.has(parent));
    for (const parent of next) seen.add(parent);
    open.push(...next);
  }
  return { own, bases };
}

/** The base that the others are in the history of: where the followed branch was merged last. */
async function latest(
  bases: readonly string[],
  { isAncestor }: Pick<GitSource, 'isAncestor'>,
): Promise<string | undefined> {
  let newest = bases[0];
  for (const base of bases.slice(1)) if (await isAncestor(newest!, base)) newest = base;
  return newest;
}

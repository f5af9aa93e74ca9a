import type { Branches } from './branches.ts';
import { GitError } from './git-error.ts';
import { branchesLike } from './no-branch.ts';

export const commitForm = /^[0-9a-f]{40}$/;
/** gitfleet itself prints 12 digits, git 7 or more. */
const beginningForm = /^[0-9a-f]{7,39}$/;

/** Commits of each branch that an abbreviated id is looked for in. */
const mostSearched = 10_000;

/**
 * The commit that a name refers to: a branch, a tag, `HEAD` (the default), a full ref or a commit id, whole or its beginning, each with
 * `~3` or `^` for a first parent; readable through `branches.objects` afterwards. Errors: GitError, `not-found`.
 */
export async function resolveCommit(branches: Branches, asked: string | undefined): Promise<string> {
  const [, name = '', steps = ''] = /^(.*?)((?:~\d*|\^)*)$/.exec(asked ?? 'HEAD') ?? [];
  const generations = [...steps.matchAll(/~(\d*)|\^/g)].reduce((sum, [, count]) => sum + Number(count || 1), 0);
  const found = (await refNamed(branches, name)) ?? (await idNamed(branches, name));
  if (found === undefined)
    throw new GitError(
      'not-found',
      asked === undefined
        ? `${branches.name} has no commit yet: commit the files first`
        : `${branches.name} has no ${name}: ${await otherNames(branches, name)}`,
    );
  return generations === 0 ? found : ancestor(branches, found, { generations, asked: asked! });
}

async function refNamed(branches: Branches, name: string): Promise<string | undefined> {
  const candidates =
    name === 'HEAD' ? ['HEAD'] : [name, `refs/heads/${name}`, `refs/tags/${name}`, `refs/remotes/${name}`];
  for (const ref of candidates.filter((ref) => ref === 'HEAD' || ref.startsWith('refs/'))) {
    const oid = (await branches.list([ref])).get(ref);
    if (oid === undefined) continue;
    await branches.obtain(ref, oid);
    return peeled(branches, oid);
  }
  return undefined;
}

async function idNamed(branches: Branches, id: string): Promise<string | undefined> {
  const isWhole = commitForm.test(id);
  if (!isWhole && !beginningForm.test(id)) return undefined;
  await obtainAll(branches);
  if (isWhole) return (await branches.objects.has(id)) ? id : undefined;
  const found = new Set<string>();
  for (const tip of new Set((await branches.list(branchPrefixes(branches))).values()))
    for (const oid of await branches.objects.log(tip, { most: mostSearched })) if (oid.startsWith(id)) found.add(oid);
  if (found.size > 1)
    throw new GitError(
      'not-found',
      `${branches.name} has several commits ${id}: give more digits of ${[...found].join(' or ')}`,
    );
  return [...found][0];
}

const branchPrefixes = ({ remote }: Branches): string[] =>
  remote ? ['refs/heads/'] : ['HEAD', 'refs/heads/', 'refs/remotes/'];

/** A server sends commits by branch: all branches may be needed to find one. */
async function obtainAll(branches: Branches): Promise<void> {
  if (!branches.remote) return;
  for (const [ref, oid] of await branches.list(branchPrefixes(branches))) {
    await branches.obtain(ref, oid);
    await branches.deepen(ref);
  }
}

async function ancestor(
  branches: Branches,
  commit: string,
  { generations, asked }: { readonly generations: number; readonly asked: string },
): Promise<string> {
  await obtainAll(branches);
  const line = await branches.objects.firstParents(commit, generations + 1);
  const found = line[generations];
  if (found === undefined)
    throw new GitError(
      'not-found',
      `${branches.name} has no ${asked}: ${commit.slice(0, 12)} has ${line.length - 1} ancestors`,
    );
  return found;
}

async function otherNames(branches: Branches, name: string): Promise<string> {
  const { names, like } = await branchesLike(branches, name);
  return like ? `did you mean ${like}?` : `name a commit id, a tag, or a branch${names && ` (${names})`}`;
}

/** An annotated tag is an object that names its commit. */
async function peeled(branches: Branches, oid: string): Promise<string> {
  const object = (await branches.objects.read([oid])).get(oid)!;
  if (object.type !== 'tag') return oid;
  const target = /^object ([0-9a-f]{40})$/m.exec(object.content.toString('utf8'))?.[1];
  if (target === undefined) throw new GitError('failed', `the tag ${oid} in ${branches.name} names no object`);
  return peeled(branches, target);
}

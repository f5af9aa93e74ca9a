import { nearest } from '../api/syntax.ts';
import type { Branches } from './branches.ts';
import { GitError } from './git-error.ts';

/** Branches named in an error; the rest are counted. */
const mostNamed = 8;

/** The error for a branch that a repository does not have, with what it has instead. */
export async function noBranch(branches: Pick<Branches, 'name' | 'list'>, branch: string): Promise<GitError> {
  const { names, like } = await branchesLike(branches, branch);
  const has = names === '' ? '' : `, only ${names}`;
  const what = like ? `: did you mean ${like}?` : `${has}: commit to it, or name another --branch`;
  return new GitError('not-found', `${branches.name} has no branch ${branch}${what}`);
}

/** Names of branches for an error, and the one whose name comes close. Approval branches are left out. */
export async function branchesLike(
  branches: Pick<Branches, 'list'>,
  name: string,
): Promise<{ readonly names: string; readonly like: string | undefined }> {
  const heads = 'refs/heads/';
  const all = [...(await branches.list([heads])).keys()].map((ref) => ref.slice(heads.length));
  const names = all.filter((branch) => !branch.startsWith('gitfleet/')).sort();
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return { names: `${names.slice(0, mostNamed).join(', ')}${more}`, like: nearest(name, names) };
}

import type { Branches } from './branches.ts';
import { GitError } from './git-error.ts';

export const commitForm = /^[0-9a-f]{40}$/;

/**
 * The commit that a name refers to: a branch, a tag, `HEAD` (the default), a full ref or a whole commit id, readable through
 * `branches.objects` afterwards. Errors: GitError, `not-found`.
 */
export async function resolveCommit(branches: Branches, asked: string | undefined): Promise<string> {
  const name = asked ?? 'HEAD';
  const candidates =
    name === 'HEAD' ? ['HEAD'] : [name, `refs/heads/${name}`, `refs/tags/${name}`, `refs/remotes/${name}`];
  for (const ref of candidates.filter((ref) => ref === 'HEAD' || ref.startsWith('refs/'))) {
    const oid = (await branches.list([ref])).get(ref);
    if (oid === undefined) continue;
    await branches.obtain(ref, oid);
    return peeled(branches, oid);
  }
  if (commitForm.test(name)) {
    // A server sends commits by branch: all branches may be needed to find this one.
    if (branches.remote) {
      for (const [ref, oid] of await branches.list(['refs/heads/'])) {
        await branches.obtain(ref, oid);
        await branches.deepen(ref);
      }
    }
    if (await branches.objects.has(name)) return name;
  }
  throw new GitError(
    'not-found',
    asked === undefined
      ? `${branches.name} has no commit yet: commit the files first`
      : `${branches.name} has no ${name}: name a branch, a tag or a whole commit id`,
  );
}

/** An annotated tag is an object that names its commit. */
async function peeled(branches: Branches, oid: string): Promise<string> {
  const object = (await branches.objects.read([oid])).get(oid)!;
  if (object.type !== 'tag') return oid;
  const target = /^object ([0-9a-f]{40})$/m.exec(object.content.toString('utf8'))?.[1];
  if (target === undefined) throw new GitError('failed', `the tag ${oid} in ${branches.name} names no object`);
  return peeled(branches, target);
}

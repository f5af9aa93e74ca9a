import { fileChanges } from './objects/changes.ts';
import type { Commit } from './objects/commit.ts';
import type { Objects } from './objects/objects.ts';

/** How far back the commit is looked for. An approval that waits for nothing is read within minutes. */
const mostSteps = 1_000;
/** Trees of so many commits are compared at once. */
const atOnce = 32;

/**
 * The commit of a branch that gave the file at `path` its present content, along the first parents: of a merge the merge itself.
 * `since`: an earlier tip; a file that has not changed after it was brought before. `removed`: the last change deleted it.
 * Undefined = not found, or history is missing.
 */
export async function broughtBy(
  objects: Objects,
  { tip, path, since }: { readonly tip: string; readonly path: string; readonly since?: string | undefined },
): Promise<Commit | 'before' | 'removed' | undefined> {
  let next: string | undefined = tip;
  // Most approvals are in the newest commit.
  for (let steps = 0, size = 1; steps < mostSteps; steps += size, size = atOnce) {
    const commits: Commit[] = [];
    while (next !== undefined && next !== since && commits.length <= size) {
      if (!(await objects.has(next))) break;
      const commit: Commit = await objects.commit(next);
      commits.push(commit);
      next = commit.parents[0];
    }
    // The last one is only compared with.
    const isWhole = next === undefined || next === since;
    const before = next === since && since !== undefined ? (await objects.commit(since)).tree : undefined;
    const compared = isWhole ? commits : commits.slice(0, -1);
    const pairs = compared.map(({ tree }, at) => ({ before: commits[at + 1]?.tree ?? before, after: tree }));
    const changes = await fileChanges(objects, pairs, path);
    const found = changes.findIndex((changed) => changed.length > 0);
    if (found >= 0) return changes[found]![0]!.after === undefined ? 'removed' : compared[found];
    if (isWhole) return next === undefined ? undefined : 'before';
    const last = commits.at(-1);
    if (last === undefined || compared.length === 0) return undefined;
    next = last.oid;
  }
  return undefined;
}

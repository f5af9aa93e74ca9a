import type { BranchChange } from './branches.ts';
import { editTree } from './objects/edit-tree.ts';
import { newCommit } from './objects/new-objects.ts';
import type { Person } from './person.ts';
import { branchRef, type GitSource } from './source.ts';

/** Of every branch that asks a person for a yes. */
export const approvalPrefix = 'refs/heads/gitfleet/approve/';

export interface ApprovalBranches {
  ask(request: { readonly name: string; readonly path: string; readonly content: string }): Promise<void>;
  withdraw(name: string): Promise<void>;
  list(): Promise<readonly string[]>;
}

/** Branches `gitfleet/approve/<name>`: the tip of the desired branch and one file on top. Merging one is the yes. */
export function approvalBranches(
  source: GitSource,
  { author, now }: { readonly author: Person; readonly now: () => number },
): ApprovalBranches {
  const { branches, refs } = source;
  /** Commits that are known to hold what was asked. */
  const asked = new Map<string, { readonly oid: string; readonly content: string }>();

  const current = (): Promise<Map<string, string>> => refs.list([approvalPrefix]);

  async function move(change: BranchChange): Promise<'done' | 'moved'> {
    const outcome = await branches.change(change);
    if (outcome === 'done') refs.know(change.ref, change.to);
    else refs.expire();
    return outcome;
  }

  return {
    list: async () => [...(await current()).keys()].map((ref) => ref.slice(approvalPrefix.length)).sort(),
    async ask({ name, path, content }) {
      const ref = branchRef(`gitfleet/approve/${name}`);
      const there = (await current()).get(ref);
      const before = asked.get(ref);
      if (there !== undefined && before?.oid === there && before.content === content) return;
      // A question that changed goes on top of the branch that asked before: nothing a person added there is lost.
      const base = there ?? (await source.poll());
      if (there !== undefined) await branches.obtain(ref, there);
      const { tree } = await branches.objects.commit(base);
      const { root, objects } = await editTree(branches.objects, tree, new Map([[path, content]]));
      if (there !== undefined && root === tree) {
        asked.set(ref, { oid: there, content });
        return;
      }
      const message = `Approve ${name}\n\nMerging this branch is the yes. Closing the request or leaving it open is not.`;
      const commit = newCommit({ tree: root, parents: [base], message, author, at: now() });
      const outcome = await move({ ref, from: there, to: commit.oid, objects: [...objects, commit] });
      if (outcome === 'done') asked.set(ref, { oid: commit.oid, content });
    },
    async withdraw(name) {
      const ref = branchRef(`gitfleet/approve/${name}`);
      const there = (await current()).get(ref);
      asked.delete(ref);
      // Somebody who looks at the branch in a working tree keeps it until they leave it.
      if (there === undefined || (await branches.checkedOut(ref))) return;
      await move({ ref, from: there, to: undefined, objects: [] });
    },
  };
}

import type { BranchChange } from './branches.ts';
import { editTree } from './objects/edit-tree.ts';
import { newCommit } from './objects/new-objects.ts';
import type { Person } from './person.ts';
import { branchRef, type GitSource } from './source.ts';

/** Prefix of the branches that request an approval. */
export const approvalPrefix = 'refs/heads/gitfleet/approve/';

export interface ApprovalBranches {
  request(approval: { readonly name: string; readonly path: string; readonly content: string }): Promise<void>;
  withdraw(name: string): Promise<void>;
  list(): Promise<readonly string[]>;
}

/** Branches `gitfleet/approve/<name>`: the tip of the desired branch and one file on top. Merging one approves. */
export function approvalBranches(
  source: GitSource,
  { author, now }: { readonly author: Person; readonly now: () => number },
): ApprovalBranches {
  const { branches, refs } = source;
  /** Commits that are known to contain the requested file. */
  const requested = new Map<string, { readonly oid: string; readonly content: string }>();

  const current = (): Promise<Map<string, string>> => refs.list([approvalPrefix]);

  async function move(change: BranchChange): Promise<'done' | 'moved'> {
    const outcome = await branches.change(change);
    if (outcome === 'done') refs.know(change.ref, change.to);
    else refs.expire();
    return outcome;
  }

  return {
    list: async () => [...(await current()).keys()].map((ref) => ref.slice(approvalPrefix.length)).sort(),
    async request({ name, path, content }) {
      const ref = branchRef(`gitfleet/approve/${name}`);
      const there = (await current()).get(ref);
      const before = requested.get(ref);
      if (there !== undefined && before?.oid === there && before.content === content) return;
      // A changed request is committed on top of its branch: nothing that someone added there is lost.
      const base = there ?? (await source.poll());
      if (there !== undefined) await branches.obtain(ref, there);
      const { tree } = await branches.objects.commit(base);
      const { root, objects } = await editTree(branches.objects, tree, new Map([[path, content]]));
      if (there !== undefined && root === tree) {
        requested.set(ref, { oid: there, content });
        return;
      }
      const message = `Approve ${name}\n\nMerging this branch approves. Closing the request, or leaving it open, does not.`;
      const commit = newCommit({ tree: root, parents: [base], message, author, at: now() });
      const outcome = await move({ ref, from: there, to: commit.oid, objects: [...objects, commit] });
      if (outcome === 'done') requested.set(ref, { oid: commit.oid, content });
    },
    async withdraw(name) {
      const ref = branchRef(`gitfleet/approve/${name}`);
      const there = (await current()).get(ref);
      requested.delete(ref);
      // A branch that is checked out in a working tree is kept until another one is checked out there.
      if (there === undefined || (await branches.checkedOut(ref))) return;
      await move({ ref, from: there, to: undefined, objects: [] });
    },
  };
}

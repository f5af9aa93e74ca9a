import { type BranchAdditions, branchAdditions, noAdditions } from './branch-additions.ts';
import type { BranchChange } from './branches.ts';
import { fileChanges } from './objects/changes.ts';
import { editTree } from './objects/edit-tree.ts';
import { newCommit, newObject } from './objects/new-objects.ts';
import type { Person } from './person.ts';
import { branchRef, type GitSource } from './source.ts';

/** Prefix of the branches that request an approval. */
export const approvalPrefix = 'refs/heads/gitfleet/approve/';

/** An approval branch as it is after its request. */
export interface RequestedBranch extends BranchAdditions {
  /** The branch contains the requested file. False: it also contains something else, so it was left as it is. */
  readonly isRequested: boolean;
  /** Its tip; undefined if another writer moved it meanwhile. */
  readonly commit: string | undefined;
}

export interface ApprovalBranches {
  request(approval: {
    readonly name: string;
    readonly path: string;
    readonly content: string;
  }): Promise<RequestedBranch>;
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
  const asRequested = (commit: string | undefined): RequestedBranch => ({ ...noAdditions, isRequested: true, commit });

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
      if (there !== undefined && before?.oid === there && before.content === content) return asRequested(there);
      const followed = await source.poll();
      const base = there ?? followed;
      if (there !== undefined) await branches.obtain(ref, there);
      // A changed request is committed on top of its branch, but only on top of what is ours.
      const added =
        there === undefined ? noAdditions : await branchAdditions(source, { tip: there, followed, path, author });
      const { tree } = await branches.objects.commit(base);
      if (added.commits.length + added.files.length > 0) {
        const [[file] = []] = await fileChanges(branches.objects, [{ before: undefined, after: tree }], path);
        const isRequested = file?.after === newObject('blob', Buffer.from(content)).oid;
        return { ...added, isRequested, commit: there };
      }
      const { root, objects } = await editTree(branches.objects, tree, new Map([[path, content]]));
      if (there !== undefined && root === tree) {
        requested.set(ref, { oid: there, content });
        return asRequested(there);
      }
      const message = `Approve ${name}\n\nMerging this branch approves. Closing the request, or leaving it open, does not.`;
      const commit = newCommit({ tree: root, parents: [base], message, author, at: now() });
      const outcome = await move({ ref, from: there, to: commit.oid, objects: [...objects, commit] });
      if (outcome === 'done') requested.set(ref, { oid: commit.oid, content });
      return asRequested(outcome === 'done' ? commit.oid : undefined);
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

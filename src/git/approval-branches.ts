import { type BranchAdditions, branchAdditions, noAdditions } from './branch-additions.ts';
import type { BranchChange, Branches } from './branches.ts';
import { approvalSubject, branchesOfOthers } from './branches-of-others.ts';
import { GitError } from './git-error.ts';
import { fileChanges } from './objects/changes.ts';
import { editTree } from './objects/edit-tree.ts';
import { newCommit, newObject } from './objects/new-objects.ts';
import type { Person } from './person.ts';
import { branchRef, type GitSource } from './source.ts';

/** A server that refuses to delete a branch, as forges do with protected ones, is not asked again before. Milliseconds. */
const deleteAgainMs = 10 * 60_000;

/** Prefix of the branches that request an approval. */
export const approvalPrefix = 'refs/heads/gitfleet/approve/';

/** An approval branch as it is after its request. */
export interface RequestedBranch extends BranchAdditions {
  /** The branch contains the requested file. False: it also contains something else, so it was left as it is. */
  readonly isRequested: boolean;
  /** Its tip; undefined if another writer moved it meanwhile. */
  readonly commit: string | undefined;
}

/** What a branch requests: one file. */
export interface ApprovalFile {
  readonly name: string;
  readonly path: string;
  readonly content: string;
}

export interface ApprovalBranches {
  request(approval: ApprovalFile): Promise<RequestedBranch>;
  withdraw(name: string): Promise<void>;
  list(): Promise<ListedApprovals>;
}

export interface ListedApprovals {
  readonly names: readonly string[];
  /** Names that fleets in other folders of the repo request. */
  readonly others: readonly string[];
  /** When they were read. Milliseconds of real time. */
  readonly asOfMs: number;
}

/**
 * Branches `gitfleet/approve/<name>`: the tip of the desired branch and one file on top. Merging one approves. One whose merge was
 * reverted starts again at the tip, as merging it once more would change nothing. Of fleets in several folders of a repo, each leaves the
 * branches of the others.
 */
export function approvalBranches(
  source: GitSource,
  { author, now }: { readonly author: Person; readonly now: () => number },
): ApprovalBranches {
  const { branches, refs } = source;
  /** In the repo. */
  const placed = (path: string): string => source.folder + path;
  /** Commits that are known to contain the requested file, and the tip up to which the followed branch was seen to leave it alone. */
  const requested = new Map<string, { readonly oid: string; readonly content: string; readonly followed: string }>();
  const asRequested = (commit: string | undefined): RequestedBranch => ({ ...noAdditions, isRequested: true, commit });

  const others = branchesOfOthers(branches, source.folder);

  const current = (): Promise<Map<string, string>> => refs.list([approvalPrefix]);

  const change = rarelyDeleted(branches, now);

  async function move(of: BranchChange): Promise<'done' | 'moved'> {
    const outcome = await change(of);
    if (outcome === 'done') refs.know(of.ref, of.to);
    else refs.expire();
    return outcome;
  }

  /** On top of `base`, where the branch is; undefined: it is made. */
  async function push(request: ApprovalFile, base: string, from: string | undefined, followed: string) {
    const ref = refOf(request.name);
    const { tree } = await branches.objects.commit(base);
    const { root, objects } = await editTree(
      branches.objects,
      tree,
      new Map([[placed(request.path), request.content]]),
    );
    const { name, content } = request;
    if (from !== undefined && root === tree) {
      requested.set(ref, { oid: from, content, followed });
      return asRequested(from);
    }
    const commit = newCommit({ tree: root, parents: [base], message: messageOf(name), author, at: now() });
    const outcome = await move({ ref, from, to: commit.oid, objects: [...objects, commit] });
    if (outcome === 'done') requested.set(ref, { oid: commit.oid, content, followed });
    return asRequested(outcome === 'done' ? commit.oid : undefined);
  }

  return {
    async list() {
      const there = await current();
      const asOfMs = refs.asOfMs();
      const own: string[] = [];
      const ofOthers: string[] = [];
      for (const [ref, tip] of [...there].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const name = ref.slice(approvalPrefix.length);
        (requested.get(ref)?.oid !== tip && (await others.has({ name, ref, tip })) ? ofOthers : own).push(name);
      }
      others.keepOnly(new Set(there.values()));
      return { names: own, others: ofOthers, asOfMs };
    },
    async request(request) {
      const { name, path, content } = request;
      const ref = refOf(name);
      const there = (await current()).get(ref);
      const followed = await source.poll();
      if (there === undefined) return push(request, followed, undefined, followed);
      const before = requested.get(ref);
      const isKnown = before?.oid === there && before.content === content;
      if (isKnown && before.followed === followed) return asRequested(there);
      await branches.obtain(ref, there);
      const { base, ...added } = isKnown
        ? { base: before.followed, ...noAdditions }
        : await branchAdditions(source, { tip: there, followed, path: placed(path), author });
      if (added.commits.length + added.files.length > 0) {
        const isRequested =
          (await fileIn(source, { commit: there, path })) === newObject('blob', Buffer.from(content)).oid;
        return { ...added, isRequested, commit: there };
      }
      const isAgain = await mustStartAgain(source, request, { tip: there, since: base, followed });
      // A changed request is committed on top of its branch, but only on top of what is ours.
      if (!isAgain || (await branches.checkedOut(ref))) return push(request, there, there, followed);
      // Deleted first: gitfleet never pushes by force, which a server may refuse.
      await move({ ref, from: there, to: undefined, objects: [] });
      return push(request, followed, undefined, followed);
    },
    async withdraw(name) {
      const ref = refOf(name);
      const there = (await current()).get(ref);
      requested.delete(ref);
      // A branch that is checked out in a working tree is kept until another one is checked out there.
      if (there === undefined || (await branches.checkedOut(ref))) return;
      await move({ ref, from: there, to: undefined, objects: [] });
    },
  };
}

/** Changes branches. What the server refused to delete it is not asked to delete again soon, but the error is the same. */
function rarelyDeleted({ change }: Pick<Branches, 'change'>, now: () => number): Branches['change'] {
  const kept = new Map<
    string,
    { readonly oid: string | undefined; readonly untilMs: number; readonly why: GitError }
  >();
  return async (of) => {
    if (of.to !== undefined) return change(of);
    const before = kept.get(of.ref);
    if (before && before.oid === of.from && now() < before.untilMs) throw before.why;
    kept.delete(of.ref);
    return change(of).catch((error: unknown) => {
      if (error instanceof GitError && error.code === 'push-refused')
        kept.set(of.ref, { oid: of.from, untilMs: now() + deleteAgainMs, why: error });
      throw error;
    });
  };
}

const messageOf = (name: string): string =>
  `${approvalSubject(name)}\n\nMerging this branch approves. Closing the request, or leaving it open, does not.\n\`gitfleet describe approval ${name}\` shows what that starts.`;

const refOf = (name: string): string => branchRef(`gitfleet/approve/${name}`);

/** Blob of a file of the fleet in a commit; undefined if it has none. */
async function fileIn(
  { branches, folder }: Pick<GitSource, 'branches' | 'folder'>,
  { commit, path }: { readonly commit: string; readonly path: string },
): Promise<string | undefined> {
  const { tree } = await branches.objects.commit(commit);
  const [[file] = []] = await fileChanges(branches.objects, [{ before: undefined, after: tree }], folder + path);
  return file?.after;
}

/** The followed branch had the request, or changed its file otherwise, and lacks it now. */
async function mustStartAgain(
  source: GitSource,
  { path, content }: ApprovalFile,
  of: { readonly tip: string; readonly since: string | undefined; readonly followed: string },
): Promise<boolean> {
  const { tip, since, followed } = of;
  if (since === undefined || since === followed) return false;
  const changed = tip === since ? 'merged' : await source.broughtBy({ tip: followed, path, since });
  if (changed === undefined || changed === 'before') return false;
  return (await fileIn(source, { commit: followed, path })) !== newObject('blob', Buffer.from(content)).oid;
}

import { GitError } from '../../git/git-error.ts';
import { bringAlong, hasCheckedOut, uncommitted } from '../../git/local/working-files.ts';
import { signAsConfigured, signsCommits, withOwnSettings } from '../../git/native/sign-as-configured.ts';
import { whoCommits } from '../../git/native/who-commits.ts';
import { editTree, type FileEdits } from '../../git/objects/edit-tree.ts';
import { type NewObject, newCommit, newObject } from '../../git/objects/new-objects.ts';
import { type Person, parsePerson } from '../../git/person.ts';
import { branchRef } from '../../git/source.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import type { Desired } from './open-desired.ts';

/** A change of the fleet repo that a command makes. */
export interface Change {
  readonly edits: FileEdits;
  readonly message: string;
  /** The branch for a pull request; undefined commits to the branch of desired state itself. */
  readonly branch: string | undefined;
  readonly author: string | undefined;
  /** A commit that the change merges: the second parent. */
  readonly merges?: string | undefined;
  /** What to do where the branch of desired state is protected; without it the command has --pull-request. */
  readonly ifProtected?: string;
  /** The git directory whose settings say whether commits are signed; undefined: of the working tree that is changed. */
  readonly configuredIn?: string | undefined;
}

/** Someone else pushed in between: the same change may be tried again. */
export class MovedMeanwhile extends CliError {}

export interface Submitted {
  readonly branch: string;
  /** Undefined where a forge made it. */
  readonly commit: string | undefined;
  readonly files: readonly string[];
  /** That a forge merged, as people write its number. */
  readonly pullRequest?: { readonly number: string; readonly url: string };
}

/** Another commit may be pushed in between; more failures than this have another cause. */
const attempts = 3;

/**
 * Commits a change on top of the branch of desired state, or pushes it as a branch for a pull request; never by force. A
 * working tree that has the branch checked out is updated too, unless files of the change were edited there. Undefined when
 * the branch already has the change.
 */
export async function submit(desired: Desired, change: Change): Promise<Submitted | undefined> {
  const { branches } = desired;
  const { objects } = branches;
  const base = await objects.commit(desired.tip);
  const { root, objects: made } = await editTree(objects, base.tree, change.edits);
  if (root === base.tree) return undefined;
  const ref = change.branch === undefined ? desired.ref : branchRef(change.branch);
  const checkedOut = await branches.checkedOut(ref);
  if (checkedOut && change.branch !== undefined)
    throw new CliError(
      `${change.branch} is checked out in a working tree of ${branches.name}: switch to ${desired.branch} there first`,
    );
  if (checkedOut) await refuseUncommitted(desired, change);
  const author = await authorOf(desired, change.author);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const from = change.branch === undefined ? desired.tip : (await branches.list([ref])).get(ref);
    if (from !== undefined) await branches.obtain(ref, from);
    // An older branch of the same name is kept: the new commit is a merge with it.
    const merged = from === undefined || (await objects.isAncestor(from, desired.tip));
    if (from !== undefined && !merged && (await objects.commit(from)).tree === root)
      return { branch: change.branch!, commit: from, files: [...change.edits.keys()] };
    const parents = [desired.tip, ...(merged ? [] : [from]), ...(change.merges === undefined ? [] : [change.merges])];
    const commit = await commitOf(desired, { change, author, root, made, parents });
    const outcome = await branches
      .change({ ref, from, to: commit.oid, objects: [...made, commit] })
      .catch(refusal(change, desired));
    if (outcome === 'done') {
      if (checkedOut) await bringAlong(desired.workingTree!, change.edits);
      return { branch: change.branch ?? desired.branch, commit: commit.oid, files: [...change.edits.keys()] };
    }
    if (change.branch === undefined) break;
  }
  throw new MovedMeanwhile(`${ref} moved while this was written: run the command again`, exitCodes.somethingToDo);
}

interface CommitContent {
  readonly change: Change;
  readonly author: Person;
  readonly root: string;
  readonly made: readonly NewObject[];
  readonly parents: readonly string[];
}

/** Signed where the user's git signs. Error: CliError where it cannot. */
async function commitOf(
  { branches: { objects }, workingTree }: Desired,
  { change, author, root, made, parents }: CommitContent,
): Promise<NewObject> {
  const commit = { message: change.message, author, at: Date.now() };
  const gitDir = await withOwnSettings(change.configuredIn ?? workingTree?.gitDir);
  if (!(await signsCommits(gitDir))) return newCommit({ ...commit, tree: root, parents });
  const stored = await objects.read(parents);
  const tree = made.find(({ oid }) => oid === root) ?? (await objects.read([root])).get(root)!;
  const toSign = {
    ...commit,
    tree: newObject('tree', tree.content),
    parents: parents.map((oid) => newObject('commit', stored.get(oid)!.content)),
  };
  return signAsConfigured(toSign, gitDir).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    throw new CliError(
      `git cannot sign the commit, which commit.gpgSign asks for, so nothing is changed: ${error.message}`,
      exitCodes.refused,
      { cause: error },
    );
  });
}

/** The author of a change: as given, else whom git names. Error: CliError if it names no one: a change of the fleet is someone's. */
export async function authorOf({ workingTree }: Desired, given: string | undefined): Promise<Person> {
  const author = given === undefined ? await whoCommits(workingTree?.gitDir) : parsePerson(given);
  if (author) return author;
  throw new CliError(
    "git has no name and address for the author of the commit: set them with git config --global user.name and user.email, or give --git-author 'Ann <ann@example.com>'",
  );
}

async function refuseUncommitted(desired: Desired, { edits, ifProtected }: Change): Promise<void> {
  const { workingTree, branches, branch } = desired;
  if (workingTree === undefined || !(await hasCheckedOut(workingTree, desired.ref)))
    throw new CliError(
      `${branch} is checked out in another working tree of ${branches.name}: run the command there${ifProtected === undefined ? ', or with --pull-request' : ''}`,
    );
  const committed = new Map<string, string | undefined>();
  for (const path of edits.keys()) committed.set(path, await desired.text(path));
  const changed = await uncommitted(workingTree, committed);
  if (changed.length > 0)
    throw new CliError(
      `${changed.join(', ')} changed in ${workingTree.dir} and ${changed.length === 1 ? 'is' : 'are'} not committed: commit or undo that first`,
    );
}

const refusal =
  (change: Change, { branch }: Desired) =>
  (error: unknown): never => {
    if (!(error instanceof GitError)) throw error;
    const hint =
      change.branch === undefined && error.code === 'push-refused'
        ? `; if ${branch} is protected, ${change.ifProtected ?? 'use --pull-request'}`
        : '';
    throw new CliError(`${error.message}${hint}`, exitCodes.unreachable, { cause: error });
  };

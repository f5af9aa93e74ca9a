import { join } from 'node:path';
import { notRead } from '../repo/record/not-read.ts';
import { recordLimits, tooLarge } from '../repo/too-large.ts';
import { parseAddress } from './address.ts';
import type { Branches, GitRequest } from './branches.ts';
import { GitError } from './git-error.ts';
import type { Credentials } from './http/credentials.ts';
import { newCommit, newFileTree, type TreeEntry } from './objects/new-objects.ts';
import { openBranches } from './open-branches.ts';
import type { Person } from './person.ts';
import { alwaysAsk, type RefPoll } from './ref-poll.ts';
import { branchRef } from './source.ts';

/** The contents of the status branch that a plan is based on. */
export interface StatusTip {
  /** Undefined while the branch does not exist. */
  readonly commit: string | undefined;
  readonly files: ReadonlyMap<string, string>;
}

export type Published =
  | { readonly kind: 'published' | 'unchanged'; readonly tip: StatusTip }
  /** Another writer was faster: read again. */
  | { readonly kind: 'moved' };

export interface StatusBranch {
  /** Commit of the tip now, without reading it. */
  tip(): Promise<string | undefined>;
  read(): Promise<StatusTip>;
  /** False also when either commit is no longer known. */
  isAncestor(ancestor: string, of: string): Promise<boolean>;
  /** Commits `files` as the whole content of the branch, on top of `base`; never by force. */
  publish(base: StatusTip, files: ReadonlyMap<string, string>, message: string): Promise<Published>;
  readonly remote: boolean;
  close(): Promise<void>;
}

/**
 * The branch of the record. A remote one has a mirror of its own, apart from the fleet's files, so that a push costs only what
 * changed. Errors: GitError; `checked-out` when a working tree has the branch checked out.
 */
export async function openStatusBranch(input: {
  readonly repo: string;
  readonly statusBranch: string;
  readonly cacheDir: string;
  readonly credentials: Credentials;
  readonly native?: boolean;
  readonly author: Person;
  /** Milliseconds since the epoch, for the time of commits. */
  readonly now: () => number;
  readonly requested?: (request: GitRequest) => void;
  readonly pending?: (by: 1 | -1) => void;
  /** How often the tip of the branch is read from the server; by default at every call. */
  readonly refs?: RefPoll;
}): Promise<StatusBranch> {
  const ref = branchRef(input.statusBranch);
  const branches = await openBranches({
    address: parseAddress(input.repo),
    mirrorDir: join(input.cacheDir, 'status'),
    credentials: input.credentials,
    native: input.native,
    requested: input.requested,
    pending: input.pending,
  });
  return statusBranch(branches, ref, { ...input, refs: input.refs ?? alwaysAsk(branches) });
}

/** The branch in a repository that is open already. */
export function statusBranch(
  branches: Branches,
  ref: string,
  { author, now, refs }: { readonly author: Person; readonly now: () => number; readonly refs: RefPoll },
): StatusBranch {
  /** Objects that the repository has, since they are reachable from a tip: only the others are sent. */
  const reachable = new WeakMap<StatusTip, { readonly root: string; readonly oids: ReadonlySet<string> }>();

  return {
    remote: branches.remote,
    tip: async () => (await refs.list([ref])).get(ref),
    async read() {
      const commit = (await branches.list([ref])).get(ref);
      refs.know(ref, commit);
      if (commit === undefined) return { commit, files: new Map() };
      await branches.obtain(ref, commit);
      const tip = { commit, files: await readFiles(branches, commit) };
      const root = (await branches.objects.commit(commit)).tree;
      reachable.set(tip, { root, oids: await branches.objects.oidsOf(commit) });
      return tip;
    },
    isAncestor: (ancestor, of) => branches.objects.isAncestor(ancestor, of),
    async publish(base, files, message) {
      if (await branches.checkedOut(ref))
        throw new GitError(
          'checked-out',
          `${ref} is checked out in a working tree of ${branches.name}: switch to another branch there, status commits would look like deletions`,
        );
      const known = reachable.get(base);
      const objects = newFileTree(files);
      const root = objects.at(-1)!.oid;
      if (known?.root === root) return { kind: 'unchanged', tip: base };
      const parents = base.commit === undefined ? [] : [base.commit];
      const commit = newCommit({ tree: root, parents, message, author, at: now() });
      const fresh = new Map([...objects, commit].map((object) => [object.oid, object]));
      for (const oid of known?.oids ?? []) fresh.delete(oid);
      const outcome = await branches.change({ ref, from: base.commit, to: commit.oid, objects: [...fresh.values()] });
      if (outcome === 'moved') {
        refs.expire();
        return { kind: 'moved' };
      }
      refs.know(ref, commit.oid);
      const tip: StatusTip = { commit: commit.oid, files };
      reachable.set(tip, { root, oids: new Set(objects.map(({ oid }) => oid)) });
      return { kind: 'published', tip };
    },
    close: () => branches.close(),
  };
}

/**
 * Text files only: links and submodules that someone added are deleted by the next commit. All of them, or some paths. A file
 * that is too large to be read is replaced by `notRead`.
 */
export async function readFiles(
  branches: Pick<Branches, 'objects'>,
  commit: string,
  isAsked: (path: string) => boolean = () => true,
): Promise<Map<string, string>> {
  const tree = await branches.objects.files(commit);
  const listed = (await tree.files()).filter(({ mode, path }) => isText(mode) && isAsked(path));
  const sizes = await tree.sizes!(listed.map(({ oid }) => oid));
  const left = tooLarge(new Map(listed.map(({ path, oid }) => [path, sizes.get(oid)!])), recordLimits);
  const contents = await tree.read(listed.flatMap(({ path, oid }) => (left.has(path) ? [] : oid)));
  const textOf = (oid: string): string => Buffer.from(contents.get(oid)!).toString('utf8');
  return new Map(listed.map(({ path, oid }) => [path, left.has(path) ? notRead(left.get(path)!) : textOf(oid)]));
}

const isText = (mode: TreeEntry['mode']): boolean => mode === '100644' || mode === '100755';

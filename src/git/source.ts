import { join } from 'node:path';
import type { RepoTree } from '../repo/tree.ts';
import { parseAddress } from './address.ts';
import type { Branches, GitRequest } from './branches.ts';
import { broughtBy } from './brought-by.ts';
import { type FirstParentLine, firstParentLine } from './first-parent-line.ts';
import { GitError } from './git-error.ts';
import type { Credentials } from './http/credentials.ts';
import { noBranch } from './no-branch.ts';
import { type FileChange, fileChanges } from './objects/changes.ts';
import type { Commit, Signature } from './objects/commit.ts';
import { requireFolder } from './objects/folder-of-tree.ts';
import { openBranches } from './open-branches.ts';
import { alwaysAsk, type RefPoll } from './ref-poll.ts';
import { commitForm } from './resolve-commit.ts';

/** The desired branch of a fleet repo. */
export interface GitSource {
  /** Tip of the branch now. Errors: GitError, `not-found` when there is no such branch. */
  poll(): Promise<string>;
  tree(commit: string): Promise<RepoTree>;
  /** False also when `ancestor` is no longer known. */
  isAncestor(ancestor: string, of: string): Promise<boolean>;
  /** See {@link FirstParentLine}. */
  readonly heightOf: FirstParentLine['heightOf'];
  /** First parent of a commit; undefined if it has none or cannot be read. */
  parentOf(commit: string): Promise<string | undefined>;
  /** See {@link broughtBy}. */
  broughtBy(of: Parameters<typeof broughtBy>[1]): ReturnType<typeof broughtBy>;
  /** Commits up to `to` that `from` has not, newest first; without `from` only `to`. Those that cannot be read are left out. */
  commitsBetween(from: string | undefined, to: string): Promise<readonly Commit[]>;
  /** Those of some commits that change files of the fleet outside of a folder, as far as their first parents can be read. */
  changingMoreThan(inside: string, commits: readonly Commit[]): Promise<readonly Commit[]>;
  /** When a commit was made, milliseconds since the epoch; undefined if it cannot be read. */
  madeAt(commit: string): Promise<number | undefined>;
  /** Who wrote a commit; undefined if it cannot be read. */
  authorOf(commit: string): Promise<Signature | undefined>;
  /** False when the files of a commit cannot be read: the mirror was lost and no branch of the server leads to it. */
  has(commit: string): Promise<boolean>;
  readonly branch: string;
  /** Of the repo, that holds the fleet: see fleetFolder. Paths of files are from there. */
  readonly folder: string;
  readonly branches: Branches;
  readonly refs: RefPoll;
  close(): Promise<void>;
}

/**
 * Opens the fleet repo: a working clone or bare repository is read in place, an http(s) URL by our own client, ssh and file URLs
 * by the `git` binary. Remotes are mirrored under `cacheDir`. Errors: GitError.
 */
export async function openSource(input: {
  readonly repo: string;
  readonly branch: string;
  readonly folder?: string | undefined;
  readonly cacheDir: string;
  readonly credentials: Credentials;
  /** Whether the git binary may be used; by default if there is one. */
  readonly native?: boolean;
  readonly requested?: (request: GitRequest) => void;
  readonly pending?: (by: 1 | -1) => void;
  /** How often the refs of the server are listed; by default at every call. */
  readonly refs?: (branches: Branches) => RefPoll;
}): Promise<GitSource> {
  branchRef(input.branch);
  const branches = await openBranches({
    address: parseAddress(input.repo),
    mirrorDir: join(input.cacheDir, 'source'),
    credentials: input.credentials,
    native: input.native,
    requested: input.requested,
    pending: input.pending,
  });
  return gitSource(branches, input, (input.refs ?? alwaysAsk)(branches));
}

/** Commits of a history that are compared with another one. */
const mostCompared = 500;

/** The desired branch among the branches of a repository; `refs` lists them. */
export function gitSource(
  branches: Branches,
  { branch, folder = '' }: Pick<GitSource, 'branch'> & { readonly folder?: string | undefined },
  refs: RefPoll,
): GitSource {
  const ref = branchRef(branch);
  let known: string | undefined;
  let judged: { readonly ancestor: string; readonly of: string; readonly verdict: boolean } | undefined;

  /** The ancestor may be in the history that the first fetch left out. */
  async function judge(ancestor: string, of: string): Promise<boolean> {
    if (await branches.objects.isAncestor(ancestor, of)) return true;
    return (await branches.deepen(ref)) && (await branches.objects.isAncestor(ancestor, of));
  }

  return {
    branch,
    folder,
    branches,
    refs,
    async poll() {
      const tip = (await refs.list([ref])).get(ref);
      if (tip === undefined) throw await noBranch(branches, branch);
      await branches.obtain(ref, tip);
      if (tip !== known) await requireFolder(branches.objects, { folder, commit: tip, named: branch });
      known = tip;
      return tip;
    },
    has: (commit) => branches.objects.has(commit),
    tree: (commit) => branches.objects.files(commit, folder),
    async isAncestor(ancestor, of) {
      if (judged?.ancestor !== ancestor || judged.of !== of)
        judged = { ancestor, of, verdict: await judge(ancestor, of) };
      return judged.verdict;
    },
    heightOf: firstParentLine(branches, ref).heightOf,
    async parentOf(commit) {
      if (!(await branches.objects.has(commit))) return undefined;
      return (await branches.objects.commit(commit)).parents[0];
    },
    async broughtBy({ path, ...of }) {
      const find = () => broughtBy(branches.objects, { ...of, path: folder + path });
      const found = await find();
      return found === undefined && (await branches.deepen(ref)) ? find() : found;
    },
    async commitsBetween(from, to) {
      const { objects } = branches;
      if (!(await objects.has(to))) return [];
      if (from === undefined || !(await objects.has(from))) return [await objects.commit(to)];
      const before = new Set(await objects.log(from, { most: mostCompared }));
      const included = await objects.log(to, { most: mostCompared });
      return objects.commits(included.filter((oid) => !before.has(oid)));
    },
    async changingMoreThan(inside, commits) {
      const { objects } = branches;
      const bases = await Promise.all(
        commits.map(async ({ parents: [base] }) =>
          base !== undefined && (await objects.has(base)) ? await objects.commit(base) : undefined,
        ),
      );
      const pairs = commits.map(({ tree }, at) => ({ before: bases[at]?.tree, after: tree }));
      const changes = await fileChanges(objects, pairs);
      const isOther = ({ path }: FileChange) => path.startsWith(folder) && !path.startsWith(folder + inside);
      return commits.filter((_, at) => changes[at]!.some(isOther));
    },
    async madeAt(commit) {
      if (!(await branches.objects.has(commit))) return undefined;
      return (await branches.objects.commit(commit)).committer.at;
    },
    async authorOf(commit) {
      const isThere = commitForm.test(commit) && (await branches.objects.has(commit));
      return isThere ? (await branches.objects.commit(commit)).author : undefined;
    },
    close: () => branches.close(),
  };
}

/** `refs/heads/<branch>`. Errors: `bad-address` for text that git does not accept as the name of a branch. */
export function branchRef(branch: string): string {
  const bad =
    branch === '' ||
    branch.startsWith('-') ||
    // biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids exactly these (git-check-ref-format)
    /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|\.lock(\/|$)|(^|\/)\.|^@$/.test(branch);
  if (bad) throw new GitError('bad-address', `"${branch}" is not a valid branch name`);
  return `refs/heads/${branch}`;
}

import { join } from 'node:path';
import type { RepoTree } from '../repo/tree.ts';
import { parseAddress } from './address.ts';
import { type Branches, openBranches } from './branches.ts';
import type { Credentials } from './credentials.ts';
import { GitError } from './git-error.ts';

/** The desired branch of a fleet repo. */
export interface GitSource {
  /** Tip of the branch now. Errors: GitError, `not-found` when there is no such branch. */
  poll(): Promise<string>;
  tree(commit: string): Promise<RepoTree>;
  /** False also when `ancestor` is not known any more. */
  isAncestor(ancestor: string, of: string): Promise<boolean>;
  readonly branch: string;
  readonly branches: Branches;
  close(): Promise<void>;
}

/**
 * Opens the fleet repo: a working clone or bare repository is read in place, an http(s) URL is spoken to in process, ssh and
 * file URLs through the `git` binary. Remotes are mirrored under `cacheDir`. Errors: GitError.
 */
export async function openSource(input: {
  readonly repo: string;
  readonly branch: string;
  readonly cacheDir: string;
  readonly credentials: Credentials;
  /** Whether the git binary may be used; by default where there is one. */
  readonly native?: boolean;
}): Promise<GitSource> {
  const ref = branchRef(input.branch);
  const branches = await openBranches({
    address: parseAddress(input.repo),
    mirrorDir: join(input.cacheDir, 'source'),
    credentials: input.credentials,
    native: input.native,
  });
  return {
    branch: input.branch,
    branches,
    async poll() {
      const tip = (await branches.list(ref)).get(ref);
      if (tip === undefined)
        throw new GitError(
          'not-found',
          `${branches.name} has no branch ${input.branch}: commit to it, or name another --branch`,
        );
      await branches.obtain(ref, tip);
      return tip;
    },
    tree: (commit) => branches.objects.files(commit),
    isAncestor: (ancestor, of) => branches.objects.isAncestor(ancestor, of),
    close: () => branches.close(),
  };
}

/** `refs/heads/<branch>`. Errors: `bad-address` for what git would not take as the name of a branch. */
export function branchRef(branch: string): string {
  const bad =
    branch === '' ||
    branch.startsWith('-') ||
    // biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids exactly these (git-check-ref-format)
    /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|\.lock(\/|$)|(^|\/)\.|^@$/.test(branch);
  if (bad) throw new GitError('bad-address', `"${branch}" is no name for a branch`);
  return `refs/heads/${branch}`;
}

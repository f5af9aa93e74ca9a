import type { Address } from './address.ts';
import { GitError } from './git-error.ts';
import type { Credentials } from './http/credentials.ts';
import type { ListRefs } from './list-refs.ts';
import { localBranches } from './local/local-branches.ts';
import type { RefChange } from './local/local-refs.ts';
import { nativeBranches } from './native/native-branches.ts';
import { hasGit } from './native/run-git.ts';
import type { NewObject } from './objects/new-objects.ts';
import type { Objects } from './objects/objects.ts';
import { whileLocked } from './ref-lock.ts';

/** What is asked of a server: where its refs point, objects, or to move a ref. */
export type GitRequest = 'list' | 'fetch' | 'push';

export interface BranchChange extends RefChange {
  /** What the change brings along and the repository may not have yet. */
  readonly objects: readonly NewObject[];
}

/** The branches of one repository, wherever it is. */
export interface Branches {
  /** For people: the path or URL. */
  readonly name: string;
  readonly remote: boolean;
  /** Full names of refs and their commits, as they are now: under prefixes that end in a slash, or of exactly a name. */
  list: ListRefs;
  /** After this the commit and its files can be read through `objects`; of its history what a first fetch brings. */
  obtain(ref: string, oid: string): Promise<void>;
  /** Brings the history of a ref that its first fetch left out. False when nothing was left out. */
  deepen(ref: string): Promise<boolean>;
  readonly objects: Objects;
  /** Compare-and-swap of one ref; never by force. Errors: `push-refused` when a hook says no, `locked` when a lock stays. */
  change(change: BranchChange): Promise<'done' | 'moved'>;
  /** True when a working tree of a local repository has this branch checked out. */
  checkedOut(ref: string): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Opens a repository. `mirrorDir` is used for remotes only: a bare git directory of our own, which nobody else may use at
 * the same time (a process lock guards it).
 */
export async function openBranches(input: {
  readonly address: Address;
  readonly mirrorDir: string;
  readonly credentials: Credentials;
  /** Whether the git binary may be used; by default where there is one. */
  readonly native?: boolean;
  /** Told of every request to a server. */
  readonly requested?: (request: GitRequest) => void;
}): Promise<Branches> {
  const branches = await openAt(input);
  return { ...branches, change: (change) => whileLocked(() => branches.change(change)) };
}

async function openAt(input: Parameters<typeof openBranches>[0]): Promise<Branches> {
  const { address, mirrorDir, requested = () => {} } = input;
  const native = input.native ?? (await hasGit());
  switch (address.kind) {
    case 'local':
      return localBranches(address.path, native);
    case 'http': {
      // Its HTTP client is the largest library of all.
      const { httpBranches } = await import('./http/http-branches.ts');
      return httpBranches({ url: address.url, mirrorDir, credentials: input.credentials, native, requested });
    }
    case 'native':
      if (!native)
        throw new GitError('no-git-binary', `${address.url} needs the git binary, which is not installed here`);
      return nativeBranches({ url: address.url, mirrorDir, requested });
  }
}

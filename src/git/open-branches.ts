import type { Address } from './address.ts';
import type { Branches, GitRequest } from './branches.ts';
import { GitError } from './git-error.ts';
import type { Credentials } from './http/credentials.ts';
import { localBranches } from './local/local-branches.ts';
import { nativeBranches } from './native/native-branches.ts';
import { hasGit } from './native/run-git.ts';
import { withPending } from './pending-requests.ts';
import { whileLocked } from './ref-lock.ts';

/**
 * Opens a repository. `mirrorDir` is used for remotes only: a bare git directory of our own, which no other process may use at
 * the same time (a process lock ensures it).
 */
export async function openBranches(input: {
  readonly address: Address;
  readonly mirrorDir: string;
  readonly credentials: Credentials;
  /** Whether the git binary may be used; by default if there is one. */
  readonly native?: boolean;
  /** Called for every request to a server. */
  readonly requested?: (request: GitRequest) => void;
  /** Called when a request to a server begins and ends. */
  readonly pending?: (by: 1 | -1) => void;
}): Promise<Branches> {
  const branches = withPending(await openAt(input), input.pending ?? (() => {}));
  return { ...branches, change: (change) => whileLocked(() => branches.change(change)) };
}

async function openAt(input: Parameters<typeof openBranches>[0]): Promise<Branches> {
  const { address, mirrorDir, requested = () => {} } = input;
  const native = input.native ?? (await hasGit());
  switch (address.kind) {
    case 'local':
      return localBranches(address.path, native);
    case 'http': {
      // Its HTTP client is the largest of all libraries.
      const { httpBranches } = await import('./http/http-branches.ts');
      return httpBranches({ url: address.url, mirrorDir, credentials: input.credentials, native, requested });
    }
    case 'native':
      if (!native)
        throw new GitError('no-git-binary', `${address.url} needs the git binary, which is not installed here`);
      return nativeBranches({ url: address.url, mirrorDir, requested });
  }
}

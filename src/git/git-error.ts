export type GitErrorCode =
  /** The address is one that gitfleet never opens. */
  | 'bad-address'
  /** The repository or the branch does not exist. */
  | 'not-found'
  /** The server requires other credentials. */
  | 'unauthorized'
  /** No response, a timeout, or a response that is not git's. */
  | 'unreachable'
  /** The server or a hook rejected a push. */
  | 'push-refused'
  | 'object-missing'
  /** Two branches were merged crosswise, so that there is no one state from which both changed. */
  | 'several-bases'
  | 'sha256-repo'
  | 'reftable-repo'
  | 'alternates'
  | 'checked-out'
  | 'locked'
  | 'no-git-binary'
  | 'too-large'
  /** No commit of the branch has a signature that counts. */
  | 'unverified'
  | 'failed';

/**
 * What may resolve the error. `retry`: the same request may succeed a moment later without any change. `user`: only a change of
 * the repository, its server, this machine or the options of gitfleet.
 */
export type Remedy = 'retry' | 'user';

const remedies: Readonly<Record<GitErrorCode, Remedy>> = {
  'bad-address': 'user',
  'not-found': 'user',
  unauthorized: 'user',
  unreachable: 'retry',
  // A hook may accept the push later: a freeze ends, a required check finishes.
  'push-refused': 'retry',
  // A branch that moved while it was fetched; the next fetch gets its new tip.
  'object-missing': 'retry',
  'several-bases': 'user',
  'sha256-repo': 'user',
  'reftable-repo': 'user',
  alternates: 'user',
  'checked-out': 'user',
  // The other process ends, or its lock turns out to be stale.
  locked: 'retry',
  'no-git-binary': 'user',
  'too-large': 'user',
  unverified: 'user',
  failed: 'retry',
};

/** An error of a repository, a server or the `git` binary, in one sentence: the operation, its object, the response. */
export class GitError extends Error {
  readonly code: GitErrorCode;

  get remedy(): Remedy {
    return remedies[this.code];
  }

  constructor(code: GitErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'GitError';
    this.code = code;
  }
}

export type GitErrorCode =
  /** The address is one that gitfleet never opens. */
  | 'bad-address'
  /** The repository or the branch is not there. */
  | 'not-found'
  /** The server asks for other credentials. */
  | 'unauthorized'
  /** No answer, a timeout, or an answer that is not git's. */
  | 'unreachable'
  /** The server or a hook said no to a push. */
  | 'push-refused'
  | 'object-missing'
  | 'sha256-repo'
  | 'reftable-repo'
  | 'alternates'
  | 'checked-out'
  | 'locked'
  | 'no-git-binary'
  | 'too-large'
  | 'failed';

/**
 * What may help. `retry`: the same request may succeed a moment later without anybody doing anything. `person`: only when
 * somebody changes the repository, its server, this machine or how gitfleet was started.
 */
export type Remedy = 'retry' | 'person';

const remedies: Readonly<Record<GitErrorCode, Remedy>> = {
  'bad-address': 'person',
  'not-found': 'person',
  unauthorized: 'person',
  unreachable: 'retry',
  // Hooks change their minds: a freeze ends, a check that was late arrives.
  'push-refused': 'retry',
  // A branch that moved while it was fetched; the next look asks for where it is then.
  'object-missing': 'retry',
  'sha256-repo': 'person',
  'reftable-repo': 'person',
  alternates: 'person',
  'checked-out': 'person',
  // The other process ends, or its lock is found to be left behind.
  locked: 'retry',
  'no-git-binary': 'person',
  'too-large': 'person',
  failed: 'retry',
};

/** What a repository, a server or the `git` binary answered, in one sentence: what was tried, on what, what came back. */
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

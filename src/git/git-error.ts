export type GitErrorCode =
  /** The address is one that gitfleet never opens. */
  | 'bad-address'
  /** The repository or the branch is not there. */
  | 'not-found'
  /** The server asks for other credentials. */
  | 'unauthorized'
  /** No answer, a timeout, or an answer that is not git's. Worth trying again. */
  | 'unreachable'
  /** The server or a hook said no to a push. Worth trying again: hooks change their minds. */
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

/** What a repository, a server or the `git` binary answered, in one sentence: what was tried, on what, what came back. */
export class GitError extends Error {
  readonly code: GitErrorCode;

  constructor(code: GitErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'GitError';
    this.code = code;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A pull request (GitLab: merge request) between two branches of the same repository. */
export interface PullRequest {
  /** As people write it: `#12`, at GitLab `!12`. */
  readonly number: number;
  /** The page for people. */
  readonly url: string;
  /** Branch that it would merge, and its tip; of a closed one the tip when it was closed. */
  readonly head: string;
  readonly headCommit: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly title: string;
  readonly body: string;
}

/** GitHub, GitLab, Gitea or Forgejo: what gitfleet needs of one. Errors of all operations: ForgeError. */
export interface Forge {
  readonly kind: 'github' | 'gitlab' | 'gitea';
  /** `owner/name` */
  readonly repository: string;
  /** Longest text of a pull request or comment, characters. */
  readonly mostCharacters: number;
  /** Open ones of this repository into `base`; of forks none. */
  listOpen(base: string): Promise<readonly PullRequest[]>;
  /** All of one branch into `base`, newest first. */
  find(branches: Branches): Promise<readonly PullRequest[]>;
  /** Error `exists`: there is an open one of these branches already. */
  open(request: Branches & Text): Promise<PullRequest>;
  edit(number: number, text: Text): Promise<void>;
  close(number: number): Promise<void>;
  /** Writes the one comment with this marker: edits it if it is there. */
  comment(number: number, comment: { readonly marker: string; readonly body: string }): Promise<void>;
  setStatus(commit: string, status: CommitStatus): Promise<void>;
  /** Names of users whose approval of a pull request stands. */
  approvers(number: number): Promise<readonly string[]>;
}

export interface Branches {
  readonly head: string;
  readonly base: string;
}

export interface Text {
  readonly title: string;
  readonly body: string;
}

export interface CommitStatus {
  readonly state: 'pending' | 'success' | 'failure';
  /** `gitfleet/plan` */
  readonly context: string;
  readonly description: string;
  readonly url?: string | undefined;
  /** Branch of the commit. */
  readonly ref: string;
}

export type ForgeErrorCode =
  /** No answer, or one of a broken server. */
  | 'unreachable'
  /** The rate limit is used up. */
  | 'limited'
  | 'unauthorized'
  | 'not-found'
  | 'exists'
  /** The forge does not accept the request. */
  | 'refused';

/** Never contains a token. */
export class ForgeError extends Error {
  readonly code: ForgeErrorCode;
  /** As the forge asked, at most 15 minutes. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ForgeErrorCode,
    message: string,
    { retryAfterMs, cause }: { readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'ForgeError';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The page of a pull request as the forge names it, if it can stand in a link; empty otherwise. */
export const pageURL = (url: string): string => (/^https?:\/\/[\w.:[\]-]+\/[\w./~%+-]*$/.test(url) ? url : '');

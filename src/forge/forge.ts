/** A pull request (GitLab: merge request). */
export interface PullRequest {
  /** As people write it: `#12`, at GitLab `!12`. */
  readonly number: number;
  /** The page for people. */
  readonly url: string;
  /** Branch that it would merge, and its tip; of a closed one the tip when it was closed. */
  readonly head: string;
  readonly headCommit: string;
  /** The branch is one of another repository, or of one that is gone. */
  readonly isFork: boolean;
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
  /** Open ones into `base`, also those of forks; at most 500. */
  listOpen(base: string): Promise<readonly PullRequest[]>;
  /** All of one branch of this repository into `base`, newest first. */
  find(branches: Branches): Promise<readonly PullRequest[]>;
  /** Error `exists`: there is an open one of these branches already. */
  open(request: Branches & Text): Promise<PullRequest>;
  edit(number: number, text: Text): Promise<void>;
  close(number: number): Promise<void>;
  /**
   * Merges an open one in the way that the repository prefers, if its tip is `commit`. Resolves with why the forge does not merge it yet.
   */
  merge(number: number, merge: { readonly commit: string; readonly title: string }): Promise<string | undefined>;
  /** Adds labels, and requests reviews. */
  assign(number: number, wanted: Assigned): Promise<void>;
  /** Comments of the account of the token that begin with a marker, oldest first. Comments of others are never taken for its own. */
  comments(number: number, marker: string): Promise<readonly Comment[]>;
  addComment(number: number, body: string): Promise<void>;
  editComment(number: number, comment: Pick<Comment, 'id' | 'body'>): Promise<void>;
  deleteComment(number: number, id: number): Promise<void>;
  /** The newest status of a context; undefined: none. */
  status(commit: string, context: string): Promise<Pick<CommitStatus, 'state' | 'description'> | undefined>;
  setStatus(commit: string, status: CommitStatus): Promise<void>;
  /** Names of users whose approval of a pull request stands. */
  approvers(number: number): Promise<readonly string[]>;
  /** Name of the user who merged a pull request; undefined: it is not merged, or the forge does not tell. */
  mergedBy(number: number): Promise<string | undefined>;
}

export interface Comment {
  readonly id: number;
  readonly body: string;
  /** When it was written or edited last, milliseconds since the epoch. */
  readonly editedMs: number;
}

export interface Assigned {
  /** Names. */
  readonly labels: readonly string[];
  /** Names of users; `org/team` for a team. */
  readonly reviewers: readonly string[];
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
  /** Status and text that the forge answered with. */
  readonly answer: ForgeAnswer | undefined;

  constructor(
    code: ForgeErrorCode,
    message: string,
    { retryAfterMs, answer, cause }: ForgeErrorDetails & { readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'ForgeError';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.answer = answer;
  }
}

export interface ForgeAnswer {
  readonly status: number;
  readonly text: string;
}

export interface ForgeErrorDetails {
  readonly retryAfterMs?: number;
  readonly answer?: ForgeAnswer;
}

/** Where reviewers are written, as problems name it. */
export const reviewersField = 'forge.reviewers in fleet.yaml';

/** That some of them cannot review. */
export const notAsked = (names: readonly string[], why: string): ForgeError =>
  new ForgeError('refused', `${names.join(', ')} of ${reviewersField} cannot be asked to review: ${why}`);

/** Asks reviewers, one by one where the forge refuses all together: it may refuse only one of them. Error: ForgeError with their names. */
export async function askEach(
  reviewers: readonly string[],
  ask: (names: readonly string[]) => Promise<unknown>,
): Promise<void> {
  if (reviewers.length === 0) return;
  const refusalOf = (names: readonly string[]): Promise<string | undefined> =>
    ask(names).then(
      () => undefined,
      (error: unknown) => {
        const isRefused = error instanceof ForgeError && (error.code === 'refused' || error.code === 'not-found');
        if (isRefused) return error.answer?.text ?? error.message;
        throw error;
      },
    );
  const why = await refusalOf(reviewers);
  if (why === undefined) return;
  if (reviewers.length === 1) throw notAsked(reviewers, why);
  const refused = new Map<string, string>();
  for (const name of reviewers) {
    const own = await refusalOf([name]);
    if (own !== undefined) refused.set(name, own);
  }
  const [first] = refused.values();
  if (first !== undefined) throw notAsked([...refused.keys()], first);
}

/** What forges answer to a merge that reviews, checks, a conflict, a new tip or their own work prevent. */
const notYet: readonly number[] = [405, 406, 409, 422];

/** Why a forge does not merge a pull request yet; undefined once it did. */
export async function whyUnmerged(merge: Promise<unknown>): Promise<string | undefined> {
  try {
    await merge;
    return undefined;
  } catch (error) {
    const answer = error instanceof ForgeError ? error.answer : undefined;
    if (answer === undefined || !notYet.includes(answer.status)) throw error;
    return answer.text;
  }
}

/** The page of a pull request as the forge names it, if it can stand in a link; empty otherwise. */
export const pageURL = (url: string): string => (/^https?:\/\/[\w.:[\]-]+\/[\w./~%+-]*$/.test(url) ? url : '');

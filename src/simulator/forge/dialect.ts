export type MergeMethod = 'merge commit' | 'squash' | 'rebase' | 'fast-forward';

/** A pull request as a forge of any kind stores it. */
export interface StoredPull {
  readonly number: number;
  readonly head: string;
  readonly base: string;
  /** It comes from another repository. */
  readonly fork?: boolean;
  headCommit: string;
  title: string;
  body: string;
  state: 'open' | 'closed' | 'merged';
  /** Who pressed the button. */
  mergedBy?: string;
  readonly comments: StoredComment[];
  readonly labels: string[];
  /** Names of users, and of teams behind a slash. */
  readonly reviewers: string[];
  readonly reviews: { readonly user: string; readonly state: string }[];
}

export interface StoredComment {
  readonly id: number;
  readonly user: string;
  body: string;
  /** RFC 3339. */
  updatedAt: string;
}

export interface StoredStatus {
  readonly commit: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
}

/** Everybody at the forge, with ids. */
export const users = { ann: 101, ben: 102 } as const;

/** The account of the right token. */
export const account = 'fleet-bot';

/** What the operations of a dialect work on. */
export interface ForgeState {
  readonly pulls: StoredPull[];
  readonly statuses: StoredStatus[];
  tip(branch: string): string | undefined;
  /** The present, RFC 3339. */
  now(): string;
  newId(): number;
  /** Page of the repository, without a slash at its end. */
  readonly web: string;
  /** The merge button: false while something is missing, which `missing` names. */
  merge(number: number, how: MergeMethod, title?: string): Promise<boolean>;
  readonly missing: string;
}

export interface Asked {
  readonly forge: ForgeState;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, string>>;
  /** The same where it has other values than texts. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

export interface Dialect {
  /** Before the paths of its description. */
  readonly root: string;
  /** A branch that is deleted closes its requests. */
  readonly closesWithBranch: boolean;
  tokenOf(headers: Readonly<Record<string, string>>, path: string): string | undefined;
  /** By the name of the operation in its description. */
  readonly operations: Readonly<Record<string, (asked: Asked) => Answered | Promise<Answered>>>;
}

export const openPull = (forge: ForgeState, text: Pick<StoredPull, 'head' | 'base' | 'title' | 'body'>): StoredPull => {
  const pull: StoredPull = {
    ...text,
    number: forge.newId(),
    headCommit: forge.tip(text.head)!,
    state: 'open',
    comments: [],
    labels: [],
    reviewers: [],
    reviews: [],
  };
  forge.pulls.push(pull);
  return pull;
};

export const pullOf = ({ pulls }: ForgeState, number: string | undefined): StoredPull =>
  pulls.find((pull) => String(pull.number) === number)!;

export const openOne = ({ pulls }: ForgeState, head: string | undefined, base: string | undefined) =>
  pulls.find((pull) => pull.state === 'open' && pull.head === head && pull.base === base);

/** A merge by the API. Undefined once it is done. */
export async function refusedMerge(
  forge: ForgeState,
  number: string | undefined,
  { commit, how, title }: { readonly commit?: string; readonly how: MergeMethod; readonly title?: string },
): Promise<Answered | undefined> {
  const pull = pullOf(forge, number);
  const refused = (status: number, message: string): Answered => ({ status, body: { message } });
  if (pull.state !== 'open') return refused(405, 'Pull Request is not mergeable');
  if (commit !== undefined && commit !== pull.headCommit) return refused(409, 'Head branch was modified');
  return (await forge.merge(pull.number, how, title)) ? undefined : refused(405, forge.missing);
}

export const methods: Readonly<Record<string, MergeMethod>> = {
  merge: 'merge commit',
  squash: 'squash',
  rebase: 'rebase',
  'fast-forward-only': 'fast-forward',
};

export const paged = <T>(items: readonly T[], size: number, page: string | undefined): readonly T[] =>
  items.slice((Number(page ?? 1) - 1) * size, Number(page ?? 1) * size);

const commentOf = ({ pulls }: ForgeState, id: string | undefined) =>
  pulls.flatMap(({ comments }) => comments).find((it) => String(it.id) === id)!;

export function commented(forge: ForgeState, number: string | undefined, body: string | undefined): StoredComment {
  const comment = { id: forge.newId(), user: account, body: body!, updatedAt: forge.now() };
  pullOf(forge, number).comments.push(comment);
  return comment;
}

export function edited(forge: ForgeState, id: string | undefined, body: string | undefined): StoredComment {
  const comment = commentOf(forge, id);
  comment.body = body!;
  comment.updatedAt = forge.now();
  return comment;
}

export function deleted(forge: ForgeState, id: string | undefined): Answered {
  const comment = commentOf(forge, id);
  for (const { comments } of forge.pulls) if (comments.includes(comment)) comments.splice(comments.indexOf(comment), 1);
  return { status: 204, body: '' };
}

/** Newest first, with ids. */
export const statusesOf = ({ statuses }: ForgeState, commit: string | undefined) =>
  statuses.flatMap((status, at) => (status.commit === commit ? [{ ...status, id: at + 1 }] : [])).reverse();

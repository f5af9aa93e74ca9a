import {
  askEach,
  type Comment,
  type CommitStatus,
  type Forge,
  ForgeError,
  type PullRequest,
  pageURL,
  whyUnmerged,
} from './forge.ts';
import { type Api, allPages, listOf, openPulls, pageSize } from './http.ts';

/** Who asks, and for what. */
export interface Account {
  /** `owner/name` */
  readonly repository: string;
  /** The name of the account of the token, as comments show it. */
  readonly login: () => Promise<string>;
}

/** Sent with each call: a later version leaves out fields. */
export const githubHeaders = { 'x-github-api-version': '2022-11-28', accept: 'application/vnd.github+json' };

/** GitHub and GitHub Enterprise Server. */
export function github(api: Api, { repository, login }: Account): Forge {
  const [owner = '', name = ''] = repository.split('/');
  const repo = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  return {
    kind: 'github',
    repository,
    mostCharacters: 65_536,
    listOpen: (base) =>
      openPulls(
        (page) =>
          api({ method: 'GET', path: `${repo}/pulls`, query: { state: 'open', base, per_page: pageSize, page } }),
        pullRequests,
      ),
    find: async ({ head, base }) =>
      listOf(
        await api({
          method: 'GET',
          path: `${repo}/pulls`,
          query: {
            state: 'all',
            head: `${owner}:${head}`,
            base,
            sort: 'created',
            direction: 'desc',
            per_page: pageSize,
          },
        }),
      )
        .flatMap(pullRequests)
        .filter((found) => found.head === head && !found.isFork),
    ...pullRequestChanges(api, repo),
    async merge(number, { commit, title }) {
      const methods = methodsOf((await api({ method: 'GET', path: repo })) as GithubRepository);
      let why: string | undefined;
      for (const merge_method of methods) {
        const body = { sha: commit, merge_method, ...(merge_method !== 'rebase' && { commit_title: title }) };
        why = await whyUnmerged(api({ method: 'PUT', path: `${repo}/pulls/${number}/merge`, body }));
        if (why === undefined || !isMethodRefused(why)) break;
      }
      return why;
    },
    mergedBy: (number) => mergerOf(api, `${repo}/pulls/${number}`),
    comments: async (number, marker) =>
      ownComments(
        await allPages((page) =>
          api({ method: 'GET', path: `${repo}/issues/${number}/comments`, query: { per_page: pageSize, page } }),
        ),
        { marker, login: await login() },
      ),
    ...commentChanges(api, repo),
    status: async (commit, context) =>
      newestStatus(
        await api({ method: 'GET', path: `${repo}/commits/${commit}/statuses`, query: { per_page: pageSize } }),
        ({ context: of, state, description }: GithubStatus) => of === context && { state, description },
      ),
    setStatus: async (commit, { state, context, description, url }) =>
      void (await api({
        method: 'POST',
        path: `${repo}/statuses/${commit}`,
        body: { state, context, description: description.slice(0, 140), ...(url && { target_url: url }) },
      })),
    approvers: async (number) =>
      approving(
        (
          await allPages((page) =>
            api({ method: 'GET', path: `${repo}/pulls/${number}/reviews`, query: { per_page: pageSize, page } }),
          )
        ).flatMap((review) => {
          const { user, state } = review as { user: { login: string } | null; state: string };
          return user === null || state === 'COMMENTED' || state === 'PENDING' ? [] : [{ user: user.login, state }];
        }),
      ),
  };
}

/** Only users who may change settings see what is allowed. */
interface GithubRepository {
  readonly allow_merge_commit?: boolean;
  readonly allow_squash_merge?: boolean;
}

/** Ways to merge, the preferred one first, without those that are known to be forbidden. */
function methodsOf(of: GithubRepository): readonly string[] {
  const forbidden = new Set([
    ...(of.allow_merge_commit === false ? ['merge'] : []),
    ...(of.allow_squash_merge === false ? ['squash'] : []),
  ]);
  return ['merge', 'squash', 'rebase'].filter((method) => !forbidden.has(method));
}

/** `Merge commits are not allowed on this repository.` */
const isMethodRefused = (why: string): boolean => /\bnot allowed\b/i.test(why);

/** Calls that change a pull request, for forges with the paths of GitHub. `repo`: the path of the repository. */
export const pullRequestChanges = (api: Api, repo: string): Pick<Forge, 'open' | 'edit' | 'close' | 'assign'> => ({
  async open({ head, base, title, body }) {
    const [opened] = pullRequests(
      await api({ method: 'POST', path: `${repo}/pulls`, body: { title, head, base, body } }),
    );
    return known(opened);
  },
  edit: async (number, { title, body }) =>
    void (await api({ method: 'PATCH', path: `${repo}/pulls/${number}`, body: { title, body } })),
  close: async (number) =>
    void (await api({ method: 'PATCH', path: `${repo}/pulls/${number}`, body: { state: 'closed' } })),
  async assign(number, { labels, reviewers }) {
    if (labels.length > 0) await api({ method: 'POST', path: `${repo}/issues/${number}/labels`, body: { labels } });
    const isTeam = (name: string): boolean => name.includes('/');
    await askEach(reviewers, (names) => {
      const body = {
        reviewers: names.filter((name) => !isTeam(name)),
        team_reviewers: names.filter(isTeam).map((name) => name.split('/').at(-1)!),
      };
      return api({ method: 'POST', path: `${repo}/pulls/${number}/requested_reviewers`, body });
    });
  },
});

/** Lists do not name who merged. Gitea answers in the same form. */
export async function mergerOf(api: Api, path: string): Promise<string | undefined> {
  const { merged_by: by } = (await api({ method: 'GET', path })) as {
    readonly merged_by?: { readonly login: string } | null;
  };
  return by?.login;
}

/** The newest review of each user counts. */
export const approving = (reviews: readonly { readonly user: string; readonly state: string }[]): string[] =>
  [...new Map(reviews.map(({ user, state }) => [user, state]))]
    .flatMap(([user, state]) => (state === 'APPROVED' ? [user] : []))
    .sort();

/** Calls that change comments, for forges with the paths of GitHub. `repo`: the path of the repository. */
export const commentChanges = (
  api: Api,
  repo: string,
): Pick<Forge, 'addComment' | 'editComment' | 'deleteComment'> => ({
  addComment: async (number, body) =>
    void (await api({ method: 'POST', path: `${repo}/issues/${number}/comments`, body: { body } })),
  editComment: async (_, { id, body }) =>
    void (await api({ method: 'PATCH', path: `${repo}/issues/comments/${id}`, body: { body } })),
  deleteComment: async (_, id) => void (await api({ method: 'DELETE', path: `${repo}/issues/comments/${id}` })),
});

interface GithubComment {
  readonly id: number;
  readonly body?: string;
  /** Null where the account is gone. */
  readonly user: { readonly login: string } | null;
  readonly updated_at: string;
}

/** Of the comments of a pull request those of an account that begin with a marker, oldest first. */
export const ownComments = (
  comments: readonly unknown[],
  { marker, login }: { readonly marker: string; readonly login: string },
): Comment[] =>
  (comments as readonly GithubComment[])
    .flatMap(({ id, body, user, updated_at: edited }) =>
      body?.startsWith(marker) && user?.login === login ? [{ id, body, editedMs: Date.parse(edited) }] : [],
    )
    .sort((a, b) => a.id - b.id);

interface GithubStatus {
  readonly context: string;
  readonly state: string;
  readonly description: string | null;
}

/** Of the statuses of a commit the one with the highest id. `read`: false for one of another context. */
export function newestStatus<T>(
  statuses: unknown,
  read: (status: T) => false | { readonly state: string; readonly description: string | null },
): Pick<CommitStatus, 'state' | 'description'> | undefined {
  const [newest] = (listOf(statuses) as readonly (T & { readonly id: number })[])
    .toSorted((a, b) => b.id - a.id)
    .flatMap((status) => read(status) || []);
  if (newest === undefined) return undefined;
  const { state, description } = newest;
  const known = state === 'pending' || state === 'success' ? state : 'failure';
  return { state: known, description: description ?? '' };
}

export function known<T>(opened: T | undefined): T {
  if (opened === undefined)
    throw new ForgeError('unreachable', 'the forge did not answer with the pull request it opened');
  return opened;
}

interface GithubPull {
  readonly number: number;
  readonly html_url: string;
  readonly state: 'open' | 'closed';
  readonly merged_at: string | null;
  readonly title: string;
  readonly body: string | null;
  /** Null where the branch is gone. */
  readonly head: GithubBranch | null;
  readonly base: GithubBranch | null;
}

interface GithubBranch {
  readonly ref: string;
  readonly sha: string;
  /** Null where a fork was deleted. */
  readonly repo: { readonly id: number } | null;
}

/** None where a branch is gone. Gitea answers in the same form. */
export function pullRequests(value: unknown): PullRequest[] {
  const { number, html_url: url, state, merged_at: mergedAt, title, body, head, base } = value as GithubPull;
  if (!head || !base?.repo) return [];
  return [
    {
      number,
      url: pageURL(url),
      head: head.ref,
      headCommit: head.sha,
      isFork: head.repo?.id !== base.repo.id,
      state: state === 'open' ? 'open' : mergedAt ? 'merged' : 'closed',
      title,
      body: body ?? '',
    },
  ];
}

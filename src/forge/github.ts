import { type Forge, ForgeError, type PullRequest, pageURL } from './forge.ts';
import { type Api, allPages, listOf, pageSize } from './http.ts';

/** Sent with each call: a later version leaves out fields. */
export const githubHeaders = { 'x-github-api-version': '2022-11-28', accept: 'application/vnd.github+json' };

/** GitHub and GitHub Enterprise Server. */
export function github(api: Api, repository: string): Forge {
  const [owner = '', name = ''] = repository.split('/');
  const repo = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  return {
    kind: 'github',
    repository,
    mostCharacters: 65_536,
    listOpen: async (base) =>
      (
        await allPages((page) =>
          api({ method: 'GET', path: `${repo}/pulls`, query: { state: 'open', base, per_page: pageSize, page } }),
        )
      ).flatMap(pullRequests),
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
        .filter((found) => found.head === head),
    ...pullRequestChanges(api, repo),
    async comment(number, { marker, body }) {
      const comments = await allPages((page) =>
        api({ method: 'GET', path: `${repo}/issues/${number}/comments`, query: { per_page: pageSize, page } }),
      );
      const id = commentWith(marker, comments);
      if (id === undefined) await api({ method: 'POST', path: `${repo}/issues/${number}/comments`, body: { body } });
      else await api({ method: 'PATCH', path: `${repo}/issues/comments/${id}`, body: { body } });
    },
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

/** Calls that change a pull request, for forges with the paths of GitHub. `repo`: the path of the repository. */
export const pullRequestChanges = (api: Api, repo: string): Pick<Forge, 'open' | 'edit' | 'close'> => ({
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
});

/** The newest review of each user counts. */
export const approving = (reviews: readonly { readonly user: string; readonly state: string }[]): string[] =>
  [...new Map(reviews.map(({ user, state }) => [user, state]))]
    .flatMap(([user, state]) => (state === 'APPROVED' ? [user] : []))
    .sort();

/** The comment that begins with a marker, the oldest of several. */
export function commentWith(marker: string, comments: readonly unknown[]): number | undefined {
  const found = comments as readonly { readonly id: number; readonly body?: string; readonly system?: boolean }[];
  return found.find(({ body, system }) => body?.startsWith(marker) && system !== true)?.id;
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

/** None for one from a fork. Gitea answers in the same form. */
export function pullRequests(value: unknown): PullRequest[] {
  const { number, html_url: url, state, merged_at: mergedAt, title, body, head, base } = value as GithubPull;
  if (!head?.repo || head.repo.id !== base?.repo?.id) return [];
  return [
    {
      number,
      url: pageURL(url),
      head: head.ref,
      headCommit: head.sha,
      state: state === 'open' ? 'open' : mergedAt ? 'merged' : 'closed',
      title,
      body: body ?? '',
    },
  ];
}

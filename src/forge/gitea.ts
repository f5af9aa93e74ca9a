import type { Forge } from './forge.ts';
import { approving, commentWith, pullRequestChanges, pullRequests } from './github.ts';
import { type Api, allPages, listOf, pageSize } from './http.ts';

/** Gitea and Forgejo, which differ in how lists are filtered: both ignore the filters of the other. */
export function gitea(api: Api, repository: string): Forge {
  const repo = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
  const list = (state: 'open' | 'closed', page: number) =>
    api({ method: 'GET', path: `${repo}/pulls`, query: { state, sort: 'recentupdate', limit: pageSize, page } });
  const listOpen: Forge['listOpen'] = async (base) =>
    (await allPages((page) => list('open', page))).filter((pull) => baseOf(pull) === base).flatMap(pullRequests);
  return {
    kind: 'gitea',
    repository,
    mostCharacters: 65_536,
    listOpen,
    // A request that was closed is looked for among those that changed last.
    find: async ({ head, base }) =>
      [
        ...(await listOpen(base)),
        ...listOf(await list('closed', 1))
          .filter((pull) => baseOf(pull) === base)
          .flatMap(pullRequests),
      ]
        .filter((found) => found.head === head)
        .sort((a, b) => b.number - a.number),
    ...pullRequestChanges(api, repo),
    async comment(number, { marker, body }) {
      const id = commentWith(marker, listOf(await api({ method: 'GET', path: `${repo}/issues/${number}/comments` })));
      if (id === undefined) await api({ method: 'POST', path: `${repo}/issues/${number}/comments`, body: { body } });
      else await api({ method: 'PATCH', path: `${repo}/issues/comments/${id}`, body: { body } });
    },
    setStatus: async (commit, { state, context, description, url }) =>
      void (await api({
        method: 'POST',
        path: `${repo}/statuses/${commit}`,
        body: { state, context, description, ...(url && { target_url: url }) },
      })),
    approvers: async (number) =>
      approving(
        (
          await allPages((page) =>
            api({ method: 'GET', path: `${repo}/pulls/${number}/reviews`, query: { limit: pageSize, page } }),
          )
        ).flatMap((review) => {
          const { user, state, stale, dismissed } = review as GiteaReview;
          const counts = state === 'APPROVED' || state === 'REQUEST_CHANGES';
          return user && counts ? [{ user: user.login, state: stale || dismissed ? 'STALE' : state }] : [];
        }),
      ),
  };
}

interface GiteaReview {
  readonly user: { readonly login: string } | null;
  readonly state: string;
  readonly stale: boolean;
  readonly dismissed: boolean;
}

const baseOf = (pull: unknown): string | undefined =>
  (pull as { readonly base: { readonly ref: string } | null }).base?.ref;

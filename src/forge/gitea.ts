import { type Branches, type Forge, ForgeError, type PullRequest, whyUnmerged } from './forge.ts';
import {
  type Account,
  approving,
  commentChanges,
  mergerOf,
  newestStatus,
  ownComments,
  pullRequestChanges,
  pullRequests,
} from './github.ts';
import { type Api, allPages, listOf, openPulls, pageOfTexts, pageSize } from './http.ts';

/** Its operator may set `MAX_RESPONSE_ITEMS` below the page size. */
const pageEnd = 'empty';

/** Gitea and Forgejo, which differ in how lists are filtered: both ignore the filters of the other. */
export function gitea(api: Api, { repository, login }: Account): Forge {
  const repo = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
  const list = (state: 'open' | 'closed', page: number) =>
    pageOfTexts(api, { path: `${repo}/pulls`, query: { state, sort: 'recentupdate' }, size: 'limit' }, page);
  const listOpen: Forge['listOpen'] = (base) =>
    openPulls(
      (page) => list('open', page),
      (pull) => (baseOf(pull) === base ? pullRequests(pull) : []),
      pageEnd,
    );
  async function ofBranches({ head, base }: Branches): Promise<readonly PullRequest[]> {
    const path = `${repo}/pulls/${encodeURIComponent(base)}/${encodeURIComponent(head)}`;
    const found = await api({ method: 'GET', path }).catch((error: unknown) => {
      if (error instanceof ForgeError && error.code === 'not-found') return undefined;
      throw error;
    });
    return found === undefined ? [] : pullRequests(found).filter(({ isFork }) => !isFork);
  }
  return {
    kind: 'gitea',
    repository,
    mostCharacters: 65_536,
    listOpen,
    async find({ head, base }) {
      const open = await listOpen(base);
      const closed = (await list('closed', 1)).filter((pull) => baseOf(pull) === base).flatMap(pullRequests);
      const found = [...open, ...closed].filter((pull) => pull.head === head && !pull.isFork);
      // Of those that did not change last the forge finds one by its branches, of several any.
      return found.length > 0 ? found.sort((a, b) => b.number - a.number) : ofBranches({ head, base });
    },
    ...pullRequestChanges(api, repo),
    async merge(number, { commit, title }) {
      const { default_merge_style: style } = (await api({ method: 'GET', path: repo })) as GiteaRepository;
      // Names in this spelling are known to every version of both.
      const body = { Do: style || 'merge', MergeTitleField: title, head_commit_id: commit };
      return whyUnmerged(api({ method: 'POST', path: `${repo}/pulls/${number}/merge`, body }));
    },
    mergedBy: (number) => mergerOf(api, `${repo}/pulls/${number}`),
    comments: async (number, marker) =>
      ownComments(listOf(await api({ method: 'GET', path: `${repo}/issues/${number}/comments` })), {
        marker,
        login: await login(),
      }),
    ...commentChanges(api, repo),
    status: async (commit, context) =>
      newestStatus(
        await api({ method: 'GET', path: `${repo}/commits/${commit}/statuses`, query: { limit: pageSize } }),
        ({ context: of, status, description }: GiteaStatus) => of === context && { state: status, description },
      ),
    setStatus: async (commit, { state, context, description, url }) =>
      void (await api({
        method: 'POST',
        path: `${repo}/statuses/${commit}`,
        body: { state, context, description, ...(url && { target_url: url }) },
      })),
    approvers: async (number) =>
      approving(
        (
          await allPages(
            (page) => api({ method: 'GET', path: `${repo}/pulls/${number}/reviews`, query: { limit: pageSize, page } }),
            pageEnd,
          )
        ).flatMap((review) => {
          const { user, state, stale, dismissed } = review as GiteaReview;
          const counts = state === 'APPROVED' || state === 'REQUEST_CHANGES';
          return user && counts ? [{ user: user.login, state: stale || dismissed ? 'STALE' : state }] : [];
        }),
      ),
  };
}

interface GiteaStatus {
  readonly context: string;
  readonly status: string;
  readonly description: string;
}

interface GiteaRepository {
  readonly default_merge_style?: string;
}

interface GiteaReview {
  readonly user: { readonly login: string } | null;
  readonly state: string;
  readonly stale: boolean;
  readonly dismissed: boolean;
}

const baseOf = (pull: unknown): string | undefined =>
  (pull as { readonly base: { readonly ref: string } | null }).base?.ref;

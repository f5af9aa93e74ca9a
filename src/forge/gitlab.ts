import { type Forge, ForgeError, type PullRequest, pageURL } from './forge.ts';
import { commentWith, known } from './github.ts';
import { type Api, allPages, listOf, pageSize } from './http.ts';

const states = { pending: 'pending', success: 'success', failure: 'failed' } as const;

/** GitLab, with projects in groups of any depth. */
export function gitlab(api: Api, repository: string): Forge {
  const project = `/projects/${encodeURIComponent(repository)}`;
  const requests = `${project}/merge_requests`;
  return {
    kind: 'gitlab',
    repository,
    mostCharacters: 1_000_000,
    listOpen: async (base) =>
      (
        await allPages((page) =>
          api({
            method: 'GET',
            path: requests,
            query: { state: 'opened', target_branch: base, per_page: pageSize, page },
          }),
        )
      ).flatMap(mergeRequests),
    find: async ({ head, base }) =>
      listOf(
        await api({
          method: 'GET',
          path: requests,
          query: {
            state: 'all',
            source_branch: head,
            target_branch: base,
            order_by: 'created_at',
            sort: 'desc',
            per_page: pageSize,
          },
        }),
      ).flatMap(mergeRequests),
    async open({ head, base, title, body }) {
      const request = { title, source_branch: head, target_branch: base, description: body };
      const [opened] = mergeRequests(await api({ method: 'POST', path: requests, body: request }));
      return known(opened);
    },
    edit: async (number, { title, body }) =>
      void (await api({ method: 'PUT', path: `${requests}/${number}`, body: { title, description: body } })),
    close: async (number) =>
      void (await api({ method: 'PUT', path: `${requests}/${number}`, body: { state_event: 'close' } })),
    async comment(number, { marker, body }) {
      const notes = `${requests}/${number}/notes`;
      const found = await allPages((page) =>
        api({ method: 'GET', path: notes, query: { sort: 'asc', order_by: 'created_at', per_page: pageSize, page } }),
      );
      const id = commentWith(marker, found);
      if (id === undefined) await api({ method: 'POST', path: notes, body: { body } });
      else await api({ method: 'PUT', path: `${notes}/${id}`, body: { body } });
    },
    async setStatus(commit, { state, context, description, url, ref }) {
      const body = {
        state: states[state],
        name: context,
        ref,
        description: description.slice(0, 255),
        ...(url && { target_url: url }),
      };
      await api({ method: 'POST', path: `${project}/statuses/${commit}`, body }).catch((error: unknown) => {
        if (!(error instanceof ForgeError && isThereAlready(error.message, states[state]))) throw error;
      });
    },
    async approvers(number) {
      const { approved_by: by } = (await api({ method: 'GET', path: `${requests}/${number}/approvals` })) as {
        readonly approved_by: readonly { readonly user: { readonly username: string } }[];
      };
      return by.map(({ user }) => user.username).sort();
    },
  };
}

/** A status that has the state already is refused: `Cannot transition status via :run from :running`. */
const isThereAlready = (message: string, state: string): boolean =>
  /cannot transition status/i.test(message) && message.includes(`from :${state}`);

interface MergeRequest {
  readonly iid: number;
  readonly web_url: string;
  readonly state: string;
  readonly title: string;
  readonly description: string | null;
  readonly source_branch?: string;
  readonly sha: string | null;
  readonly source_project_id: number | null;
  readonly target_project_id: number;
}

/** None for one from a fork. `locked` is one that is being merged. */
function mergeRequests(value: unknown): PullRequest[] {
  const request = value as MergeRequest;
  const { iid: number, web_url: url, state, title, description, source_branch: head, sha } = request;
  if (head === undefined || request.source_project_id !== request.target_project_id) return [];
  return [
    {
      number,
      url: pageURL(url),
      head,
      headCommit: sha ?? '',
      state: state === 'merged' ? 'merged' : state === 'closed' ? 'closed' : 'open',
      title,
      body: description ?? '',
    },
  ];
}

import { type Forge, ForgeError, notAsked, type PullRequest, pageURL, whyUnmerged } from './forge.ts';
import { type Account, known, newestStatus } from './github.ts';
import { type Api, allPages, type Call, listOf, openPulls, pageOfTexts, pageSize } from './http.ts';

const states = { pending: 'pending', success: 'success', failure: 'failed' } as const;

/** Where the project leaves the choice, also of a request that was opened by hand: the commit of a squash is not of who merges it. */
const unsquashed = { squash: false };

/** GitLab, with projects in groups of any depth. */
export function gitlab(api: Api, { repository, login }: Account): Forge {
  const project = `/projects/${encodeURIComponent(repository)}`;
  const requests = `${project}/merge_requests`;
  const listed = (query: Call['query'], page: number) =>
    pageOfTexts(api, { path: requests, query, size: 'per_page' }, page);
  return {
    kind: 'gitlab',
    repository,
    // GitLab takes 1 MiB, of which a page of a list would be too large.
    mostCharacters: 65_536,
    listOpen: (base) => openPulls((page) => listed({ state: 'opened', target_branch: base }, page), mergeRequests),
    async find({ head, base }) {
      const query = { state: 'all', source_branch: head, target_branch: base, order_by: 'created_at', sort: 'desc' };
      return (await listed(query, 1)).flatMap(mergeRequests).filter(({ isFork }) => !isFork);
    },
    async open({ head, base, title, body }) {
      const request = { title, source_branch: head, target_branch: base, description: body, ...unsquashed };
      const [opened] = mergeRequests(await api({ method: 'POST', path: requests, body: request }));
      return known(opened);
    },
    edit: async (number, { title, body }) =>
      void (await api({
        method: 'PUT',
        path: `${requests}/${number}`,
        body: { title, description: body, ...unsquashed },
      })),
    close: async (number) =>
      void (await api({ method: 'PUT', path: `${requests}/${number}`, body: { state_event: 'close' } })),
    async merge(number, { commit, title }) {
      const path = `${requests}/${number}`;
      const body = { sha: commit, merge_commit_message: title, squash_commit_message: title };
      const why = await whyUnmerged(api({ method: 'PUT', path: `${path}/merge`, body }));
      // A merge may also be accepted and not happen; a refusal names no cause.
      const now = (await api({ method: 'GET', path })) as MergeState;
      if (now.state === 'merged') return undefined;
      return [why, now.merge_error ?? now.detailed_merge_status?.replaceAll('_', ' ')].filter(Boolean).join(': ');
    },
    async mergedBy(number) {
      // Also who asked for a merge that waits for checks.
      const { state, merge_user: by } = (await api({ method: 'GET', path: `${requests}/${number}` })) as MergeState;
      return state === 'merged' ? by?.username : undefined;
    },
    async assign(number, { labels, reviewers }) {
      const ids: number[] = [];
      const unknown: string[] = [];
      for (const name of reviewers) {
        const id = await userId(api, name);
        if (id === undefined) unknown.push(name);
        else ids.push(id);
      }
      // GitLab replaces the reviewers that are there.
      if (ids.length > 0) {
        const { reviewers: there } = (await api({ method: 'GET', path: `${requests}/${number}` })) as MergeState;
        ids.push(...(there ?? []).map(({ id }) => id).filter((id) => !ids.includes(id)));
      }
      const body = { ...(labels.length > 0 && { add_labels: labels }), ...(ids.length > 0 && { reviewer_ids: ids }) };
      if (labels.length + ids.length > 0) await api({ method: 'PUT', path: `${requests}/${number}`, body });
      if (unknown.length > 0) throw notAsked(unknown, 'there is no such user');
    },
    async comments(number, marker) {
      const query = { activity_filter: 'only_comments', sort: 'asc', order_by: 'created_at', per_page: pageSize };
      const path = `${requests}/${number}/notes`;
      const found = await allPages((page) => api({ method: 'GET', path, query: { ...query, page } }));
      const own = await login();
      return (found as readonly Note[])
        .filter(({ body, system, author }) => body.startsWith(marker) && !system && author?.username === own)
        .map(({ id, body, updated_at: edited }) => ({ id, body, editedMs: Date.parse(edited) }));
    },
    ...noteChanges(api, requests),
    ...statuses(api, project),
    async approvers(number) {
      const { approved_by: by } = (await api({ method: 'GET', path: `${requests}/${number}/approvals` })) as {
        readonly approved_by: readonly { readonly user: { readonly username: string } }[];
      };
      return by.map(({ user }) => user.username).sort();
    },
  };
}

const statuses = (api: Api, project: string): Pick<Forge, 'status' | 'setStatus'> => ({
  status: async (commit, context) =>
    newestStatus(
      await api({
        method: 'GET',
        path: `${project}/repository/commits/${commit}/statuses`,
        query: { name: context, per_page: pageSize },
      }),
      ({ name, status, description }: GitlabStatus) => name === context && { state: status, description },
    ),
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
});

const noteChanges = (api: Api, requests: string): Pick<Forge, 'addComment' | 'editComment' | 'deleteComment'> => ({
  addComment: async (number, body) =>
    void (await api({ method: 'POST', path: `${requests}/${number}/notes`, body: { body } })),
  editComment: async (number, { id, body }) =>
    void (await api({ method: 'PUT', path: `${requests}/${number}/notes/${id}`, body: { body } })),
  deleteComment: async (number, id) =>
    void (await api({ method: 'DELETE', path: `${requests}/${number}/notes/${id}` })),
});

/** GitLab takes reviewers by id. */
async function userId(api: Api, username: string): Promise<number | undefined> {
  const [user] = listOf(await api({ method: 'GET', path: '/users', query: { username } }));
  return (user as { readonly id: number } | undefined)?.id;
}

/** A status that has the state already is refused: `Cannot transition status via :run from :running`. */
const isThereAlready = (message: string, state: string): boolean =>
  /cannot transition status/i.test(message) && message.includes(`from :${state}`);

interface MergeState {
  readonly state: string;
  /** `not_approved`, `ci_must_pass`, … */
  readonly detailed_merge_status?: string | null;
  readonly merge_error?: string | null;
  readonly merge_user?: { readonly username: string } | null;
  readonly reviewers?: readonly { readonly id: number }[] | null;
}

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

interface Note {
  readonly id: number;
  readonly body: string;
  readonly system: boolean;
  readonly author: { readonly username: string } | null;
  readonly updated_at: string;
}

interface GitlabStatus {
  readonly name: string;
  readonly status: string;
  readonly description: string | null;
}

/** `locked` is one that is being merged. */
function mergeRequests(value: unknown): PullRequest[] {
  const request = value as MergeRequest;
  const { iid: number, web_url: url, state, title, description, source_branch: head, sha } = request;
  if (head === undefined) return [];
  return [
    {
      number,
      url: pageURL(url),
      head,
      headCommit: sha ?? '',
      isFork: request.source_project_id !== request.target_project_id,
      state: state === 'merged' ? 'merged' : state === 'closed' ? 'closed' : 'open',
      title,
      body: description ?? '',
    },
  ];
}

import {
  account,
  commented,
  type Dialect,
  deleted,
  edited,
  type ForgeState,
  openOne,
  openPull,
  paged,
  pullOf,
  refusedMerge,
  type StoredComment,
  type StoredPull,
  statusesOf,
  users,
} from '../../src/simulator/forge/dialect.ts';

const project = '/api/v4/projects/{id}';
const requests = `${project}/merge_requests`;
const states = { open: 'opened', closed: 'closed', merged: 'merged' } as const;

const requestJson = (pull: StoredPull) => ({
  id: 1000 + pull.number,
  iid: pull.number,
  web_url: `https://forge.example/acme/fleet/-/merge_requests/${pull.number}`,
  state: states[pull.state],
  merge_user: pull.mergedBy ? { username: pull.mergedBy } : null,
  title: pull.title,
  description: pull.body,
  source_branch: pull.head,
  target_branch: pull.base,
  sha: pull.headCommit,
  source_project_id: pull.fork ? 2 : 1,
  target_project_id: 1,
});

const noteJson = ({ id, body, user, updatedAt }: StoredComment) => ({
  id,
  body,
  system: false,
  author: { username: user },
  updated_at: updatedAt,
});

const named = (ids: readonly number[]): string[] =>
  Object.entries(users).flatMap(([name, id]) => (ids.includes(id) ? [name] : []));

const lastStatus = ({ statuses }: ForgeState, commit: string | undefined, context: string | undefined) =>
  statuses.findLast((it) => it.commit === commit && it.context === context);

/** Merge requests that say so; the project squashes others. */
const unsquashed = new WeakSet<StoredPull>();

export const gitlabDialect: Dialect = {
  root: '',
  closesWithBranch: false,
  tokenOf: (headers) => headers['private-token'],
  operations: {
    [`GET ${requests}`]: ({ forge, query }) => {
      const { state = 'all', source_branch: head, target_branch: base, per_page: size = '20', page } = query;
      const found = forge.pulls
        .filter((pull) => state === 'all' || states[pull.state] === state)
        .filter((pull) => (head === undefined || pull.head === head) && (base === undefined || pull.base === base))
        .sort((a, b) => b.number - a.number);
      return { status: 200, body: paged(found, Math.min(Number(size), 100), page).map(requestJson) };
    },
    [`POST ${requests}`]: ({ forge, body, json }) => {
      const { source_branch: head = '', target_branch: base = '', title = '', description = '' } = body;
      const there = openOne(forge, head, base);
      if (there)
        return {
          status: 409,
          body: { message: [`Another open merge request already exists for this source branch: !${there.number}`] },
        };
      const pull = openPull(forge, { head, base, title, body: description });
      if (json['squash'] === false) unsquashed.add(pull);
      return { status: 201, body: requestJson(pull) };
    },
    [`PUT ${requests}/{merge_request_iid}`]: ({ forge, params, body, json }) => {
      const pull = pullOf(forge, params['merge_request_iid']);
      pull.labels.push(...((json['add_labels'] as string[] | undefined) ?? []));
      const ids = json['reviewer_ids'] as number[] | undefined;
      if (ids) pull.reviewers.splice(0, Number.POSITIVE_INFINITY, ...named(ids));
      if (json['squash'] === false) unsquashed.add(pull);
      if (body['title'] !== undefined) pull.title = body['title'];
      if (body['description'] !== undefined) pull.body = body['description'];
      if (body['state_event'] === 'close' && pull.state !== 'merged') pull.state = 'closed';
      return { status: 200, body: requestJson(pull) };
    },
    [`GET ${requests}/{merge_request_iid}`]: ({ forge, params }) => {
      const pull = pullOf(forge, params['merge_request_iid']);
      const detailed_merge_status = pull.state === 'open' ? 'not_approved' : 'not_open';
      const reviewers = pull.reviewers.map((name) => ({ id: users[name as keyof typeof users] }));
      return { status: 200, body: { ...requestJson(pull), detailed_merge_status, merge_error: null, reviewers } };
    },
    [`PUT ${requests}/{merge_request_iid}/merge`]: async ({ forge, params, body }) => {
      const number = params['merge_request_iid'];
      const how = unsquashed.has(pullOf(forge, number)) ? 'merge commit' : 'squash';
      const merge = { commit: body['sha'], how, title: body['merge_commit_message'] } as const;
      const refused = await refusedMerge(forge, number, merge);
      if (refused?.status === 405) return { status: 405, body: { message: '405 Method Not Allowed' } };
      return refused ?? { status: 200, body: { ...requestJson(pullOf(forge, number)), merge_error: null } };
    },
    [`GET ${requests}/{merge_request_iid}/approvals`]: ({ forge, params }) => ({
      status: 200,
      body: {
        approved_by: pullOf(forge, params['merge_request_iid'])
          .reviews.filter(({ state }) => state === 'APPROVED')
          .map(({ user }) => ({ user: { username: user } })),
      },
    }),
    [`GET ${requests}/{noteable_id}/notes`]: ({
      forge,
      params,
      query: { activity_filter: kind, per_page: size = '20', page },
    }) => {
      const text = { id: 1, user: account, body: 'changed the description', updatedAt: forge.now() };
      const system = { ...noteJson(text), system: true };
      const notes = pullOf(forge, params['noteable_id']).comments.map(noteJson);
      return { status: 200, body: paged(kind === 'only_comments' ? notes : [system, ...notes], Number(size), page) };
    },
    [`POST ${requests}/{noteable_id}/notes`]: ({ forge, params, body }) => ({
      status: 201,
      body: noteJson(commented(forge, params['noteable_id'], body['body'])),
    }),
    [`PUT ${requests}/{noteable_id}/notes/{note_id}`]: ({ forge, params, body }) => ({
      status: 200,
      body: noteJson(edited(forge, params['note_id'], body['body'])),
    }),
    [`DELETE ${requests}/{noteable_id}/notes/{note_id}`]: ({ forge, params }) => deleted(forge, params['note_id']),
    'GET /api/v4/users': ({ query: { username } }) => ({
      status: 200,
      body: Object.entries(users).flatMap(([name, id]) => (name === username ? [{ id, username: name }] : [])),
    }),
    'GET /api/v4/user': () => ({ status: 200, body: { username: account } }),
    [`GET ${project}/repository/commits/{sha}/statuses`]: ({ forge, params, query: { name: context } }) => ({
      status: 200,
      body: statusesOf(forge, params['sha'])
        .filter((it) => context === undefined || it.context === context)
        .map(({ id, context: name, state, description }) => ({ id, name, status: state, description })),
    }),
    [`POST ${project}/statuses/{sha}`]: ({ forge, params, body }) => {
      const { state = '', name = '', description = '' } = body;
      if (state === 'pending' && lastStatus(forge, params['sha'], name)?.state === 'pending')
        return { status: 400, body: { message: 'Cannot transition status via :enqueue from :pending' } };
      forge.statuses.push({ commit: params['sha']!, context: name, state, description });
      return { status: 201, body: { status: state, name } };
    },
  },
};

import {
  type Answered,
  type Asked,
  account,
  commented,
  type Dialect,
  deleted,
  edited,
  type ForgeState,
  methods,
  openOne,
  openPull,
  paged,
  pullOf,
  refusedMerge,
  type StoredComment,
  type StoredPull,
  statusesOf,
  users,
} from './dialect.ts';

export const repo = '/repos/{owner}/{repo}';
export const created = (body: unknown): Answered => ({ status: 201, body });
export const ok = (body: unknown): Answered => ({ status: 200, body });

export const pullJson = (forge: ForgeState, pull: StoredPull) => ({
  number: pull.number,
  html_url: `${forge.web}/pulls/${pull.number}`,
  state: pull.state === 'open' ? 'open' : 'closed',
  merged_at: pull.state === 'merged' ? forge.now() : null,
  merged_by: pull.state === 'merged' && pull.mergedBy ? { login: pull.mergedBy } : null,
  title: pull.title,
  body: pull.body,
  head: { ref: pull.head, sha: pull.headCommit, repo: { id: pull.fork ? 2 : 1 } },
  base: { ref: pull.base, sha: forge.tip(pull.base)!, repo: { id: 1 } },
});

export const ofState = (pull: StoredPull, state: string | undefined): boolean =>
  state === 'all' || (state === 'closed') !== (pull.state === 'open');

export function patched({ forge, params, body }: Asked, status: number): Answered {
  const pull = pullOf(forge, params['pull_number'] ?? params['index']);
  if (body['title'] !== undefined) pull.title = body['title'];
  if (body['body'] !== undefined) pull.body = body['body'];
  // What was merged meanwhile stays merged.
  if (body['state'] !== undefined && pull.state !== 'merged') pull.state = body['state'] as 'open' | 'closed';
  return { status, body: pullJson(forge, pull) };
}

export const commentJson = ({ id, body, user, updatedAt }: StoredComment) => ({
  id,
  body,
  user: { login: user },
  updated_at: updatedAt,
});

export function labelled({ forge, params, json }: Asked): Answered {
  const { labels } = pullOf(forge, params['issue_number'] ?? params['index']);
  labels.push(...(json['labels'] as string[]));
  return ok(labels.map((name) => ({ name })));
}

export function reviewed(asked: Asked): unknown {
  const { forge, params, json } = asked;
  const pull = pullOf(forge, params['pull_number'] ?? params['index']);
  const names = json['reviewers'] as string[];
  if (names.some((name) => !(name in users))) return undefined;
  pull.reviewers.push(...names, ...(json['team_reviewers'] as string[]).map((team) => `/${team}`));
  return pullJson(forge, pull);
}

export function withStatus({ forge, params, body }: Asked): void {
  const { context = '', state = '', description = '' } = body;
  forge.statuses.push({ commit: params['sha']!, context, state, description });
}

/** Gitea 1.26 filters by `base_branch`, Forgejo by `base` and `head`; both cut pages to 50. */
export const giteaDialect: Dialect = {
  root: '/api/v1',
  closesWithBranch: true,
  tokenOf: ({ authorization = '' }) => /^token (.*)$/.exec(authorization)?.[1],
  operations: {
    [`GET ${repo}/pulls`]: ({
      forge,
      query: { state = 'open', base, base_branch: target = base, limit = '30', page },
    }) => {
      const found = forge.pulls
        .filter((pull) => ofState(pull, state) && (target === undefined || pull.base === target))
        .sort((a, b) => b.number - a.number);
      return ok(paged(found, Math.min(Number(limit), 50), page).map((pull) => pullJson(forge, pull)));
    },
    [`POST ${repo}/pulls`]: ({ forge, body }) => {
      const { head = '', base = '', title = '', body: text = '' } = body;
      const there = openOne(forge, head, base);
      if (there)
        return {
          status: 409,
          body: {
            message: `pull request already exists for these targets [id: 7, issue_id: ${there.number}, head_branch: ${head}]`,
          },
        };
      if (forge.tip(head) === undefined) return { status: 404, body: { message: "The target couldn't be found." } };
      return created(pullJson(forge, openPull(forge, { head, base, title, body: text })));
    },
    [`GET ${repo}/pulls/{index}`]: ({ forge, params }) => ok(pullJson(forge, pullOf(forge, params['index']))),
    [`PATCH ${repo}/pulls/{index}`]: (asked) => patched(asked, 201),
    [`GET ${repo}`]: () => ok({ default_merge_style: 'rebase' }),
    [`POST ${repo}/pulls/{index}/merge`]: async ({ forge, params, body }) => {
      const { head_commit_id: commit, Do: how = '', MergeTitleField: title } = body;
      return (await refusedMerge(forge, params['index'], { commit, how: methods[how]!, title })) ?? ok('');
    },
    [`POST ${repo}/issues/{index}/labels`]: labelled,
    [`POST ${repo}/pulls/{index}/requested_reviewers`]: (asked) =>
      reviewed(asked) === undefined ? { status: 404, body: { message: 'user not found' } } : created([]),
    [`GET ${repo}/pulls/{index}/reviews`]: ({ forge, params, query: { limit = '30', page } }) =>
      ok(
        paged(pullOf(forge, params['index']).reviews, Math.min(Number(limit), 50), page).map(({ user, state }) => ({
          user: { login: user },
          state,
          stale: false,
          dismissed: false,
        })),
      ),
    [`GET ${repo}/issues/{index}/comments`]: ({ forge, params }) =>
      ok(pullOf(forge, params['index']).comments.map(commentJson)),
    [`POST ${repo}/issues/{index}/comments`]: ({ forge, params, body }) =>
      created(commentJson(commented(forge, params['index'], body['body']))),
    [`PATCH ${repo}/issues/comments/{id}`]: ({ forge, params, body }) =>
      ok(commentJson(edited(forge, params['id'], body['body']))),
    [`DELETE ${repo}/issues/comments/{id}`]: ({ forge, params }) => deleted(forge, params['id']),
    'GET /user': () => ok({ login: account }),
    // In no order, open or closed. Behind those whose paths it would match.
    [`GET ${repo}/pulls/{base}/{head}`]: ({ forge, params: { base, head } }) => {
      const found = forge.pulls.find((pull) => pull.base === base && pull.head === head && !pull.fork);
      return found ? ok(pullJson(forge, found)) : { status: 404, body: { message: 'Not Found' } };
    },
    [`GET ${repo}/commits/{ref}/statuses`]: ({ forge, params, query: { limit = '30', page } }) =>
      ok(
        paged(statusesOf(forge, params['ref']), Math.min(Number(limit), 50), page).map(({ state, ...rest }) => ({
          ...rest,
          status: state,
        })),
      ),
    [`POST ${repo}/statuses/{sha}`]: (asked) => {
      withStatus(asked);
      return created({ status: asked.body['state'], context: asked.body['context'] });
    },
  },
};

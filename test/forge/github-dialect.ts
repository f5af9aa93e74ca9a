import {
  type Answered,
  account,
  commented,
  type Dialect,
  deleted,
  edited,
  methods,
  openOne,
  openPull,
  paged,
  pullOf,
  refusedMerge,
  statusesOf,
} from '../../src/simulator/forge/dialect.ts';
import {
  commentJson,
  created,
  labelled,
  ofState,
  ok,
  patched,
  pullJson,
  repo,
  reviewed,
  withStatus,
} from '../../src/simulator/forge/gitea-dialect.ts';

export const githubDialect: Dialect = {
  root: '/api/v3',
  closesWithBranch: true,
  // An app shows a JWT, for its own two operations only.
  tokenOf({ authorization = '' }, path) {
    const token = /^Bearer (.*)$/.exec(authorization)?.[1];
    const isOfApp = path === '/app' || path.startsWith('/app/') || path.endsWith('/installation');
    return isOfApp && token?.split('.').length === 3 ? 'right-token' : token;
  },
  operations: {
    [`GET ${repo}/installation`]: () => ok({ id: 5 }),
    'GET /app': () => ok({ slug: account }),
    'GET /user': () => ok({ login: account }),
    'POST /app/installations/{installation_id}/access_tokens': ({ forge }) =>
      created({ token: 'right-token', expires_at: new Date(Date.parse(forge.now()) + 3_600_000).toISOString() }),
    [`GET ${repo}/pulls`]: ({ forge, query: { state = 'open', head, base, per_page: size = '30', page } }) => {
      const found = forge.pulls
        .filter((pull) => ofState(pull, state) && (base === undefined || pull.base === base))
        // Without an owner the filter is ignored.
        .filter((pull) => !head?.includes(':') || `${pull.fork ? 'other' : 'acme'}:${pull.head}` === head)
        .sort((a, b) => b.number - a.number);
      return ok(paged(found, Math.min(Number(size), 100), page).map((pull) => pullJson(forge, pull)));
    },
    [`POST ${repo}/pulls`]: ({ forge, body }) => {
      const { head = '', base = '', title = '', body: text = '' } = body;
      const refused = (message: string): Answered => ({
        status: 422,
        body: { message: 'Validation Failed', errors: [{ resource: 'PullRequest', code: 'custom', message }] },
      });
      if (openOne(forge, head, base)) return refused(`A pull request already exists for acme:${head}.`);
      if (forge.tip(head) === forge.tip(base)) return refused(`No commits between ${base} and ${head}`);
      return created(pullJson(forge, openPull(forge, { head, base, title, body: text })));
    },
    [`GET ${repo}/pulls/{pull_number}`]: ({ forge, params }) =>
      ok(pullJson(forge, pullOf(forge, params['pull_number']))),
    [`PATCH ${repo}/pulls/{pull_number}`]: (asked) => patched(asked, 200),
    [`GET ${repo}`]: () => ok({ allow_merge_commit: false, allow_squash_merge: true }),
    [`PUT ${repo}/pulls/{pull_number}/merge`]: async ({ forge, params, body }) => {
      const { sha: commit, merge_method: how = 'merge', commit_title: title } = body;
      return (
        (await refusedMerge(forge, params['pull_number'], { commit, how: methods[how]!, title })) ??
        ok({ sha: forge.tip('main'), merged: true, message: 'Pull Request successfully merged' })
      );
    },
    [`POST ${repo}/issues/{issue_number}/labels`]: labelled,
    [`POST ${repo}/pulls/{pull_number}/requested_reviewers`]: (asked) => {
      const pull = reviewed(asked);
      const message = 'Reviews may only be requested from collaborators.';
      return pull === undefined ? { status: 422, body: { message } } : created(pull);
    },
    [`GET ${repo}/pulls/{pull_number}/reviews`]: ({ forge, params }) =>
      ok(pullOf(forge, params['pull_number']).reviews.map(({ user, state }) => ({ user: { login: user }, state }))),
    [`GET ${repo}/issues/{issue_number}/comments`]: ({ forge, params, query: { per_page: size = '30', page } }) =>
      ok(paged(pullOf(forge, params['issue_number']).comments, Number(size), page).map(commentJson)),
    [`POST ${repo}/issues/{issue_number}/comments`]: ({ forge, params, body }) =>
      created(commentJson(commented(forge, params['issue_number'], body['body']))),
    [`PATCH ${repo}/issues/comments/{comment_id}`]: ({ forge, params, body }) =>
      ok(commentJson(edited(forge, params['comment_id'], body['body']))),
    [`DELETE ${repo}/issues/comments/{comment_id}`]: ({ forge, params }) => deleted(forge, params['comment_id']),
    [`GET ${repo}/commits/{ref}/statuses`]: ({ forge, params, query: { per_page: size = '30', page } }) =>
      ok(paged(statusesOf(forge, params['ref']), Number(size), page)),
    [`POST ${repo}/statuses/{sha}`]: (asked) => {
      withStatus(asked);
      return created({ state: asked.body['state'], context: asked.body['context'] });
    },
  },
};

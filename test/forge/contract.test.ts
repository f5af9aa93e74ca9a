import { generateKeyPairSync, verify } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Forge, ForgeError } from '../../src/forge/forge.ts';
import { networkFetch, openForge } from '../../src/forge/open-forge.ts';
import { openPull } from '../../src/simulator/forge/dialect.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { bare as bareRepository, elsewhere, gitThere, sh } from '../support/git-repository.ts';
import { bareHost } from './git-host.ts';
import type { DialectName } from './test-forge.ts';
import { type Fault, TestForge } from './test-forge.ts';

const head = 'gitfleet/approve/web-1-after-canary';
const branches = { head, base: 'main' };
const text = { title: 'Approve web-1', body: 'Merging approves.' };
const now = (): number => Date.parse('2026-11-20T10:00:00Z');
const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});
afterAll(removeFolders);

const kinds = { github: 'github', gitlab: 'gitlab', gitea: 'gitea', forgejo: 'gitea' } as const;

let made: string | undefined;

/** A bare repository with an approval branch. */
function template(): string {
  if (made !== undefined) return made;
  made = bareRepository();
  elsewhere(made, { 'approvals/web-1-after-canary.yaml': 'kind: ClusterApprovalRequest\n' });
  sh(made, 'update-ref', `refs/heads/${head}`, 'main');
  sh(made, 'update-ref', 'refs/heads/main', 'main~1');
  return made;
}

/** A forge over HTTP in front of a bare repository with an approval branch, and our client of it. */
async function world(dialect: DialectName, env: NodeJS.ProcessEnv = { GITFLEET_FORGE_TOKEN: 'right-token' }) {
  const bare = join(folder(), 'fleet.git');
  cpSync(template(), bare, { recursive: true });
  const there = new TestForge(dialect, bareHost(bare), now);
  const server = await there.listen();
  const network = networkFetch();
  opened.push(() => server.close(), network.close);
  const client = (with_: NodeJS.ProcessEnv = env): Forge => {
    const named = { kind: kinds[dialect], repository: 'acme/fleet', baseURL: server.url };
    const env = { ...with_, GITFLEET_FORGE_HOST: new URL(server.url).host };
    return openForge({ named, repo: bare, env, fetch: network.fetch, now }).forge!;
  };
  return { bare, there, client, forge: client(), url: server.url };
}

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing',
    (error: unknown) => (error instanceof ForgeError ? error.code : error),
  );

describe.skipIf(!gitThere).each(['github', 'gitlab', 'gitea', 'forgejo'] as const)('%s', (dialect) => {
  it('opens a request once, finds it, edits and closes it', async () => {
    const { there, forge, bare } = await world(dialect);
    expect(await forge.find(branches)).toEqual([]);
    const made = await forge.open({ ...branches, ...text });
    const tip = sh(bare, 'rev-parse', head);
    expect(made).toMatchObject({ number: 1, state: 'open', head, headCommit: tip, isFork: false, ...text });
    expect(made.url).toMatch(/^https:\/\/forge.example\/acme\/fleet\/.*1$/);
    expect(await codeOf(forge.open({ ...branches, ...text }))).toBe('exists');
    await forge.edit(1, { title: 'Approve web-1', body: 'Two clusters wait.' });
    expect(await forge.listOpen('main')).toEqual([{ ...made, body: 'Two clusters wait.' }]);
    expect(await forge.listOpen('other')).toEqual([]);
    await forge.close(1);
    expect(await forge.listOpen('main')).toEqual([]);
    expect(await forge.find(branches)).toEqual([{ ...made, body: 'Two clusters wait.', state: 'closed' }]);
    expect(there.pulls).toHaveLength(1);
  });

  it.each(['merge commit', 'squash', 'rebase'] as const)('shows one that was merged by %s', async (how) => {
    const { there, forge, bare } = await world(dialect);
    await forge.open({ ...branches, ...text });
    there.refusedMerges = 1;
    expect(await there.merge(1, how)).toBe(false);
    expect(await there.merge(1, how)).toBe(true);
    await forge.close(1);
    expect((await forge.find(branches))[0]).toMatchObject({ number: 1, state: 'merged' });
    expect(sh(bare, 'ls-tree', '--name-only', '-r', 'main')).toContain('approvals/web-1-after-canary.yaml');
  });

  it('merges one whose tip is as given, and says why it does not yet', async () => {
    const { there, forge, bare } = await world(dialect);
    await forge.open({ ...branches, ...text });
    const commit = sh(bare, 'rev-parse', head);
    there.refusedMerges = 1;
    const missing = dialect === 'gitlab' ? '405 Method Not Allowed: not approved' : `405 ${there.missing}`;
    expect(await forge.merge(1, { commit, title: 'Approve web-1' })).toBe(missing);
    expect(await forge.merge(1, { commit: sh(bare, 'rev-parse', 'main'), title: 'No' })).toMatch(/^409 /);
    expect(await forge.merge(1, { commit, title: 'Approve web-1' })).toBeUndefined();
    expect((await forge.find(branches))[0]).toMatchObject({ number: 1, state: 'merged' });
    const [subject, parents = ''] = sh(bare, 'log', '-1', '--format=%s%n%P', 'main').split('\n');
    // In the way that the repository prefers: a rebase keeps the message. GitLab would squash what is opened without a choice.
    expect(subject === 'Approve web-1').toBe(kinds[dialect] !== 'gitea');
    expect(parents.split(' ')).toHaveLength(dialect === 'gitlab' ? 2 : 1);
  });

  it('finds all of many marks those of forks, and finds none of them by branch', async () => {
    const { there, forge } = await world(dialect);
    await forge.open({ ...branches, ...text });
    const [one] = there.pulls.splice(0);
    for (let number = 1; number <= 120; number++) there.pulls.push({ ...one!, number, head: 'main' });
    there.pulls.push({ ...one!, number: 500, fork: true });
    const listed = await forge.listOpen('main');
    expect(listed).toHaveLength(121);
    expect(listed.filter(({ isFork }) => isFork).map(({ number }) => number)).toEqual([500]);
    expect(await forge.find(branches)).toEqual([]);
    expect((await forge.find({ head: 'main', base: 'main' })).length).toBeGreaterThan(0);
  });

  it('finds one that was closed before many others', async () => {
    const { there, forge } = await world(dialect);
    await forge.open({ ...branches, ...text });
    await forge.close(1);
    const [one] = there.pulls;
    for (let number = 2; number <= 62; number++) there.pulls.push({ ...one!, number, head: `other-${number}` });
    expect((await forge.find(branches)).map(({ number, state }) => [number, state])).toEqual([[1, 'closed']]);
  });

  it('finds those of the repository however many of forks are open', async () => {
    const { there, forge } = await world(dialect);
    await forge.open({ ...branches, ...text });
    const [one] = there.pulls.splice(0);
    const forks = (from: number) =>
      Array.from({ length: 600 }, (_, at) => ({ ...one!, number: from + at, head: 'main', fork: true }));
    there.pulls.push(...forks(1), { ...one!, number: 700, head: 'main' }, ...forks(1_000));
    const listed = await forge.listOpen('main');
    expect(listed).toHaveLength(500);
    expect(listed.filter(({ isFork }) => !isFork).map(({ number }) => number)).toEqual([700]);
  });

  it('sets labels and asks users, and teams where there are some', async () => {
    const { there, forge } = await world(dialect);
    await forge.open({ ...branches, ...text });
    const teams = dialect === 'gitlab' ? [] : ['acme/approvers'];
    await forge.assign(1, { labels: ['fleet', 'approval wanted'], reviewers: ['ann', ...teams] });
    await forge.assign(1, { labels: ['later'], reviewers: [] });
    expect(there.pull(1).labels).toEqual(['fleet', 'approval wanted', 'later']);
    expect(there.pull(1).reviewers).toEqual(['ann', ...teams.map(() => '/approvers')]);
    await forge.assign(1, { labels: [], reviewers: ['ben'] });
    expect(there.pull(1).reviewers).toEqual(expect.arrayContaining(['ann', 'ben']));
    expect(await codeOf(forge.assign(1, { labels: [], reviewers: ['nobody'] }))).toMatch(/refused|not-found/);
  });

  it('lists its own comments with a marker, edits and deletes them', async () => {
    const { there, forge } = await world(dialect);
    await forge.open({ ...branches, ...text });
    const marker = '<!-- gitfleet plan -->';
    there.pull(1).comments.push({ id: 90, user: 'mallory', body: `${marker} mine`, updatedAt: there.now() });
    for (const body of ['Hello', `${marker} one`, `${marker} two`]) await forge.addComment(1, body);
    const [first, second] = await forge.comments(1, marker);
    expect(first).toMatchObject({ body: `${marker} one`, editedMs: now() });
    await forge.editComment(1, { id: first!.id, body: `${marker} new` });
    await forge.deleteComment(1, second!.id);
    expect((await forge.comments(1, marker)).map(({ body }) => body)).toEqual([`${marker} new`]);
    expect(there.pull(1).comments.map(({ body }) => body)).toEqual([`${marker} mine`, 'Hello', `${marker} new`]);
  });

  it('sets a commit status, also the same one again', async () => {
    const { there, forge, bare } = await world(dialect);
    const commit = sh(bare, 'rev-parse', head);
    const status = { context: 'gitfleet/plan', description: 'x'.repeat(100), ref: head };
    for (const state of ['pending', 'pending', 'success'] as const) await forge.setStatus(commit, { ...status, state });
    expect(there.statuses.at(-1)).toMatchObject({ commit, context: 'gitfleet/plan', state: 'success' });
    await forge.setStatus(commit, { ...status, context: 'other', state: 'failure' });
    expect(await forge.status(commit, 'gitfleet/plan')).toEqual({
      state: 'success',
      description: status.description,
    });
    expect(await forge.status(commit, 'other')).toMatchObject({ state: 'failure' });
    expect(await forge.status(commit, 'none')).toBeUndefined();
  });

  it('lists those whose approval stands', async () => {
    const { there, forge } = await world(dialect);
    await forge.open({ ...branches, ...text });
    const rejected = {
      github: 'CHANGES_REQUESTED',
      gitlab: 'REQUESTED',
      gitea: 'REQUEST_CHANGES',
      forgejo: 'REQUEST_CHANGES',
    };
    there.pull(1).reviews.push({ user: 'ann', state: 'APPROVED' }, { user: 'ben', state: rejected[dialect] });
    expect(await forge.approvers(1)).toEqual(['ann']);
  });

  const faults: readonly (readonly [Fault, string, number?])[] = [
    [{ status: 500, body: 'oops' }, 'unreachable'],
    [{ status: 403, body: { message: 'Resource not accessible' } }, 'unauthorized'],
    [{ status: 404, body: { message: 'Not Found' } }, 'not-found'],
    [{ status: 422, body: { message: 'Validation Failed' } }, 'refused'],
    [{ status: 429, headers: { 'retry-after': '120' }, body: 'Retry later' }, 'limited', 120_000],
    [{ status: 429, headers: { 'retry-after': '86400' }, body: '' }, 'limited', 900_000],
    [{ status: 403, headers: { 'retry-after': '60' }, body: {} }, 'limited', 60_000],
    [{ status: 403, body: { message: 'You have exceeded a secondary rate limit' } }, 'limited', 60_000],
    [
      {
        status: 403,
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now() / 1000 + 90) },
        body: {},
      },
      'limited',
      90_000,
    ],
    ['not sent', 'unreachable'],
    ['answer lost', 'unreachable'],
  ];

  it('sends nothing before the time is over that the forge names', async () => {
    const { there, forge } = await world(dialect);
    there.fault = () => ({ status: 429, headers: { 'retry-after': '120' }, body: '' });
    expect([await codeOf(forge.listOpen('main')), await codeOf(forge.approvers(1))]).toEqual(['limited', 'limited']);
    expect(there.requests).toHaveLength(1);
  });

  it('fails with a code, and with the time to wait that the forge names', async () => {
    const { there, client } = await world(dialect);
    const found: unknown[] = [];
    for (const [fault] of faults) {
      there.fault = () => fault;
      // Another one each, as one that was told to wait sends no request.
      const error = (await client()
        .listOpen('main')
        .catch((thrown: unknown) => thrown)) as ForgeError;
      found.push([fault, error.code, error.retryAfterMs]);
    }
    expect(found).toEqual(faults.map(([fault, code, ms]) => [fault, code, ms]));
  });

  it('names an answer of another form as an error of the forge', async () => {
    const { there, forge } = await world(dialect);
    there.fault = () => ({ status: 200, body: null });
    for (const asked of [forge.listOpen('main'), forge.approvers(1), forge.mergedBy(1)])
      expect(await codeOf(asked)).toBe('unreachable');
  });

  it('never shows the token, whatever the forge answers', async () => {
    const { there, client } = await world(dialect);
    there.fault = () => ({ status: 422, body: { message: 'unknown token glpat-only-here\u001b[2J' } });
    const forge = client({ GITFLEET_FORGE_TOKEN: 'glpat-only-here' });
    const error = (await forge.listOpen('main').catch((thrown: unknown) => thrown)) as ForgeError;
    expect(error.message).toContain('unknown token (redacted)');
    expect(error.message).not.toContain('\u001b');
    expect(error.message).toMatch(/^GET http:\/\/127.0.0.1:\d+\//);
  });

  it('follows redirects of reads only, and shows the token to no other server', async () => {
    const { there, forge, url } = await world(dialect);
    const other = new TestForge(dialect, there.git, now);
    const elsewhere = await other.listen();
    opened.push(elsewhere.close);
    other.fault = () => ({ status: 200, body: [] });
    there.fault = ({ path }) => ({ status: 301, headers: { location: `${elsewhere.url}${path}` }, body: '' });
    expect(await forge.listOpen('main')).toEqual([]);
    expect(JSON.stringify(other.sent)).not.toContain('right-token');
    expect(await codeOf(forge.open({ ...branches, ...text }))).toBe('refused');
    expect(other.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    there.fault = () => ({ status: 302, headers: { location: `${url}/round` }, body: '' });
    expect(await codeOf(forge.listOpen('main'))).toBe('refused');
  });

  it('reads the token from its file again after it was rotated', async () => {
    const file = join(folder(), 'token');
    writeFileSync(file, 'old-token\n');
    const { client } = await world(dialect);
    const forge = client({ GITFLEET_FORGE_TOKEN_FILE: file });
    expect(await codeOf(forge.listOpen('main'))).toBe('unauthorized');
    writeFileSync(file, 'right-token\n');
    expect(await forge.listOpen('main')).toEqual([]);
  });
});

describe.skipIf(!gitThere)('a GitHub App', () => {
  it('signs in with its key, and renews the token of its installation before it ends', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const file = join(folder(), 'app.pem');
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const { there, url, bare } = await world('github');
    let ms = now();
    const { fetch, close } = networkFetch();
    opened.push(close);
    const { forge } = openForge({
      named: { kind: 'github', repository: 'acme/fleet', baseURL: url },
      repo: bare,
      env: {
        GITFLEET_GITHUB_APP_ID: '77',
        GITFLEET_GITHUB_APP_KEY_FILE: file,
        GITFLEET_FORGE_HOST: new URL(url).host,
      },
      fetch,
      now: () => ms,
    });
    const asked = () => there.requests.filter((request) => request.includes('access_tokens')).length;
    for (let count = 0; count < 3; count++) expect(await forge!.listOpen('main')).toEqual([]);
    expect(asked()).toBe(1);
    ms += 56 * 60_000;
    await forge!.listOpen('main');
    expect(asked()).toBe(2);
    const [header, claims, signature] = there.sent[0]!['authorization']!.slice('Bearer '.length).split('.');
    expect(
      verify('RSA-SHA256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature!, 'base64url')),
    ).toBe(true);
    const { iss, iat, exp } = JSON.parse(Buffer.from(claims!, 'base64url').toString());
    expect(iss).toBe('77');
    expect(exp - iat).toBeLessThanOrEqual(600);
    writeFileSync(file, 'no key');
    ms += 3_600_000;
    const error = (await forge!.listOpen('main').catch((thrown: unknown) => thrown)) as ForgeError;
    expect(error.message).toContain('holds no private key');
  });
});

it('finds all where a Gitea cuts pages to fewer than are asked for', async () => {
  const pull = (number: number) => ({
    ...{ number, html_url: '', state: 'open', merged_at: null, title: '', body: '' },
    head: { ref: `b${number}`, sha: '', repo: { id: 1 } },
    base: { ref: 'main', sha: '', repo: { id: 1 } },
  });
  const all = Array.from({ length: 45 }, (_, at) => pull(at));
  const { forge } = openForge({
    named: { kind: 'gitea', repository: 'acme/fleet', baseURL: 'https://git.example' },
    repo: 'https://git.example/acme/fleet',
    env: { GITFLEET_FORGE_TOKEN: 'right-token' },
    fetch: async (url) => {
      const page = Number(new URL(url).searchParams.get('page'));
      return new Response(JSON.stringify(all.slice((page - 1) * 30, page * 30)));
    },
    now,
  });
  expect(await forge!.listOpen('main')).toHaveLength(45);
});

it.skipIf(!gitThere)('at GitLab one that was opened by hand is not squashed either', async () => {
  const { there, forge, bare } = await world('gitlab');
  openPull(there, { ...branches, title: 'by hand', body: '' });
  await forge.edit(1, text);
  expect(await forge.merge(1, { commit: sh(bare, 'rev-parse', head), title: 'Approve web-1' })).toBeUndefined();
  expect(sh(bare, 'log', '-1', '--format=%P', 'main').split(' ')).toHaveLength(2);
});

describe('what fleet.yaml leaves out', () => {
  const of = (repo: string) => {
    const { forge } = openForge({
      named: undefined,
      repo,
      env: { GITFLEET_FORGE_TOKEN: 'right-token' },
      fetch: () => Promise.reject(new Error('not asked')),
      now,
    });
    return forge && `${forge.kind} ${forge.repository}`;
  };

  it.each([
    ['https://github.com/acme/fleet.git', 'github acme/fleet'],
    ['git@gitlab.com:acme/platform/fleet.git', 'gitlab acme/platform/fleet'],
    ['ssh://git@codeberg.org/acme/fleet', 'gitea acme/fleet'],
    ['https://gitlab.example.com/acme/fleet.git', 'gitlab acme/fleet'],
    ['https://git.example.com/acme/fleet.git', undefined],
    ['/srv/git/fleet.git', undefined],
  ])('comes from %s', (repo, forge) => {
    expect(of(repo)).toBe(forge);
  });
});

it('reads a list of large texts of GitLab in pieces', async () => {
  const all = Array.from({ length: 17 }, (_, at) => ({
    ...{ iid: at + 1, web_url: '', state: 'opened', title: '', description: 'x'.repeat(1_000_000) },
    ...{ source_branch: `b${at}`, sha: '', source_project_id: 1, target_project_id: 1 },
  }));
  const sizes: number[] = [];
  const { forge } = openForge({
    named: { kind: 'gitlab', repository: 'acme/fleet', baseURL: 'https://git.example' },
    repo: 'https://git.example/acme/fleet',
    env: { GITFLEET_FORGE_TOKEN: 'right-token' },
    fetch: async (url) => {
      const { per_page: size, page } = Object.fromEntries(new URL(url).searchParams);
      sizes.push(Number(size));
      const [from, count] = [(Number(page) - 1) * Number(size), Number(size)];
      return new Response(JSON.stringify(all.slice(from, from + count)));
    },
    now,
  });
  expect(await forge!.listOpen('main')).toHaveLength(17);
  expect(sizes).toEqual([50, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
});

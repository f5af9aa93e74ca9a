import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { approvalBranches } from '../../src/git/approval-branches.ts';
import { alwaysAsk } from '../../src/git/ref-poll.ts';
import { openSource } from '../../src/git/source.ts';
import { bareHost } from '../forge/git-host.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { author, bare, clone, elsewhere, gitThere, nobody, now, openStatus, sh } from '../support/git-repository.ts';
import { type GitServer, refusePushes, startGitServer } from '../support/http-backend-server.ts';

const token = 's3cret';
const withToken = async () => ({ username: 'x-access-token', password: token });

interface Kind {
  readonly name: string;
  readonly native: boolean;
  /** The repository as gitfleet is told, and its folder on this machine. */
  make(): Promise<{ readonly repo: string; readonly dir: string }>;
}

const servers: GitServer[] = [];
const http = async () => {
  const dir = bare();
  const server = await startGitServer(dirname(dir), token);
  servers.push(server);
  return { repo: server.url('fleet.git'), dir };
};
const local = (dir: string) => ({ repo: dir, dir });

const kinds: readonly Kind[] = [
  { name: 'working clone, git', native: true, make: async () => local(clone()) },
  { name: 'working clone, no git', native: false, make: async () => local(clone()) },
  { name: 'bare, git', native: true, make: async () => local(bare()) },
  { name: 'bare, no git', native: false, make: async () => local(bare()) },
  { name: 'http, git', native: true, make: http },
  { name: 'http, no git', native: false, make: http },
  {
    name: 'file URL',
    native: true,
    make: async () => {
      const dir = bare();
      return { repo: `file://${dir}`, dir };
    },
  },
];

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of [...closing.splice(0), ...servers.splice(0)]) await one.close();
});
afterAll(removeFolders);

async function source(kind: Kind, repo: string, cacheDir = folder()) {
  const opened = await openSource({ repo, branch: 'main', cacheDir, credentials: withToken, native: kind.native });
  closing.push(opened);
  return opened;
}

async function status(kind: Kind, repo: string, cacheDir = folder()) {
  const opened = await openStatus({ repo, native: kind.native, cacheDir, credentials: withToken });
  closing.push(opened);
  return opened;
}

describe.skipIf(!gitThere).each(kinds)('$name', (kind) => {
  it('reads the tip, its files and its ancestors', async () => {
    const { repo, dir } = await kind.make();
    const opened = await source(kind, repo);
    const first = await opened.poll();
    const second = elsewhere(dir, { 'resources/shop/web.yaml': 'kind: Deployment # 2\n', 'ümlaut.yaml': 'a: 1\n' });
    expect(await opened.poll()).toBe(second);
    const tree = await opened.tree(second);
    const files = await tree.files();
    expect(files.map(({ path, mode }) => `${mode} ${path}`).sort()).toEqual([
      '100644 clusters/eu-1.yaml',
      '100644 resources/shop/web.yaml',
      '100644 ümlaut.yaml',
    ]);
    const web = files.find(({ path }) => path === 'resources/shop/web.yaml')!;
    const contents = await tree.read(files.map(({ oid }) => oid));
    expect(Buffer.from(contents.get(web.oid)!).toString()).toBe('kind: Deployment # 2\n');
    expect([await opened.isAncestor(first, second), await opened.isAncestor(second, first)]).toEqual([true, false]);
    expect(await opened.isAncestor('1'.repeat(40), second)).toBe(false);
  });

  it('a branch that moves between listing and the first fetch is read as it was listed', async () => {
    const { repo, dir } = await kind.make();
    let seen: string | undefined;
    const opened = await openSource({
      repo,
      branch: 'main',
      cacheDir: folder(),
      credentials: withToken,
      native: kind.native,
      refs: (branches) => ({
        ...alwaysAsk(branches),
        async list(prefixes) {
          const refs = await branches.list(prefixes);
          seen = refs.get('refs/heads/main');
          for (const round of ['2', '3'])
            elsewhere(dir, { 'resources/shop/web.yaml': `kind: Deployment # ${round}\n` });
          return refs;
        },
      }),
    });
    closing.push(opened);
    expect(await opened.poll()).toBe(seen);
    expect((await (await opened.tree(seen!)).files()).length).toBe(2);
  });

  it('publishes status files, only when they change, and reads them back after a restart', async () => {
    const { repo, dir } = await kind.make();
    const opened = await status(kind, repo);
    const empty = await opened.read();
    expect(empty).toEqual({ commit: undefined, files: new Map() });
    const files = new Map([
      ['README.md', '# fleet\n'],
      ['clusters/eu-1.yaml', 'a: 1\n'],
      ['clusters/eu-10.yaml', 'a: ü\n'],
      ['clusters.yaml', 'b: 1\n'],
    ]);
    const published = await opened.publish(empty, files, 'First status');
    if (published.kind !== 'published') throw new Error(published.kind);
    expect(await opened.publish(published.tip, new Map(files), 'Again')).toEqual({
      kind: 'unchanged',
      tip: published.tip,
    });
    const changed = new Map([...files, ['clusters/eu-1.yaml', 'a: 2\n']]);
    const second = await opened.publish(published.tip, changed, 'Second status');
    expect(second.kind).toBe('published');
    const bot = 'Fleet Bot <bot@example.com>';
    expect(sh(dir, 'log', '--format=%s, %an <%ae>, %cn <%ce>', 'fleet-status')).toBe(
      `Second status, ${bot}, ${bot}\nFirst status, ${bot}, ${bot}`,
    );
    expect(sh(dir, 'fsck', '--strict')).toBe('');
    const again = await status(kind, repo);
    // Its name comes between those of the folder and its files; no record has it.
    const notOurs = expect.stringContaining('it is no file of the record');
    expect((await again.read()).files).toEqual(new Map([...changed, ['clusters.yaml', notOurs]]));
    expect(sh(dir, 'show', '--format=', '--name-only', 'fleet-status')).toBe('clusters/eu-1.yaml');
  });

  it('of two writers on the same base one publishes and the other gets the error that the branch moved', async () => {
    const { repo, dir } = await kind.make();
    const [a, b] = [await status(kind, repo), await status(kind, repo)];
    const base = await a.publish(await a.read(), new Map([['x', '0']]), 'Base');
    expect(base.kind).toBe('published');
    const [tipA, tipB] = [await a.read(), await b.read()];
    const outcomes = await Promise.all([
      a.publish(tipA, new Map([['x', 'a']]), 'By a'),
      b.publish(tipB, new Map([['x', 'b']]), 'By b'),
    ]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['moved', 'published']);
    expect(sh(dir, 'rev-list', '--count', 'fleet-status')).toBe('2');
  });

  it('a foreign commit in between is kept: the status is committed on top of it', async () => {
    const { repo, dir } = await kind.make();
    const opened = await status(kind, repo);
    const first = await opened.publish(await opened.read(), new Map([['summary.yaml', '0']]), 'First');
    if (first.kind === 'moved') throw new Error('moved');
    const foreign = elsewhere(dir, { 'fleet.yaml': 'by hand\n' }, 'fleet-status');
    expect(await opened.publish(first.tip, new Map([['summary.yaml', '1']]), 'Stale')).toEqual({ kind: 'moved' });
    const tip = await opened.read();
    expect(tip).toEqual({
      commit: foreign,
      files: new Map([
        ['fleet.yaml', 'by hand\n'],
        ['summary.yaml', '0'],
      ]),
    });
    expect((await opened.publish(tip, new Map([['summary.yaml', '1']]), 'Fresh')).kind).toBe('published');
    expect(sh(dir, 'rev-parse', 'fleet-status~1')).toBe(foreign);
  });

  it('a deleted status branch is noticed and started anew, not restored', async () => {
    const { repo, dir } = await kind.make();
    const opened = await status(kind, repo);
    const first = await opened.publish(await opened.read(), new Map([['x', '0']]), 'First');
    if (first.kind === 'moved') throw new Error('moved');
    sh(dir, 'update-ref', '-d', 'refs/heads/fleet-status');
    expect(await opened.publish(first.tip, new Map([['x', '1']]), 'Stale')).toEqual({ kind: 'moved' });
    const tip = await opened.read();
    expect(tip.commit).toBeUndefined();
    expect((await opened.publish(tip, new Map([['x', '1']]), 'Anew')).kind).toBe('published');
    expect(sh(dir, 'rev-list', '--count', 'fleet-status')).toBe('1');
  });

  it('packed refs and objects are read like loose ones, and packing is no deletion', async () => {
    const { repo, dir } = await kind.make();
    const [opened, told] = [await source(kind, repo), await status(kind, repo)];
    const tip = await opened.poll();
    const first = await told.publish(await told.read(), new Map([['x', '0']]), 'First');
    if (first.kind === 'moved') throw new Error('moved');
    sh(dir, 'pack-refs', '--all');
    sh(dir, 'repack', '-adq');
    sh(dir, 'prune-packed');
    expect(await opened.poll()).toBe(tip);
    expect((await (await opened.tree(tip)).files()).length).toBe(2);
    expect(await told.tip()).toBe(first.tip.commit);
    expect((await told.publish(first.tip, new Map([['x', '1']]), 'Second')).kind).toBe('published');
  });

  it('requests an approval with a branch, once; a changed request is committed on top; withdrawing deletes it', async () => {
    const { repo, dir } = await kind.make();
    const opened = await source(kind, repo);
    const tip = await opened.poll();
    const request = { name: 'run-before-prod', path: 'approvals/run-before-prod.yaml', content: 'digest: 1\n' };
    const approvals = approvalBranches(opened, { author, now });
    await approvals.request(request);
    const asked = sh(dir, 'rev-parse', 'gitfleet/approve/run-before-prod');
    expect(sh(dir, 'diff', '--name-only', tip, asked)).toBe('approvals/run-before-prod.yaml');
    expect(sh(dir, 'rev-parse', `${asked}~1`)).toBe(tip);
    await approvals.request(request);
    await approvalBranches(opened, { author, now }).request(request);
    expect(sh(dir, 'rev-parse', 'gitfleet/approve/run-before-prod')).toBe(asked);
    await approvals.request({ ...request, content: 'digest: 2\n' });
    expect(sh(dir, 'rev-parse', 'gitfleet/approve/run-before-prod~1')).toBe(asked);
    expect(sh(dir, 'show', 'gitfleet/approve/run-before-prod:approvals/run-before-prod.yaml')).toBe('digest: 2');
    expect((await approvals.list()).names).toEqual(['run-before-prod']);
    sh(dir, 'pack-refs', '--all');
    await approvals.withdraw('run-before-prod');
    expect((await approvals.list()).names).toEqual([]);
    expect(sh(dir, 'branch', '--list', 'gitfleet/*')).toBe('');
    expect(sh(dir, 'fsck', '--strict', '--no-dangling')).toBe('');
  });

  it.each(['merge commit', 'squash'] as const)('requests once more what was merged (%s) and reverted', async (how) => {
    const { repo, dir } = await kind.make();
    const opened = await source(kind, repo);
    const first = await opened.poll();
    const request = { name: 'run-before-prod', path: 'approvals/run-before-prod.yaml', content: 'digest: 1\n' };
    const saw = approvalBranches(opened, { author, now });
    for (const approvals of [saw, approvalBranches(opened, { author, now })]) {
      await approvals.request(request);
      const asked = sh(dir, 'rev-parse', 'gitfleet/approve/run-before-prod');
      await bareHost(dir).merge('gitfleet/approve/run-before-prod', 'main', how);
      expect(await approvals.request(request)).toMatchObject({ commit: asked, isRequested: true });
      const reverted = sh(dir, 'commit-tree', `${first}^{tree}`, '-p', 'main', '-m', 'Revert it');
      sh(dir, 'update-ref', 'refs/heads/main', reverted);
      const again = await (approvals === saw ? saw : approvalBranches(opened, { author, now })).request(request);
      expect(sh(dir, 'rev-parse', 'gitfleet/approve/run-before-prod', `${again.commit}~1`).split('\n')).toEqual([
        again.commit,
        reverted,
      ]);
      expect(sh(dir, 'diff', '--name-only', 'main', again.commit!)).toBe(request.path);
      expect(await approvals.request(request)).toMatchObject({ commit: again.commit, commits: [], files: [] });
    }
  });

  it('a branch that others added to is not changed, also by a daemon that did not see it before', async () => {
    const { repo, dir } = await kind.make();
    const opened = await source(kind, repo);
    const request = { name: 'run-before-prod', path: 'approvals/run-before-prod.yaml', content: 'digest: 1\n' };
    await approvalBranches(opened, { author, now }).request(request);
    const asked = sh(dir, 'rev-parse', 'gitfleet/approve/run-before-prod');
    const theirs = sh(dir, 'commit-tree', `${asked}^{tree}`, '-p', asked, '-m', 'Look at it');
    sh(dir, 'update-ref', 'refs/heads/gitfleet/approve/run-before-prod', theirs);
    const commits = [expect.stringContaining(`${theirs.slice(0, 7)} Look at it of `)];
    const again = approvalBranches(opened, { author, now });
    expect(await again.request(request)).toMatchObject({ commits, files: [], isRequested: true });
    const changed = { ...request, content: 'digest: 2\n' };
    expect(await again.request(changed)).toMatchObject({ commits, files: [], isRequested: false });
    expect(sh(dir, 'rev-parse', 'gitfleet/approve/run-before-prod')).toBe(theirs);
  });

  it('a missing branch is an error that names it', async () => {
    const { repo, dir } = await kind.make();
    sh(dir, 'branch', 'other');
    const opened = await openSource({
      repo,
      branch: 'mian',
      cacheDir: folder(),
      credentials: withToken,
      native: kind.native,
    });
    closing.push(opened);
    await expect(opened.poll()).rejects.toThrow(
      expect.objectContaining({ code: 'not-found', message: expect.stringContaining('mian') }),
    );
  });
});

describe.skipIf(!gitThere)('a server', () => {
  const kind = kinds.find(({ name }) => name === 'http, git')!;

  it.each(kinds.filter(({ name }) => /http|URL/.test(name)))(
    'that rejects a push by a hook is an error with its message, and a retry succeeds ($name)',
    async (on) => {
      const { repo, dir } = await on.make();
      await refusePushes(dir, 1, 'freeze until noon');
      const opened = await status(on, repo);
      const base = await opened.read();
      const attempt = () => opened.publish(base, new Map([['x', '1']]), 'Status');
      await expect(attempt()).rejects.toThrow(
        expect.objectContaining({ code: 'push-refused', message: expect.stringContaining('freeze until noon') }),
      );
      expect((await attempt()).kind).toBe('published');
    },
  );

  it('that refuses the credentials gets one request, not a loop', async () => {
    const dir = bare();
    const server = await startGitServer(dirname(dir), token);
    servers.push(server);
    for (const credentials of [nobody, async () => ({ username: 'x', password: 'wrong' })]) {
      server.requests.length = 0;
      const opened = await openSource({
        repo: server.url('fleet.git'),
        branch: 'main',
        cacheDir: folder(),
        credentials,
      });
      closing.push(opened);
      const error = await opened.poll().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'unauthorized' });
      expect(String(error)).not.toContain('wrong');
      expect(server.requests.length).toBe(1);
    }
  });

  it('that is down is an error to retry, and works again when it is up', async () => {
    const { repo } = await kind.make();
    const opened = await source(kind, repo);
    await opened.poll();
    await servers.pop()!.close();
    await expect(opened.poll()).rejects.toThrow(expect.objectContaining({ code: 'unreachable' }));
  });

  it('gets a status push of the changed objects only', async () => {
    const { repo, dir } = await kind.make();
    const opened = await status(kind, repo);
    const files = new Map(Array.from({ length: 300 }, (_, i) => [`clusters/${i}.yaml`, `i: ${i}\n`]));
    const first = await opened.publish(await opened.read(), files, 'First');
    if (first.kind === 'moved') throw new Error('moved');
    const before = Number(sh(dir, 'count-objects', '-v').match(/^count: (\d+)/m)![1]);
    await opened.publish(first.tip, new Map([...files, ['clusters/7.yaml', 'i: seven\n']]), 'Second');
    expect(Number(sh(dir, 'count-objects', '-v').match(/^count: (\d+)/m)![1]) - before).toBe(4);
  });

  it('a lost mirror is created anew', async () => {
    const { repo } = await kind.make();
    const cacheDir = folder();
    const before = await source(kind, repo, cacheDir);
    const tip = await before.poll();
    await before.close();
    rmSync(join(cacheDir, 'source'), { recursive: true });
    const opened = await source(kind, repo, cacheDir);
    expect(await opened.poll()).toBe(tip);
    expect((await (await opened.tree(tip)).files()).length).toBe(2);
  });

  it('one mirror serves one process', async () => {
    const { repo } = await kind.make();
    const cacheDir = folder();
    await source(kind, repo, cacheDir);
    await expect(source(kind, repo, cacheDir)).rejects.toThrow(expect.objectContaining({ code: 'locked' }));
  });
});

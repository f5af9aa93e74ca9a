import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { parseAddress } from '../../src/git/address.ts';
import { openBranches } from '../../src/git/open-branches.ts';
import { refPoll } from '../../src/git/ref-poll.ts';
import { resolveCommit } from '../../src/git/resolve-commit.ts';
import { openSource } from '../../src/git/source.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { bare, elsewhere, gitThere, nobody, openStatus, sh } from '../support/git-repository.ts';
import { type GitServer, startGitServer } from '../support/http-backend-server.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});
afterAll(removeFolders);

const kept = <T extends { close(): Promise<void> }>(one: T): T => {
  closing.push(one);
  return one;
};

async function serve(dir: string, old = false): Promise<GitServer> {
  return kept(await startGitServer(dirname(dir), undefined, { old }));
}

const kinds = [
  { name: 'http, git', native: true, http: true },
  { name: 'http, no git', native: false, http: true },
  { name: 'file URL', native: true, http: false },
] as const;

describe.skipIf(!gitThere).each(kinds)('history over $name', ({ native, http }) => {
  /** A bare repository with commits on main, oldest first. */
  async function make(commits: number): Promise<{ dir: string; repo: string; oids: string[] }> {
    const dir = bare();
    const oids = [sh(dir, 'rev-parse', 'main')];
    for (let at = 1; at < commits; at++) oids.push(elsewhere(dir, { 'resources/count.yaml': `at: ${at}\n` }));
    return { dir, oids, repo: http ? (await serve(dir)).url('fleet.git') : `file://${dir}` };
  }
  const source = async (repo: string, cacheDir = folder()) =>
    kept(await openSource({ repo, branch: 'main', cacheDir, credentials: nobody, native }));
  const commitsIn = (cacheDir: string): number =>
    sh(join(cacheDir, 'source/repo.git'), 'cat-file', '--batch-check', '--batch-all-objects')
      .split('\n')
      .filter((line) => line.includes(' commit ')).length;

  it('a first clone fetches one commit, however many there are', async () => {
    const { repo, oids } = await make(5);
    const cacheDir = folder();
    expect(await (await source(repo, cacheDir)).poll()).toBe(oids.at(-1));
    expect(commitsIn(cacheDir)).toBe(1);
  });

  it('commits after a first clone are known to descend from it', async () => {
    const { repo, dir, oids } = await make(3);
    const opened = await source(repo);
    await opened.poll();
    elsewhere(dir, { a: '1\n' });
    const tip = elsewhere(dir, { a: '2\n' });
    expect(await opened.poll()).toBe(tip);
    expect(await opened.isAncestor(oids.at(-1)!, tip)).toBe(true);
    expect((await (await opened.tree(tip)).files()).map(({ path }) => path)).toContain('a');
  });

  it('the ancestor of a tip is found again when the mirror is lost', async () => {
    const { repo, oids } = await make(5);
    const cacheDir = folder();
    const opened = await source(repo, cacheDir);
    const tip = await opened.poll();
    expect(await opened.has(oids[1]!)).toBe(false);
    expect(await opened.isAncestor(oids[1]!, tip)).toBe(true);
    expect(await opened.has(oids[1]!)).toBe(true);
    expect(await opened.isAncestor('1'.repeat(40), tip)).toBe(false);
    expect(commitsIn(cacheDir)).toBe(5);
    await opened.close();
    rmSync(cacheDir, { recursive: true });
    const again = await source(repo, cacheDir);
    expect(await again.isAncestor(oids[3]!, await again.poll())).toBe(true);
  });

  it('commits that were the tip are distinguished from those that a merge brought', async () => {
    const { repo, dir, oids } = await make(3);
    sh(dir, 'branch', 'change', oids[1]!);
    const inner = elsewhere(dir, { 'resources/other.yaml': 'a: 1\n' }, 'change');
    const tree = sh(dir, 'rev-parse', `${inner}^{tree}`);
    const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
    const merge = sh(dir, ...who, 'commit-tree', '-p', oids[2]!, '-p', inner, '-m', 'Merge', tree);
    sh(dir, 'update-ref', 'refs/heads/main', merge);
    const opened = await source(repo);
    const tip = await opened.poll();
    const heights = [];
    for (const oid of [...oids, merge, inner, '1'.repeat(40)]) heights.push(await opened.heightOf(oid, tip));
    expect([tip, ...heights]).toEqual([merge, -3, -2, -1, 0, undefined, undefined]);
    expect(await opened.isAncestor(inner, tip)).toBe(true);
    const next = elsewhere(dir, { a: '1\n' });
    expect(await opened.poll()).toBe(next);
    expect([await opened.heightOf(next, next), await opened.heightOf(oids[0]!, next)]).toEqual([1, -3]);
  });

  it('a rewound main is distinguished from one that moved forward, also without the mirror', async () => {
    const { repo, dir, oids } = await make(4);
    sh(dir, 'update-ref', 'refs/heads/main', oids[1]!);
    const opened = await source(repo);
    const tip = await opened.poll();
    expect([await opened.isAncestor(oids[3]!, tip), await opened.has(oids[3]!)]).toEqual([false, false]);
    expect([await opened.isAncestor(oids[0]!, tip), await opened.has(oids[0]!)]).toEqual([true, true]);
  });

  it('a commit by its id is found however old it is', async () => {
    const { repo, oids } = await make(4);
    const branches = kept(
      await openBranches({ address: parseAddress(repo), mirrorDir: folder(), credentials: nobody, native }),
    );
    expect(await resolveCommit(branches, oids[0])).toBe(oids[0]);
    const found: string[] = [];
    const names = [
      oids[1]!.slice(0, 12),
      'main~3',
      'HEAD^',
      `${oids[2]!.slice(0, 7)}~2^0`,
      'main~4',
      'mian',
      'abcdef0',
    ];
    for (const name of names) found.push(await resolveCommit(branches, name).catch((error: Error) => error.message));
    expect(found).toEqual([
      oids[1],
      oids[0],
      oids[2],
      expect.stringContaining('has no'),
      `${repo} has no main~4: ${oids[3]!.slice(0, 12)} has 3 ancestors`,
      `${repo} has no mian: did you mean main?`,
      `${repo} has no abcdef0: name a commit id, a tag, or a branch (main)`,
    ]);
  });

  it('status is committed on top of a history that was not fetched', async () => {
    const { repo, dir } = await make(1);
    const open = async () => kept(await openStatus({ repo, native }));
    for (const round of [1, 2, 3]) {
      const status = await open();
      const published = await status.publish(await status.read(), new Map([['a', `${round}\n`]]), `Round ${round}`);
      expect(published.kind).toBe('published');
    }
    expect(sh(dir, 'log', '--format=%s', 'fleet-status')).toBe('Round 3\nRound 2\nRound 1');
    expect(sh(dir, 'fsck', '--strict')).toBe('');
  });
});

describe.skipIf(!gitThere)('listing the branches of a server', () => {
  const prefixes = ['refs/heads/main', 'refs/heads/fleet-status', 'refs/heads/gitfleet/approve/'];

  async function world(old: boolean) {
    const dir = bare();
    for (const name of ['fleet-status', 'fleet-status-2', 'mainline', 'gitfleet/approve/x', 'gitfleet/other'])
      sh(dir, 'branch', name);
    const server = await serve(dir, old);
    const branches = kept(
      await openBranches({
        address: parseAddress(server.url('fleet.git')),
        mirrorDir: folder(),
        credentials: nobody,
      }),
    );
    return { dir, server, branches };
  }

  it.each([false, true])('finds exactly the named refs (old server: %j)', async (old) => {
    const { branches } = await world(old);
    expect([...(await branches.list(prefixes)).keys()].sort()).toEqual([
      'refs/heads/fleet-status',
      'refs/heads/gitfleet/approve/x',
      'refs/heads/main',
    ]);
    expect([...(await branches.list(['HEAD'])).keys()]).toEqual(['HEAD']);
    expect((await branches.list(['refs/heads/none'])).size).toBe(0);
  });

  it('costs one request for all of them', async () => {
    const { branches, server } = await world(false);
    await branches.list(prefixes);
    server.requests.length = 0;
    await branches.list(prefixes);
    await branches.list(prefixes);
    expect(server.requests).toEqual(['POST /fleet.git/git-upload-pack', 'POST /fleet.git/git-upload-pack']);
  });

  it('is not repeated while the response is recent, and is after a hint', async () => {
    const { branches, server, dir } = await world(false);
    let time = 0;
    const refs = refPoll(branches, { prefixes, maxAgeMs: 1_000, now: () => time });
    const main = 'refs/heads/main';
    const first = (await refs.list([main])).get(main);
    server.requests.length = 0;
    const tip = elsewhere(dir, { a: '1\n' });
    time = 999;
    expect((await refs.list([main])).get(main)).toBe(first);
    expect((await refs.list(['refs/heads/gitfleet/approve/'])).size).toBe(1);
    expect(server.requests).toEqual([]);
    refs.expire();
    expect((await refs.list([main])).get(main)).toBe(tip);
    refs.know(main, first);
    expect((await refs.list([main])).get(main)).toBe(first);
    refs.know(main, undefined);
    expect((await refs.list([main])).size).toBe(0);
    time = 1_999;
    expect((await refs.list([main])).get(main)).toBe(tip);
  });
});

import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planPullRequest } from '../../src/daemon/previews/plan-pull-request.ts';
import { parseAddress } from '../../src/git/address.ts';
import type { Branches } from '../../src/git/branches.ts';
import { openBranches } from '../../src/git/open-branches.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { folder, put, removeFolders } from '../support/folders.ts';
import { gitThere, nobody, sh } from '../support/git-repository.ts';
import { type GitServer, startGitServer } from '../support/http-backend-server.ts';
import { member, PaperFleet } from '../support/paper-fleet.ts';

const mebibyte = 1024 ** 2;
const root = folder();
const bare = join(root, 'fleet.git');
let server: GitServer;
const tips: Record<string, string> = {};

/** A branch that began at main, with a file of random bytes. */
function branch(work: string, name: string, bytes: number): void {
  sh(work, 'checkout', '-qb', name, 'main');
  put(work, { [`clusters/${name}.yaml`]: member(name) });
  writeFileSync(join(work, 'blob.bin'), randomBytes(bytes));
  sh(work, 'add', '-A');
  sh(work, 'commit', '-qm', name);
  tips[name] = sh(work, 'rev-parse', 'HEAD');
}

beforeAll(async () => {
  if (!gitThere) return;
  const work = folder();
  sh(work, 'init', '-q');
  sh(work, 'config', 'core.compression', '0');
  // The followed branch itself may be large.
  put(work, { 'clusters/eu-1.yaml': member('eu-1') });
  writeFileSync(join(work, 'large.bin'), randomBytes(3 * mebibyte));
  sh(work, 'add', '-A');
  sh(work, 'commit', '-qm', 'First');
  put(work, { 'clusters/eu-2.yaml': member('eu-2') });
  sh(work, 'add', '-A');
  sh(work, 'commit', '-qm', 'Second');
  tips['main'] = sh(work, 'rev-parse', 'HEAD');
  branch(work, 'small', 10);
  branch(work, 'other', 20);
  branch(work, 'large', 2 * mebibyte);
  branch(work, 'huge', 65 * mebibyte);
  sh('.', 'clone', '-q', '--bare', work, bare);
  sh(bare, 'config', 'core.compression', '0');
  server = await startGitServer(root);
}, 60_000);
afterAll(async () => {
  await server?.close();
  removeFolders();
});

const refOf = (name: string): string => `refs/heads/${name}`;
const tip = (name: string): string => tips[name]!;

describe.skipIf(!gitThere).each([
  ['HTTP with git', () => server.url('fleet.git'), true],
  ['HTTP without git', () => server.url('fleet.git'), false],
  ['git itself', () => pathToFileURL(bare).href, true],
])('by %s', (_, url, native) => {
  async function opened(): Promise<{ readonly branches: Branches; readonly mirror: string }> {
    const mirrorDir = folder();
    const address = parseAddress(url());
    const branches = await openBranches({ address, mirrorDir, credentials: nobody, native });
    await branches.obtain(refOf('main'), tip('main'));
    await branches.deepen(refOf('main'));
    return { branches, mirror: join(mirrorDir, 'repo.git') };
  }
  const bounds = () => ({ base: tip('main'), mostBytes: mebibyte });

  it('a pull request beyond its limit is refused, and the others are fetched', async () => {
    const { branches, mirror } = await opened();
    const refused = branches.obtain(refOf('large'), tip('large'), bounds());
    await expect(refused).rejects.toMatchObject({ code: 'too-large' });
    for (const name of ['small', 'other']) {
      await branches.obtain(refOf(name), tip(name), bounds());
      // With its history up to main.
      expect((await branches.objects.mergeBases(tip('main'), tip(name))).flat()).toContain(tip('main'));
      expect((await (await branches.objects.files(tip(name))).files()).map(({ path }) => path)).toContain('large.bin');
    }
    expect(readdirSync(join(mirror, 'objects/pack')).filter((name) => name.startsWith('tmp_'))).toEqual([]);
    await branches.close();
  });

  it('what was read of closed ones is forgotten', async () => {
    const { branches, mirror } = await opened();
    for (const name of ['small', 'other']) await branches.obtain(refOf(name), tip(name), bounds());
    await branches.keepOnly(new Set([refOf('main'), refOf('other')]));
    expect(sh(mirror, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
      'refs/gitfleet/refs/heads/main',
      'refs/gitfleet/refs/heads/other',
    ]);
    sh(mirror, 'gc', '-q', '--prune=now');
    expect(await branches.objects.has(tip('other'))).toBe(true);
    await branches.close();
  });

  it('a preview names one of more than 64 MiB, which is not tried again with the same commits', async () => {
    const { branches } = await opened();
    const paper = new PaperFleet({ 'clusters/eu-1.yaml': member('eu-1') });
    const planned = async (name: string) =>
      planPullRequest({
        pull: {
          number: 1,
          url: '',
          head: name,
          headCommit: tip(name),
          isFork: false,
          state: 'open',
          title: '',
          body: '',
        },
        forge: { kind: 'github', mostCharacters: 65_536 },
        branches,
        branch: 'main',
        input: { ...(await paper.input()), commit: tip('main') },
        statusBranch: 'fleet-status',
        load: (tree) => loadFleet(tree),
        pause: async () => {},
        stopwatch: () => 0,
      });
    const huge = await planned('huge');
    expect(huge.text.status).toEqual({ state: 'failure', description: 'too large to be fetched' });
    expect(huge.text.body).toContain('Its commits have more than 64 MiB that main does not have.');
    expect(huge.isTooCostly).toBe(true);
    expect((await planned('small')).text.status.state).toBe('success');
    await branches.close();
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { sh } from '../support/git-repository.ts';
import { type GitServer, startGitServer } from '../support/http-backend-server.ts';
import { deployment } from '../support/paper-fleet.ts';
import { cli } from '../support/run-cli.ts';
import { shop } from '../support/shop.ts';

const root = folder();
const bare = join(root, 'fleet.git');
let server: GitServer;

beforeAll(async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2') }, 'Bring web 2');
  await fleet.settle();
  sh('.', 'clone', '-q', '--bare', fleet.dir, bare);
  sh(bare, 'config', 'http.receivepack', 'true');
  server = await startGitServer(root, 'a token');
  vi.stubEnv('GITFLEET_GIT_TOKEN', 'a token');
  vi.stubEnv('XDG_CACHE_HOME', folder());
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  removeFolders();
});

const run = (...args: string[]) => cli(...args, '--repo', server.url('fleet.git'));

describe('commands on a repository behind smart HTTP', () => {
  it('get, one request for what is new, and one each for where the status and the followed branch are, of however many kinds', async () => {
    const ran = await run('get', 'placements', '-o', 'name');
    expect(ran).toEqual({ code: 0, out: 'placement/pay\nplacement/web\nplacement/web/settings\n', err: '' });
    for (const kinds of ['runs', 'all']) {
      const before = server.requests.length;
      await run('get', kinds);
      const asked = server.requests.slice(before).filter((request) => request.startsWith('POST'));
      expect(asked.length, kinds).toBeLessThanOrEqual(2);
    }
  });

  it('events, from the whole history although a first fetch brings one commit', async () => {
    const ran = await run('get', 'events', 'web', '-o', 'json');
    const { items } = JSON.parse(ran.out) as { items: { reason: string; count: number }[] };
    expect(items.find(({ reason }) => reason === 'PlacementRolloutCompleted')?.count).toBe(2);
  });

  it('trace', async () => {
    const ran = await run('trace', 'deploy/web', '--cluster', 'eu-1');
    expect(ran).toMatchObject({ code: 0, err: '', out: expect.stringContaining('"Bring web 2" (Ann, ') });
  });

  it('drain pushes a branch, suspend a commit', async () => {
    expect(await run('drain', 'eu-1')).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        '  git fetch origin && git checkout main && git merge origin/gitfleet/drain/eu-1 && git push origin main :gitfleet/drain/eu-1\n',
      ),
    });
    expect(sh(bare, 'diff', '--name-only', 'main', 'gitfleet/drain/eu-1')).toBe('clusters/eu-1.yaml');
    expect(await run('suspend', 'placement/web')).toMatchObject({ code: 0 });
    expect(sh(bare, 'log', '-1', '--format=%s', 'main')).toBe('Suspend placement web');
  });

  it('explains what to do where the branch is protected', async () => {
    const hook = '#!/bin/sh\nif [ "$1" = refs/heads/main ]; then echo "main is protected" >&2; exit 1; fi\n';
    writeFileSync(join(bare, 'hooks/update'), hook, { mode: 0o755 });
    const ran = await run('resume', 'placement/web');
    expect(ran).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringMatching(/main is protected.*; if main is protected, use --pull-request\n$/s),
    });
    expect(await run('resume', 'placement/web', '--pull-request')).toMatchObject({
      code: 0,
      out: expect.stringContaining('placement web is to be resumed: commit '),
    });
  });

  it('a wrong token ends with 3', async () => {
    vi.stubEnv('GITFLEET_GIT_TOKEN', 'another');
    expect(await run('get', 'placements')).toMatchObject({ code: 3, out: '' });
    vi.stubEnv('GITFLEET_GIT_TOKEN', 'a token');
  });
});

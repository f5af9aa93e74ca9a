import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { elsewhere, sh } from '../../support/git-repository.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

let origin: string;
let clone: string;
beforeEach(async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  origin = join(folder(), 'fleet.git');
  sh('.', 'clone', '-q', '--bare', fleet.dir, origin);
  clone = join(folder(), 'clone');
  sh('.', 'clone', '-q', origin, clone);
  sh(clone, 'config', 'user.name', 'Ann');
  sh(clone, 'config', 'user.email', 'ann@example.com');
});
afterEach(() => vi.unstubAllEnvs());
afterAll(removeFolders);

const run = (...args: string[]) => cli(...args, '--repo', clone);
const at = (repo: string, ref: string): string => sh(repo, 'rev-parse', ref);

describe('--push', () => {
  it.each([['suspend'], ['resume']])('%s: the origin has the commit', async (verb) => {
    if (verb === 'resume') await run('suspend', 'placement', 'web');
    const ran = await run(verb, 'placement', 'web', '--push');
    expect(ran.out).toMatch(
      /^placement web is \w+: commit [0-9a-f]{12} on main, pushed to origin\n {2}placements\/web.yaml\n$/,
    );
    expect(at(origin, 'main')).toBe(at(clone, 'main'));
    expect(sh(origin, 'log', '-1', '--format=%an')).toBe('Ann');
  });

  it('drain: the origin has the branch, which is to be merged; with --direct and uncordon it has the commits', async () => {
    const ran = await run('drain', 'dev-1', '--push');
    expect(ran.out.trimEnd().split('\n').slice(-2)).toEqual([
      'Nothing happens until it is merged into main:',
      `  git -C ${clone} merge gitfleet/drain/dev-1 && git -C ${clone} push origin main :gitfleet/drain/dev-1 && git -C ${clone} branch -d gitfleet/drain/dev-1`,
    ]);
    expect(at(origin, 'gitfleet/drain/dev-1')).toBe(at(clone, 'gitfleet/drain/dev-1'));
    for (const command of ['drain', 'uncordon']) {
      expect(await run(command, 'dev-1', '--direct', '--push')).toMatchObject({ code: 0 });
      expect(at(origin, 'main')).toBe(at(clone, 'main'));
    }
  });

  it('-o json says whether it was pushed', async () => {
    const { out } = await run('suspend', 'placement', 'web', '--push', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ branch: 'main', pushed: true });
  });

  it('commits nothing in a clone that is behind its origin, or that has none', async () => {
    elsewhere(origin, { 'README.md': 'Hello\n' });
    const before = at(clone, 'main');
    expect(await run('suspend', 'placement', 'web', '--push')).toEqual({
      code: 2,
      out: '',
      err: `gitfleet: --push: main of ${clone} is behind its origin: git pull, and run the command again\n`,
    });
    sh(clone, 'remote', 'remove', 'origin');
    expect(await run('suspend', 'placement', 'web', '--push')).toEqual({
      code: 2,
      out: '',
      err: `gitfleet: --push: ${clone} has no origin to push to: leave --push out\n`,
    });
    expect(at(clone, 'main')).toBe(before);
  });

  it('names the commit when the origin refuses it', async () => {
    sh(clone, 'config', 'remote.origin.pushurl', join(folder(), 'gone'));
    const ran = await run('suspend', 'placement', 'web', '--push');
    expect(ran).toMatchObject({ code: 3, out: '' });
    const commit = at(clone, 'main').slice(0, 12);
    expect(ran.err).toContain(`commit ${commit} is on main, but could not be pushed: `);
    // The change is there, and what is missing is the push.
    expect((await run('suspend', 'placement', 'web', '--push')).err).toContain(
      `commit ${commit} is on main, but could`,
    );
    expect((await run('suspend', 'placement', 'web')).out).toBe(
      `placement web is suspended already\nmain has earlier commits that origin does not have. If gitfleet run reads origin, push them:\n  git -C ${clone} push origin main\n`,
    );
    sh(clone, 'config', '--unset', 'remote.origin.pushurl');
    expect((await run('suspend', 'placement', 'web', '--push')).out).toBe(
      `placement web is suspended already: commit ${commit} on main, pushed to origin\n`,
    );
    expect(at(origin, 'main')).toBe(at(clone, 'main'));
    expect((await run('suspend', 'placement', 'web', '--push')).out).toBe('placement web is suspended already\n');
  });
});

describe('without an identity of git', () => {
  beforeEach(() => {
    const nowhere = {
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: '',
      GIT_AUTHOR_EMAIL: '',
    };
    for (const [name, value] of Object.entries(nowhere)) vi.stubEnv(name, value);
    for (const name of ['user.name', 'user.email']) sh(clone, 'config', '--unset', name);
  });

  it.each([
    ['suspend', 'placement', 'web'],
    ['suspend', 'run', 'pay-1'],
    ['drain', 'dev-1'],
  ])('%s %s %s is refused, with how to name one', async (...args) => {
    const before = sh(clone, 'for-each-ref');
    expect(await run(...args)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('git config --global user.name'),
    });
    expect(sh(clone, 'for-each-ref')).toBe(before);
    expect(await run(...args, '--git-author', 'Bo <bo@example.com>')).toMatchObject({ code: 0 });
  });
});

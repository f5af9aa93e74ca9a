import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { commit, sh } from '../support/git-repository.ts';
import { cli } from '../support/run-cli.ts';
import { shop } from '../support/shop.ts';

let fleet: FleetOnGit;
let clone: string;

/** A clone as people work in it, of a repo that a daemon elsewhere reads. */
function cloned(...flags: string[]): string {
  const dir = join(folder(), 'clone');
  sh('.', 'clone', '-q', ...flags, fleet.dir, dir);
  return dir;
}

beforeAll(async () => {
  fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  clone = cloned();
});
afterAll(removeFolders);

const placements = 'placement/pay\nplacement/web\nplacement/web/settings\n';
const run = (...args: string[]) => cli(...args, '--repo', clone);

describe('in a clone the status is that of the repository it was cloned from', () => {
  it('get reads it', async () => {
    expect(await run('get', 'placements', '-o', 'name')).toEqual({ code: 0, out: placements, err: '' });
  });

  it('plan uses it, without contacting a server', async () => {
    const ran = await run('plan');
    expect(ran).toEqual({ code: 0, err: '', out: expect.stringContaining('Plan: 0 to add, 0 to update, 0 to remove') });
  });

  it('run refuses to start without the record: it reports where that is and how to continue', async () => {
    const ran = await cli('run', '--members', join(clone, 'none'), '--repo', clone, '--once');
    expect(ran).toEqual({ code: 2, out: '', err: expect.stringContaining('branch fleet-status origin/fleet-status') });
  });

  it('a clone of one branch learns of the others', async () => {
    const ran = await cli('get', 'placements', '-o', 'name', '--repo', cloned('--single-branch'));
    expect(ran).toEqual({ code: 0, out: placements, err: '' });
  });

  it('a status published after the clone was made is read, also with an older local copy of the branch', async () => {
    const dir = cloned();
    sh(dir, 'branch', 'fleet-status', 'origin/fleet-status');
    fleet.commit({ 'clusters/eu-9.yaml': shop['clusters/eu-1.yaml']!.replaceAll('eu-1', 'eu-9') }, 'Add eu-9');
    await fleet.settle();
    const ran = await cli('wait', 'cluster/eu-9', '--for=Joined', '--commit', 'any', '--timeout', '0s', '--repo', dir);
    expect(ran).toEqual({ code: 0, out: 'cluster/eu-9 condition met\n', err: '' });
  });

  it('reports that origin does not respond, and shows the status of the last fetch', async () => {
    const dir = cloned();
    sh(dir, 'remote', 'set-url', 'origin', join(folder(), 'gone'));
    expect(await cli('get', 'placements', '-o', 'name', '--repo', dir)).toEqual({
      code: 0,
      out: placements,
      err: expect.stringMatching(/^note: origin does not respond, so this is as of the last git fetch: /),
    });
  });

  it('a status branch of its own that origin does not have is its own', async () => {
    const dir = cloned();
    sh(dir, 'checkout', '-q', '--detach', 'origin/fleet-status');
    const ahead = commit(dir, { 'README.md': 'ours' });
    sh(dir, 'checkout', '-q', 'main');
    sh(dir, 'branch', 'fleet-status', ahead);
    sh(dir, 'remote', 'set-url', 'origin', join(folder(), 'gone'));
    expect(await cli('get', 'placements', '-o', 'name', '--repo', dir)).toEqual({ code: 0, out: placements, err: '' });
  });
});

describe('the status of a daemon that moved from this clone to the origin', () => {
  /** A clone with a status branch that has no common history with that of its origin, which was never fetched. */
  function moved(): string {
    const dir = cloned('--single-branch');
    const date = { GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z' };
    for (const [name, value] of Object.entries(date)) vi.stubEnv(name, value);
    sh(dir, 'checkout', '-q', '--orphan', 'fleet-status');
    commit(dir, { 'README.md': 'as it was here' });
    sh(dir, 'checkout', '-q', 'main');
    vi.unstubAllEnvs();
    return dir;
  }

  it('is that of origin, which was written last, with a note', async () => {
    const dir = moved();
    expect(await cli('get', 'placements', '-o', 'name', '--repo', dir)).toEqual({
      code: 0,
      out: placements,
      err: `note: fleet-status here and fleet-status at origin have different histories: this is origin's, which was written last; git -C ${dir} branch -D fleet-status deletes the one here\n`,
    });
  });

  it('is the one here while that is written, with a note', async () => {
    const dir = moved();
    sh(dir, 'checkout', '-q', 'fleet-status');
    commit(dir, { 'summary.yaml': 'new: true\n' });
    sh(dir, 'checkout', '-q', 'main');
    const ran = await cli('get', 'placements', '-o', 'name', '--repo', dir);
    expect(ran).toMatchObject({
      out: '',
      err: expect.stringContaining('this is the one here, which was written last'),
    });
  });
});

describe('a commit that a command makes in a clone', () => {
  it('is to be pushed', async () => {
    const ran = await run('suspend', 'placement', 'web');
    expect(ran.out.trimEnd().split('\n').slice(-2)).toEqual([
      'If gitfleet run reads origin, the commit has no effect until it is pushed:',
      `  git -C ${clone} push origin main`,
    ]);
  });

  it('drain knows what is on the cluster, and its branch is to be pushed for a pull request, or merged and pushed', async () => {
    const ran = await run('drain', 'dev-1');
    expect(ran.err).toContain('note: pay ');
    expect(ran.out.trimEnd().split('\n').slice(-3)).toEqual([
      'Nothing happens until it is merged into main; push it for a pull request, or merge it by hand:',
      `  git -C ${clone} push -u origin gitfleet/drain/dev-1`,
      `  git -C ${clone} merge gitfleet/drain/dev-1 && git -C ${clone} push origin main && git -C ${clone} branch -d gitfleet/drain/dev-1`,
    ]);
  });

  it('the branch of a pull request is to be pushed before the page of the forge can show it', async () => {
    const dir = cloned();
    sh(dir, 'remote', 'set-url', 'origin', 'git@github.com:acme/fleet.git');
    const suspended = await cli('suspend', 'placement', 'web', '--pull-request', '--repo', dir);
    expect(suspended.out.trimEnd().split('\n').slice(-4, -1)).toEqual([
      'Nothing happens until it is merged into main; push it for a pull request and open that here, or merge it by hand:',
      `  git -C ${dir} push -u origin gitfleet/suspend/web`,
      '  https://github.com/acme/fleet/compare/main...gitfleet%2Fsuspend%2Fweb?expand=1',
    ]);
  });
});

describe('wait before the first pass', () => {
  it('waits for it, and reports that it does', async () => {
    const dir = folder();
    sh(dir, 'init', '-q');
    commit(dir, shop);
    expect(await cli('wait', 'placements', '--for=Available', '--timeout', '0s', '--repo', dir)).toEqual({
      code: 1,
      out: '',
      err: [
        `note: ${dir} has no branch fleet-status yet: gitfleet run creates it`,
        'gitfleet: timed out after 0s, still missing:',
        '  a first status',
        '',
      ].join('\n'),
    });
  });
});

import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { sh } from '../../support/git-repository.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

let fleet: FleetOnGit;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  fleet = await FleetOnGit.open(shop);
  await fleet.settle();
});
afterEach(() => void vi.useRealTimers());
afterAll(removeFolders);

/** The same is noted by every command that shows the status; this is what the note says, without the ids of commits. */
async function noted(repo = fleet.dir): Promise<string> {
  vi.setSystemTime(fleet.paper.now);
  const commands = [
    ['get', 'placements'],
    ['get', 'placements,runs', '-o', 'json'],
    ['describe', 'placement', 'web'],
    ['describe', 'run/pay-1', '-o', 'yaml'],
  ];
  const notes = [];
  for (const command of commands) notes.push((await cli(...command, '--repo', repo)).err);
  expect(new Set(notes).size).toBe(1);
  return notes[0]!.replace(/\b[0-9a-f]{12}\b/g, '…');
}

const note = (ago: string, written: string): string =>
  `note: main is at …, committed ${ago} ago, and the status is of …, written ${written} ago: unless that was pushed just now, see whether gitfleet run is running\n`;

describe('a status that does not speak of the tip of the followed branch is noted', () => {
  it('once the commit is a minute old, with its age and that of the status', async () => {
    fleet.paper.pass(3600);
    expect(await noted()).toBe('');
    const written = Number(fleet.git('log', '-1', '--format=%ct', 'fleet-status')) * 1000;
    fleet.commit({ 'README.md': 'Hello\n' }, 'Say hello');
    fleet.paper.pass(59);
    expect(await noted()).toBe('');
    fleet.paper.pass(241);
    expect(fleet.paper.now - written).toBeGreaterThan(3_900_000);
    expect(await noted()).toMatch(new RegExp(`^${note('5m', '6[5-9]m')}$`));
    await fleet.pass();
    expect(await noted()).toBe('');
  });

  it('and so is a plan that is refused, with why', async () => {
    const names = ['placements/web.yaml', 'placements/pay.yaml', 'placements/settings.yaml', 'rollouts/pay-1.yaml'];
    fleet.commit(Object.fromEntries(names.map((path) => [path, '# nothing'])), 'Remove everything');
    await fleet.pass({ refused: true });
    expect(await noted()).toMatch(
      /^note: the plan of … is refused, and this status stays in effect: .*all placements were removed/,
    );
  });

  it('in a clone only where the commit was pushed', async () => {
    const clone = join(folder(), 'clone');
    sh('.', 'clone', '-q', fleet.dir, clone);
    fleet.paper.pass(600);
    const { now } = fleet.paper;
    const date = new Date(now - 300_000).toISOString();
    vi.stubEnv('GIT_COMMITTER_DATE', date);
    sh(
      clone,
      '-c',
      'user.name=Ann',
      '-c',
      'user.email=ann@example.com',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'Hello',
    );
    vi.unstubAllEnvs();
    expect(await noted(clone)).toBe('');
    sh(clone, 'push', '-q', 'origin', 'main:next');
    fleet.git('merge', '-q', '--ff-only', 'next');
    expect(await noted(clone)).toContain('note: main is at …, committed 5m ago, and the status is of …, written ');
  });

  it('of other branches nothing is', async () => {
    fleet.git('branch', 'next');
    fleet.git('checkout', '-q', 'next');
    fleet.commit({ 'README.md': 'Hello\n' }, 'Say hello');
    fleet.paper.pass(600);
    expect(await noted()).toBe('');
  });
});

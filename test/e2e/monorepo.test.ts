import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../support/folders.ts';
import { gitThere, sh } from '../support/git-repository.ts';
import { endAll, fleetRepo, Gitfleet, recorded, startClusters, startDaemon, until } from './processes.ts';
import { bound, gate, staged } from './staged-fleet.ts';

afterEach(endAll);
afterAll(removeFolders);

const exitOf = async (...args: string[]): Promise<readonly [code: number | null, output: string]> => {
  const one = new Gitfleet(args);
  await until(`${args[0]} ends`, () => one.child.exitCode !== null);
  return [one.child.exitCode, one.output];
};

describe.skipIf(!gitThere)('a fleet in a folder of a repo of other things', () => {
  it('is rolled out, asks for approval, and takes the approval, all in its folder', async () => {
    const inFolder = Object.entries(staged).map(([path, text]) => [`apps/fleet/${path}`, text]);
    // Another program's files: of the fleet, they would be mistakes.
    const others = {
      'fleet.yaml': 'kind: FleetConfig',
      'resources/a.yaml': 'a: [',
      'apps/fleet/.gitfleetignore': '/old/\n',
    };
    const old = { 'apps/fleet/old/b.yaml': 'b: [' };
    const { bare, person } = fleetRepo({ ...Object.fromEntries(inFolder), ...others, ...old });
    const path = ['--path', 'apps/fleet'];
    const daemon = startDaemon(bare, await startClusters('a', 'b'), {}, path);
    await until('the branch of the gate is there', () => sh(bare, 'branch', '--list', gate) !== '');
    expect(sh(bare, 'diff', '--name-only', `main...${gate}`)).toBe('apps/fleet/approvals/web-1-after-dev.yaml');
    expect(recorded(bare, 'problems.yaml')).toBe('');
    const [code, output] = await exitOf(
      'approve',
      'web-1-after-dev',
      '--repo',
      bare,
      ...path,
      '--git-author',
      'Ann <a@b.c>',
    );
    expect([code, output]).toEqual([0, expect.stringContaining('web-1-after-dev is approved')]);
    await until('stage two is done', () => bound(bare).join() === 'a,b');
    await daemon.end('SIGTERM');
    expect(await exitOf('validate', person, ...path)).toEqual([0, expect.stringContaining('0 errors')]);
    expect(await exitOf('plan', '--repo', bare, ...path)).toEqual([0, expect.any(String)]);
    expect(await exitOf('run', '--once', '--repo', bare, '--path', '../fleet')).toEqual([
      2,
      expect.stringContaining('leads out of the repo'),
    ]);
    expect(await exitOf('plan', '--repo', bare, '--path', 'apps/flet')).toEqual([
      3,
      expect.stringContaining('has no folder apps/flet/'),
    ]);
  }, 600_000);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';

const start = { startDay: 'Monday', startTime: '06:00', utcOffset: '+00:00' };
const spec = {
  strategy: {
    stages: [
      {
        name: 'one',
        beforeGates: [{ type: 'ScheduledStart', scheduledStartConfiguration: start }],
        groups: [{ name: 'eu' }],
      },
    ],
  },
};

let fleet: FleetOnGit;
beforeAll(async () => {
  fleet = await FleetOnGit.open({
    ...upgradeMember('eu-1', { 'gitfleet.dev/update-group': 'eu' }),
    ...upgradeRun(spec),
  });
  await fleet.pass();
});
afterAll(removeFolders);

const run = (...args: string[]) => cli(...args, '--repo', fleet.dir);
const stateOf = (): string => fleet.git('show', 'fleet-status:upgrades/k8s.yaml');

describe('a cluster update run', () => {
  it('is stopped and started by a commit', async () => {
    const file = Object.keys(upgradeRun(spec))[0]!;
    const text = () => readFileSync(join(fleet.dir, file), 'utf8');
    expect(await run('suspend', 'upgrade/k8s')).toMatchObject({
      code: 0,
      out: expect.stringContaining('upgrade k8s is suspended: commit'),
      err: 'note: clusters whose upgrade has started are finished\n',
    });
    expect(text()).toContain('Stopped');
    expect(await run('suspend', 'upgrade', 'k8s')).toMatchObject({ out: 'upgrade k8s is suspended already\n' });
    expect((await run('resume', 'upgrade', 'k8s')).out).toContain('upgrade k8s is resumed: commit');
    expect(text()).toContain('Started');
    fleet.look();
    await fleet.pass();
  });

  it('is found by the name of another kind', async () => {
    for (const command of [
      ['suspend', 'run'],
      ['describe', 'run'],
      ['get', 'runs'],
      ['wait', 'run', '--for=Succeeded', '--timeout', '0s'],
    ])
      expect((await run(...command.slice(0, 2), 'k8s', ...command.slice(2))).err).toBe(
        'gitfleet: there is no run k8s: did you mean upgrade/k8s?\n',
      );
    expect((await run('describe', 'updaterun/k8s')).out).toContain('Kind:      UpdateRun');
    expect((await run('get', 'gates', '-o', 'name')).out).toContain('k8s-before-one');
  });

  it('has a scheduled start, which a command opens before its time', async () => {
    const { out } = await run('describe', 'gate', 'k8s-before-one');
    expect(out).toContain('Opens:   2026-11-23T06:00:00Z, by itself');
    expect(out).toContain('How to open it before:\n  gitfleet approve k8s-before-one\n');
    expect(await run('approve', 'k8s-before-one')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^k8s-before-one is opened before its time: commit [0-9a-f]{12} on main\n/),
    });
    fleet.look();
    await fleet.pass();
    expect(stateOf()).toContain('completedTime: 2026-11-20T10:00:20Z');
    expect((await run('describe', 'gate', 'k8s-before-one')).out).toMatch(/State: +Completed\nReview/);
  });
});

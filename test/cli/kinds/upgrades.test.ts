import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

describe('a cluster update run', () => {
  let dir = '';
  beforeAll(async () => {
    const fleet = await FleetOnGit.open({
      ...upgradeMember('eu-1', { 'gitfleet.dev/update-group': 'eu' }),
      ...upgradeMember('eu-2', { 'gitfleet.dev/update-group': 'eu' }),
      ...upgradeMember('us-1', { 'gitfleet.dev/update-group': 'us' }),
      ...upgradeRun({
        strategy: {
          stages: [
            { name: 'one', groups: [{ name: 'eu' }] },
            { name: 'two', beforeGates: [{ displayName: 'go west', type: 'Approval' }], groups: [{ name: 'us' }] },
          ],
        },
      }),
    });
    const runs = (version: string) => ({
      versions: { controlPlane: version, pools: [{ name: 'np1', kubernetes: version }] },
    });
    for (const name of ['eu-1', 'eu-2', 'us-1']) fleet.paper.versions.set(name, runs('v1.30.9'));
    await fleet.pass();
    fleet.paper.versions.set('eu-1', runs('v1.31.5'));
    await fleet.pass();
    dir = fleet.dir;
    upgraded = async () => {
      fleet.paper.versions.set('eu-2', runs('v1.31.5'));
      await fleet.pass();
    };
  });
  let upgraded: () => Promise<void>;

  it('is listed, described and asked for', async () => {
    const now = ['--repo', dir];
    const listed = await cli('get', 'upgrades', '-o', 'wide', ...now);
    expect(listed.out.split('\n')[0]!.split(/ {2,}/)).toEqual([
      'NAME',
      'TYPE',
      'TARGET',
      'STATE',
      'STAGE',
      'DONE',
      'FAILED',
      'IN-FLIGHT',
      'PENDING',
      'NEXT',
      'WAITS-FOR',
      'AGE',
    ]);
    expect(listed.out.split('\n')[1]!.split(/ {2,}/).slice(0, 10)).toEqual([
      'k8s',
      'Full',
      '1.31.5',
      'Running',
      'one',
      '1/3',
      '0',
      'eu-2',
      '0',
      'two',
    ]);
    await upgraded();
    const described = await cli('describe', 'upgrade', 'k8s', ...now);
    expect(described.out).toContain('State:     Pending');
    expect(described.out).toMatch(/eu-1 +Completed/);
    expect(described.out).toContain(
      'approval k8s-before-two since 2026-11-20T10:00:20Z: merge branch gitfleet/approve/k8s-before-two',
    );
    expect(described.out).toContain('v1.30.9 → v1.31.5');
    expect(described.out).toContain('before it: Approval "go west": Pending');
    expect(described.out).toContain('git merge gitfleet/approve/k8s-before-two');
    const asked = await cli('get', 'approvals', ...now);
    expect(asked.out).toMatch(/k8s-before-two +k8s +two/);
    const page = await cli('describe', 'approval', 'k8s-before-two', ...now);
    expect(page.out).toContain('Gate:    before stage two');
  });
});

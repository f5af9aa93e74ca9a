import { afterAll, beforeAll, expect, it } from 'vitest';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { put, removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';

let fleet: FleetOnGit;
afterAll(removeFolders);
beforeAll(async () => {
  fleet = await FleetOnGit.open({ ...upgradeMember('eu-1'), ...upgradeMember('us-1') });
  await fleet.pass();
  fleet.git('checkout', '-q', '-b', 'my-branch');
  put(fleet.dir, upgradeRun({}));
  fleet.git('add', 'upgrades');
  fleet.git('commit', '-q', '-m', 'Upgrade to 1.31.5');
});

const run = (command: string, ...flags: string[]) =>
  cli(command, '--repo', fleet.dir, '--ref', 'my-branch', '--now', '2026-11-20T11:00:00Z', ...flags);

it('a preview lists the upgrades that a branch adds, and exits with 1', async () => {
  const { out, code } = await run('plan', '--base', 'main');
  expect([code, out.split('\n')[0]]).toEqual([1, 'no object changes · 1 cluster update run for 2 of 2 clusters']);
  expect(out).toMatch(/\nCluster upgrades:\n {2}k8s: \w+, 0 of 2 clusters done/);
  expect((await run('plan', '--base', 'main', '-o', 'markdown')).out).toMatch(
    /\n\*\*Cluster upgrades\*\*\n- k8s: \w+, 0 of 2 clusters done/,
  );
});
it('a preview of a branch without new upgrades has none', async () => {
  const { out, code } = await run('plan', '--base', 'my-branch');
  expect([code, out.split('\n')[0]]).toEqual([0, 'no change on any cluster']);
});
it('a plan in Markdown lists them as well', async () => {
  const { out } = await run('plan', '-o', 'markdown');
  expect(out).toContain('Cluster upgrades');
  expect(out).toContain('**k8s**: ');
});
it('a forecast does not call a fleet done whose upgrades are not', async () => {
  const { out } = await run('forecast');
  expect(out.split('\n')[0]).toMatch(
    /^No placement changes any cluster\. Cluster upgrades are not simulated: k8s \(\w+, 0 of 2 clusters done/,
  );
});

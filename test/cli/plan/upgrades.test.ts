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
  expect(out).toContain(`
Cluster upgrades:
  k8s (Full to 1.31.5): done at 2026-11-20 12:00 UTC
  k8s, stage default: eu-1 → v1.31.5, 2026-11-20 11:00 UTC to 2026-11-20 11:30 UTC
  k8s, stage default: us-1 → v1.31.5, 2026-11-20 11:30 UTC to 2026-11-20 12:00 UTC
`);
  expect((await run('plan', '--base', 'main', '-o', 'markdown')).out).toContain(
    '\n**Cluster upgrades**\n- k8s (Full to 1.31.5): done at 2026-11-20 12:00 UTC\n- k8s, stage default: eu-1 → v1.31.5',
  );
});
it('a preview of a branch without new upgrades has none', async () => {
  const { out, code } = await run('plan', '--base', 'my-branch');
  expect([code, out.split('\n')[0]]).toEqual([0, 'no change on any cluster']);
});
it('a plan in Markdown lists them as well', async () => {
  const { out } = await run('plan', '-o', 'markdown');
  expect(out.split('\n')[1]).toBe('### gitfleet plan: 0 to remove, 0 to update, 0 to add, 1 cluster upgrading');
  expect(out).toContain('Cluster upgrades');
  expect(out).toContain('**k8s**: ');
});
it('a forecast lists them with their times', async () => {
  const { out } = await run('forecast');
  expect(out.split('\n')[0]).toBe('Everything is done at 2026-11-20 12:00 UTC.');
  expect(out).toContain(
    '2026-11-20 11:00 UTC   2026-11-20 11:30 UTC   upgrade   k8s       default   eu-1      → v1.31.5\n',
  );
  expect(out).toContain('upgraded after 30m');
});

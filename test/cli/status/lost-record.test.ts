import { afterAll, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

afterAll(removeFolders);

it('update runs that are held since the record was lost are shown as held, wherever they are listed', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  fleet.git('update-ref', '-d', 'refs/heads/fleet-status');
  fleet.paper.record = new Map();
  fleet.paper.restart();
  await fleet.settle();
  const { out } = await cli('get', 'placements', 'pay', '--repo', fleet.dir);
  expect(out).toContain('pay-1: not started: RecordLost');
  expect((await cli('get', 'runs', '--repo', fleet.dir)).err).toBe(
    'note: Not started: 1 of 1, held by RecordLost (gitfleet describe run NAME)\n',
  );
  expect((await cli('get', 'runs', '-o', 'wide', '--repo', fleet.dir)).out).toMatch(/ not started: RecordLost\n/);
  expect((await cli('describe', 'run', 'pay-1', '--repo', fleet.dir)).out).toMatch(/State: +not started: RecordLost\n/);
  expect(fleet.git('show', 'fleet-status:README.md')).toMatch(/\| \[pay-1\]\(.*\| not started: RecordLost \|/);
});

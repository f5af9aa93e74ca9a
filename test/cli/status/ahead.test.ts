import { afterAll, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

afterAll(removeFolders);

it('a fleet whose clock is ahead of ours, as that of a demo, has ages by its own clock', async () => {
  const fleet = await FleetOnGit.open(shop);
  fleet.paper.pass(50 * 365 * 86_400);
  await fleet.settle();
  fleet.paper.pass(3_600);
  fleet.commit({ 'placements/late.yaml': shop['placements/web.yaml']!.replaceAll('name: web', 'name: late') }, 'Late');
  await fleet.pass();
  const { out } = await cli('get', 'placements', '--repo', fleet.dir);
  const ages = Object.fromEntries(
    out
      .split('\n')
      .map((line) => line.split(/ {2,}/))
      .map((cells) => [cells[1], cells.at(-1)]),
  );
  expect(ages).toMatchObject({ late: '0s', web: '60m' });
});

it('the bare name of a placement of a namespace lists what belongs to it', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  for (const name of ['settings', 'web/settings'])
    for (const kind of ['bindings', 'snapshots']) {
      const { out } = await cli('get', kind, name, '-o', 'name', '--repo', fleet.dir);
      const of = kind === 'bindings' ? ['dev-1', 'eu-1', 'us-1'] : ['0-snapshot'];
      expect(out.trim().split('\n')).toEqual(of.map((end) => `${kind.slice(0, -1)}/web/settings-${end}`));
    }
});

import { afterAll, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

afterAll(removeFolders);

it('a .gitfleetignore that drops the fleet is refused as a commit that deletes its files', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  fleet.commit({ '.gitfleetignore': '/placements/\n' }, 'Ignore the placements');
  const ignored = await cli('plan', '--repo', fleet.dir, '--now', '2026-11-20T10:00:00Z');
  fleet.git('rm', '-q', '-r', '.gitfleetignore', 'placements');
  fleet.git('commit', '-qm', 'Remove the placements');
  const removed = await cli('plan', '--repo', fleet.dir, '--now', '2026-11-20T10:00:00Z');
  expect([ignored.code, removed.code]).toEqual([4, 4]);
  const withoutCommit = ({ out }: typeof removed) => out.replace(/Commit [0-9a-f]{12}/, '');
  expect(withoutCommit(ignored)).toBe(withoutCommit(removed));
});

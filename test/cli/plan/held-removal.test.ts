import { afterAll, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { put, removeFolders } from '../../support/folders.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

it('a removal that a cluster holds is known from the status branch, and so is what its approval allows', async () => {
  const fleet = await FleetOnGit.open({
    'clusters/ams.yaml': member('ams'),
    'web.yaml': placement('web', '{placementType: PickAll}'),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'tools.yaml': placement('tools', '{placementType: PickAll}'),
    'resources/tools.yaml': deployment('tools', 'tools', 'tools:1'),
  });
  await fleet.settle();
  fleet.paper.settled.add('ams/web');
  fleet.commit({ 'web.yaml': '# removed\n' }, 'Remove web');
  await fleet.settle();
  const run = (...args: string[]) => cli(...args, '--repo', fleet.dir, '--now', '2026-11-20T11:00:00Z');
  const held = 'ContainsForeignObjects';
  expect((await run('plan')).out).toContain(`\nHeld:\n  web · ams ${held}: `);
  expect((await run('forecast', '--approve-after', 'never')).out).toContain('\nRefused: web: ');
  const [hold] = (await fleet.pass()).holds;
  expect(hold).toMatchObject({ reason: held });
  fleet.git('checkout', '-q', '-b', 'approved');
  const [name, removalDigest] = ['removal-1', hold!.removalDigest];
  put(fleet.dir, {
    'approvals/removal-1.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: ${name}}\nspec: {removalDigest: "${removalDigest}"}\n`,
  });
  fleet.git('add', '-A', 'approvals');
  fleet.git('commit', '-q', '-m', 'Approve it');
  const { out } = await run('plan', '--base', 'main', '--ref', 'approved');
  expect(out).toMatch(/^approves removal-1: removes what is held on ams\n/);
  expect(out).toContain(`removal-1: removes what is held now: web · ams: ${hold!.message}`);
  expect((await run('plan', '--ref', 'approved')).out).not.toContain(held);
});

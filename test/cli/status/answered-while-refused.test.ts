import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

afterAll(removeFolders);

const name = 'pay-1-after-dev';
const config = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: 0}}\n';
const given = 'given on the followed branch already; it counts once the guard does not refuse the plan any more';

it('an approval that is given while plans are refused is shown as given', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  const said = async (kind: string, of: string) => (await cli('describe', kind, of, '--repo', fleet.dir)).out;
  const summary = () => parse(fleet.git('show', 'fleet-status:summary.yaml')) as Record<string, object>;
  const file = fleet.git('show', `fleet-status:approvals/${name}.yaml`);
  fleet.commit({ 'fleet.yaml': config, 'placements/web.yaml': '# nothing' }, 'Remove more than may go');
  await fleet.pass({ refused: true });
  expect(await said('approval', name)).toContain('How to approve or reject:');
  expect(summary()['answered']).toBeUndefined();

  const approved = parse(file) as { status?: object };
  approved.status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Approved' }] };
  fleet.commit({ [`approvals/${name}.yaml`]: JSON.stringify(approved) }, 'Approve');
  await fleet.pass({ refused: true });
  const page = await said('approval', name);
  expect(page).toContain(`Decision:   ${given}; nothing continues and no decision counts while the guard refuses`);
  expect(page).not.toMatch(/How to approve|Approval starts|On the clusters/);
  expect(await said('run', 'pay-1')).toMatch(new RegExp(`approval of ${name}, since \\S+: ${given}\n`));
  expect(summary()['answered']).toEqual([name]);
  const readme = fleet.git('show', 'fleet-status:README.md');
  expect(readme).toContain(`answered already, which counts once no plan is refused: ${name}`);
  expect(readme).not.toContain('Waiting for approval');
});

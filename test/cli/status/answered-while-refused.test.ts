import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

afterAll(removeFolders);

const name = 'pay-1-after-dev';
const config = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: 0}}\n';
const already = 'on the followed branch already; that counts once the guard does not refuse the plan any more';

it.each(['approved', 'rejected'])('a request that is %s while plans are refused is shown so', async (answer) => {
  const given = `${answer} ${already}`;
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  const said = async (kind: string, of: string) => (await cli('describe', kind, of, '--repo', fleet.dir)).out;
  const summary = () => parse(fleet.git('show', 'fleet-status:summary.yaml')) as Record<string, object>;
  const file = fleet.git('show', `fleet-status:approvals/${name}.yaml`);
  fleet.commit({ 'fleet.yaml': config, 'placements/web.yaml': '# nothing' }, 'Remove more than may go');
  await fleet.pass({ refused: true });
  const removal = (summary()['removals'] as unknown as { name: string }[])[0]!.name;
  const way = `to let that happen: gitfleet approve ${removal}\n`;
  expect(await said('approval', name)).toContain(way);
  expect(await said('run', 'pay-1')).toContain(way);
  expect(await said('approval', name)).toContain('How to approve or reject:');
  expect(summary()['answered']).toBeUndefined();

  const answered = parse(file) as { status?: object };
  const status = answer === 'approved' ? 'True' : 'False';
  answered.status = { conditions: [{ type: 'Approved', status, reason: 'Reviewed' }] };
  fleet.commit({ [`approvals/${name}.yaml`]: JSON.stringify(answered) }, 'Answer');
  await fleet.pass({ refused: true });
  const page = await said('approval', name);
  expect(page).toContain(`Decision:   ${given}; nothing continues and no decision counts while the guard refuses`);
  expect(page).not.toMatch(/How to approve|Approval starts|On the clusters/);
  expect(await said('run', 'pay-1')).toMatch(new RegExp(`approval of ${name}, since \\S+: ${given}\n`));
  expect(await said('placement', 'pay')).toContain(`approval of ${name}`);
  expect(await said('placement', 'pay')).toContain(given);
  expect(summary()['answered']).toEqual([{ approval: name, answer }]);
  expect(await said('placement', 'pay')).toContain(way);
  const refused = await said('approval', removal);
  expect(refused).toContain(`These answers count then: ${name} (${answer}).`);
  expect(refused).toMatch(/ {2}reject: {3}revert the commit that removes them\n/);
  const readme = fleet.git('show', 'fleet-status:README.md');
  expect(readme).toContain(`**${name}**: ${answer} already, which counts once no plan is refused any more`);
  expect(readme).not.toContain('Waiting for approval');

  fleet.commit({ 'rollouts/pay-1.yaml': '# nothing' }, 'Withdraw the run');
  await fleet.pass({ refused: true });
  expect(summary()['answered']).toBeUndefined();
});

it('a gate of a cluster update run that is approved while plans are refused is shown so', async () => {
  const gate = 'k8s-before-two';
  const fleet = await FleetOnGit.open({
    ...shop,
    ...upgradeMember('us-2', { 'gitfleet.dev/update-group': 'us' }),
    ...upgradeRun({
      strategy: { stages: [{ name: 'two', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'us' }] }] },
    }),
  });
  const versions = { controlPlane: 'v1.30.9', pools: [{ name: 'np1', kubernetes: 'v1.30.9' }] };
  fleet.paper.versions.set('us-2', { versions });
  await fleet.settle();
  const said = async (kind: string, of: string) => (await cli('describe', kind, of, '--repo', fleet.dir)).out;
  const file = fleet.git('show', `fleet-status:approvals/${gate}.yaml`);
  expect(await said('approval', gate)).toContain('How to approve or reject:');
  const approved = file.replace(/status:\s+state: Pending/, '').replace('spec:', 'spec:\n  state: Completed');
  const removing = { 'fleet.yaml': config, 'placements/web.yaml': '# nothing' };
  fleet.commit({ ...removing, [`approvals/${gate}.yaml`]: approved }, 'Approve it, and remove more than may go');
  await fleet.pass({ refused: true });
  const page = await said('approval', gate);
  expect(page).toContain(`Decision:  approved ${already}\n`);
  expect(page).toContain('Refused:   nothing continues and no decision counts while the guard refuses the plan');
  expect(page).not.toContain('How to approve');
  expect(await said('upgrade', 'k8s')).toMatch(new RegExp(`approval ${gate} since \\S+: approved ${already}`));
});

it('an approval that counted before is not among them', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  const approved = parse(fleet.git('show', `fleet-status:approvals/${name}.yaml`)) as { status?: object };
  approved.status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Reviewed' }] };
  fleet.commit({ [`approvals/${name}.yaml`]: JSON.stringify(approved) }, 'Approve');
  await fleet.settle();
  fleet.commit({ 'fleet.yaml': config, 'placements/web.yaml': '# nothing' }, 'Remove more than may go');
  const { approvals } = await fleet.pass({ refused: true });
  expect(approvals.map(({ answer }) => answer)).toEqual(['approved']);
  expect(fleet.git('show', 'fleet-status:summary.yaml')).not.toContain('answered:');
});

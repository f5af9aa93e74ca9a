import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { folder, put, removeFolders } from '../../support/folders.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';

const roomy =
  '{placementType: PickN, numberOfClusters: 1, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{propertySelector: {matchExpressions: [{name: resources.kubernetes-fleet.io/available-cpu, operator: Ge, values: ["4"]}]}}]}}}}';
const withStatus = (name: string, cpu: string): string =>
  `${member(name)}status:\n  resourceUsage: {available: {cpu: "${cpu}"}}\n`;

let fleet: FleetOnGit;
afterAll(removeFolders);
beforeAll(async () => {
  fleet = await FleetOnGit.open({
    'clusters/eu-1.yaml': withStatus('eu-1', '16'),
    'clusters/us-1.yaml': member('us-1'),
  });
  await fleet.settle();
  // The files of most fleets have no status: only the status branch has it.
  fleet.commit({ 'clusters/eu-1.yaml': member('eu-1') }, 'Leave the status to the daemon');
  fleet.git('checkout', '-q', '-b', 'my-branch');
  put(fleet.dir, { 'web.yaml': placement('web', roomy), 'resources/web.yaml': deployment('web', 'web', 'web:1') });
  fleet.git('add', 'web.yaml', 'resources');
  fleet.git('commit', '-q', '-m', 'Add web');
});

const run = (command: string, ...flags: string[]) =>
  cli(command, '--repo', fleet.dir, '--ref', 'my-branch', '--now', '2026-11-20T11:00:00Z', ...flags);

it('plan --base uses the properties that the status branch recorded', async () => {
  const { out, code } = await run('plan', '--base', 'main');
  expect([code, out.split('\n')[0]]).toEqual([1, 'adds 2 objects · 1 of 2 clusters']);
  expect((await run('plan', '--base', 'main', '-o', 'markdown')).out).toContain(
    '\n| web | - | - | 2 | 1 | eu-1 | - |\n',
  );
});
it('so does forecast', async () => {
  expect((await run('forecast')).out).toMatch(/ add +web +all +eu-1\n/);
});
it('so does diff', async () => {
  expect((await run('diff')).out).toContain('web: Deployment web/web on eu-1\n');
});
it('so does plan', async () => {
  expect((await run('plan')).out).toMatch(/\nadd +web +eu-1 /);
});
it('plan keeps the recorded status in the record that it writes', async () => {
  const out = folder();
  await run('plan', '--out-recorded', out);
  expect(readFileSync(join(out, 'clusters/eu-1.yaml'), 'utf8')).toContain('cpu: "16"');
});
it('plan says whose status is the recorded one where clusters are missing', async () => {
  put(fleet.dir, { 'web.yaml': placement('web', roomy.replace('["4"]', '["40"]')) });
  const { out } = await cli('plan', '--repo', fleet.dir, '--worktree', '--now', '2026-11-20T11:00:00Z');
  expect(out).toContain(
    '\nNote: CPU, memory, cost and version of 2 clusters are those that the status branch recorded last.\n',
  );
});
it('begins no earlier than the status was made, as in a demo whose time runs ahead', async () => {
  const message = 'web: done\n\nFleet-Time: 2999-01-01T10:00:00.000Z';
  const tip = fleet.git('commit-tree', 'fleet-status^{tree}', '-p', 'fleet-status', '-m', message).trim();
  fleet.git('update-ref', 'refs/heads/fleet-status', tip);
  const { out } = await cli('forecast', '--repo', fleet.dir, '--ref', 'my-branch', '-o', 'json');
  expect(JSON.parse(out).from).toBe('2999-01-01T10:00:00Z');
});

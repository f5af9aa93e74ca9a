import { afterAll, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { deployment } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

afterAll(removeFolders);

const open = async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  return fleet;
};
const diff = async (fleet: FleetOnGit, ...args: string[]) => {
  const { out, err } = await cli('diff', '--repo', fleet.dir, '--now', '2026-11-20T10:00:00Z', ...args);
  return { diffs: out.split('\n').filter((line) => /^\S+: /.test(line)), notes: err };
};

it('names the placements of which nothing changes now, and why', async () => {
  const fleet = await open();
  await cli('suspend', 'placement', 'web', '--repo', fleet.dir, '--reason', 'incident 42');
  fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2') }, 'web 2');
  expect(await diff(fleet)).toMatchInlineSnapshot(`
    {
      "diffs": [],
      "notes": "note: pay on us-1 is not updated now: waiting for its turn in stage prod of update run pay-1
    note: web on eu-1, us-1 is not updated now: is updated once the annotation gitfleet.dev/suspended (incident 42) of web is removed
    ",
    }
  `);
});

it('names the clusters that wait for others, and those only', async () => {
  const fleet = await open();
  fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2') }, 'web 2');
  expect(await diff(fleet)).toMatchInlineSnapshot(`
    {
      "diffs": [
        "web: Deployment web/web on eu-1",
      ],
      "notes": "note: pay on us-1 is not updated now: waiting for its turn in stage prod of update run pay-1
    note: web on us-1 is not updated now: is updated once maxUnavailable 1 allows it (not ready yet: eu-1)
    ",
    }
  `);
  expect((await diff(fleet, '--cluster', 'dev-1')).notes).toBe('');
});

it('names External placements that need a staged update run', async () => {
  const fleet = await open();
  fleet.commit({ 'resources/pay.yaml': deployment('pay', 'pay', 'pay:2') }, 'pay 2');
  fleet.git('rm', '-q', 'rollouts/pay-1.yaml');
  fleet.git('commit', '-qm', 'Remove the run');
  expect(await diff(fleet, '--placement', 'pay')).toMatchInlineSnapshot(`
    {
      "diffs": [],
      "notes": "note: pay is not rolled out, it needs a staged update run: the repo holds other resources than snapshot 0, and nothing is deployed to us-1 yet
    note: to start a run, add a file with {apiVersion: placement.kubernetes-fleet.io/v1, kind: ClusterStagedUpdateRun, metadata: {name: NEW-NAME}, spec: {placementName: pay, stagedRolloutStrategyName: STRATEGY}}
    ",
    }
  `);
});

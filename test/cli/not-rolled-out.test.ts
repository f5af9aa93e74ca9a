import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { removeFolders } from '../support/folders.ts';
import { deployment, member } from '../support/paper-fleet.ts';
import { cli } from '../support/run-cli.ts';
import { place, shop } from '../support/shop.ts';

let fleet: FleetOnGit;
afterAll(removeFolders);
beforeEach(async () => {
  fleet = await FleetOnGit.open({
    ...shop,
    'placements/pay.yaml': place('pay', { policy: { placementType: 'PickAll' }, strategy: { type: 'External' } }),
  });
  await fleet.settle();
});

/** What the dashboard and `gitfleet plan` say is not rolled out. */
async function reported(): Promise<readonly string[]> {
  await fleet.settle();
  const dashboard = /## Not rolled out\n\n.*\n\n((?:- .*\n)+)/.exec(`${fleet.git('show', 'fleet-status:README.md')}\n`);
  const { out } = await cli('plan', '--repo', fleet.dir);
  const plan = /Not rolled out: needs a staged update run:\n((?: {2}.*\n)+)/.exec(out);
  // Where something is listed, both name what to write.
  if (plan) for (const text of [dashboard?.[0], out]) expect(text).toContain('spec: {placementName: pay, ');
  const lines = (text: string | undefined) => (text ?? '').replace(/^(?:- | {2})|\*\*/gm, '').trim();
  expect(lines(dashboard?.[1])).toBe(lines(plan?.[1]));
  return lines(plan?.[1]).split('\n').filter(Boolean);
}

const other = { 'resources/pay.yaml': deployment('pay', 'pay', 'pay:2') };
const strategyAtOnce = {
  'rollouts/at-once.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: at-once}
spec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 1}]}
`,
};
const run = (name: string) => ({
  [`rollouts/${name}.yaml`]: shop['rollouts/pay-1.yaml']!.replace('name: pay-1', `name: ${name}`),
});

describe('of an External placement', () => {
  it('nothing is missing while a run brings what the repo holds', async () => {
    expect(await reported()).toEqual([]);
  });

  it('new resources that no run has taken are', async () => {
    fleet.commit(other, 'Bring pay 2');
    expect(await reported()).toEqual(['pay: the repo holds other resources than snapshot 0']);
  });

  it('not any more once a run is there that will take them', async () => {
    fleet.commit({ ...other, ...run('pay-2') }, 'Roll pay 2 out');
    expect(await reported()).toEqual([]);
  });

  it('nor after they are reverted', async () => {
    fleet.commit(other, 'Bring pay 2');
    await fleet.settle();
    fleet.commit({ 'resources/pay.yaml': shop['resources/pay.yaml']! }, 'Take it back');
    expect(await reported()).toEqual([]);
  });

  it('what a failed run did not bring is, until another run takes it', async () => {
    const atOnce = (name: string) => ({
      [`rollouts/${name}.yaml`]: shop['rollouts/pay-1.yaml']!.replace('careful', 'at-once').replace(
        'name: pay-1',
        `name: ${name}\n  annotations: {gitfleet.dev/progress-deadline: 30s}`,
      ),
    });
    fleet.git('rm', '-q', 'rollouts/pay-1.yaml');
    fleet.git('commit', '-qm', 'Tidy up');
    fleet.look();
    fleet.commit({ ...strategyAtOnce, ...atOnce('pay-2') }, 'Bring pay 1 everywhere');
    expect(await reported()).toEqual([]);
    fleet.paper.broken.add('eu-1/Deployment/pay');
    fleet.commit({ ...other, ...atOnce('pay-3') }, 'Roll pay 2 out');
    await fleet.settle();
    fleet.paper.pass(60);
    expect(await reported()).toEqual(['pay: update run pay-3 failed, and 1 of 3 clusters do not have snapshot 1']);
    fleet.paper.broken.clear();
    fleet.commit(atOnce('pay-4'), 'Roll pay 2 out again');
    expect(await reported()).toEqual([]);
  });

  it('a cluster that joined after its runs were over is', async () => {
    fleet.git('rm', '-q', 'rollouts/pay-1.yaml');
    fleet.git('commit', '-qm', 'Tidy up');
    fleet.look();
    fleet.commit({ 'clusters/eu-2.yaml': member('eu-2', { env: 'prod' }) }, 'Add eu-2');
    expect(await reported()).toEqual(['pay: nothing is deployed to eu-1, eu-2, us-1 yet']);
  });
});

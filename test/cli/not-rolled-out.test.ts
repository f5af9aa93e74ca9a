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
    'placements/pay.yaml': pay({ placementType: 'PickAll' }),
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

const pay = (policy: object) => place('pay', { policy, strategy: { type: 'External' } });
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
const runAtOnce = (name: string) => ({
  [`rollouts/${name}.yaml`]: run(name)[`rollouts/${name}.yaml`]!.replace('careful', 'at-once'),
});
const back = (name: string) => ({
  [`rollouts/${name}.yaml`]: `${Object.values(runAtOnce(name))[0]!}  resourceSnapshotIndex: "0"\n`,
});
const runGated = (name: string) => ({
  [`rollouts/${name}.yaml`]: Object.values(run(name))[0]!.replace('careful', 'gated'),
});
const strategyGated = {
  'rollouts/gated.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: gated}
spec: {stages: [{name: all, labelSelector: {}, beforeStageTasks: [{type: Approval}]}]}
`,
};

/** Brings pay 1 to all three clusters with one run. */
async function everywhere(): Promise<void> {
  remove('rollouts/pay-1.yaml');
  fleet.commit({ ...strategyAtOnce, ...runAtOnce('pay-2') }, 'Bring pay 1 everywhere');
  await fleet.settle();
}

function remove(path: string): void {
  fleet.git('rm', '-q', path);
  fleet.git('commit', '-qm', `Remove ${path}`);
  fleet.look();
}

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

  it('a cluster that left the fleet is, by name', async () => {
    await everywhere();
    remove('clusters/us-1.yaml');
    expect(await reported()).toEqual(['pay: us-1 left the fleet']);
    const { out } = await cli('describe', 'placement', 'pay', '--repo', fleet.dir);
    expect(out).toContain('needs a staged update run: us-1 left the fleet\n');
    expect(out).not.toContain('is being removed');
    fleet.commit(runAtOnce('pay-3'), 'Let pay leave it');
    expect(await reported()).toEqual([]);
  });

  it('a cluster that is no longer selected is, by name', async () => {
    await everywhere();
    const inEurope = { clusterSelectorTerms: [{ labelSelector: { matchLabels: { region: 'eu' } } }] };
    const affinity = { clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: inEurope } };
    fleet.commit({ 'placements/pay.yaml': pay({ placementType: 'PickAll', affinity }) }, 'Leave us-1');
    expect(await reported()).toEqual(['pay: nothing is removed from us-1 yet']);
    fleet.commit(runAtOnce('pay-3'), 'Let pay leave it');
    expect(await reported()).toEqual([]);
  });

  it('nothing is after a run brought clusters back to the snapshot that the repo holds again', async () => {
    await everywhere();
    fleet.commit({ ...other, ...run('pay-3') }, 'Roll pay 2 out');
    await fleet.settle();
    expect(await reported()).toEqual([]);
    remove('rollouts/pay-3.yaml');
    expect(await reported()).toEqual(['pay: 2 of 3 clusters do not have snapshot 1, and no update run is in progress']);
    fleet.commit({ 'resources/pay.yaml': shop['resources/pay.yaml']!, ...back('pay-4') }, 'Roll pay back');
    expect(await reported()).toEqual([]);
    const { out } = await cli('get', 'placements', 'pay', '--repo', fleet.dir);
    expect(out).toMatch(/^pay +3\/3 +0 +<none> /m);
    expect((await cli('describe', 'placement', 'pay', '--repo', fleet.dir)).out).toContain(
      'As desired on 3 of 3 clusters',
    );
  });

  it('nor after one that was told to, while the repo holds the newest snapshot', async () => {
    await everywhere();
    fleet.commit({ ...other, ...runAtOnce('pay-3') }, 'Roll pay 2 out');
    await fleet.settle();
    fleet.commit(back('pay-4'), 'Roll pay back');
    expect(await reported()).toEqual([]);
    fleet.commit({ 'resources/pay.yaml': deployment('pay', 'pay', 'pay:3') }, 'Bring pay 3');
    expect(await reported()).toEqual(['pay: the repo holds other resources than snapshot 0']);
  });

  it('what no cluster has is, although the run that took it is removed', async () => {
    await everywhere();
    fleet.commit({ ...other, ...strategyGated, ...runGated('pay-3') }, 'Roll pay 2 out');
    await fleet.settle();
    expect(await reported()).toEqual([]);
    remove('rollouts/pay-3.yaml');
    expect(await reported()).toEqual(['pay: 3 of 3 clusters do not have snapshot 1, and no update run is in progress']);
  });
});

describe('conditions of an External placement stay True, and', () => {
  const wait = (...more: string[]) =>
    cli('wait', 'placements', '--for=Available', '--repo', fleet.dir, '--timeout', '1s', ...more);
  const needs = 'needs a staged update run: the repo holds other resources than snapshot 0';
  beforeEach(async () => {
    await everywhere();
    expect((await wait()).code).toBe(0);
    fleet.commit(other, 'Bring pay 2');
    await fleet.settle();
  });

  it('wait fails at once for a commit that no run brings, unless any commit is enough', async () => {
    const { code, err } = await wait();
    expect(code).toBe(1);
    expect(err).toContain(`the wait cannot succeed:\n  placement/pay: ${needs}\n`);
    expect((await wait('--commit', 'any')).code).toBe(0);
  });

  it('get and describe placements, the dashboard and summary.yaml say so', async () => {
    const shown = async (...args: string[]) => (await cli(...args, '--repo', fleet.dir)).out;
    expect(await shown('get', 'placements')).toMatch(new RegExp(`^<none> +pay +3/3 +0 +${needs} `, 'm'));
    const page = await shown('describe', 'placement', 'pay');
    expect(page).toContain(`Waits for:\n  ${needs}\n`);
    expect(page).toContain('Healthy on 3 of 3 clusters');
    const dashboard = fleet.git('show', 'fleet-status:README.md');
    expect(dashboard).toMatch(/^\| ⚠️ \| \[pay\].*\| needs a staged update run \|$/m);
    expect(fleet.git('show', 'fleet-status:summary.yaml')).toContain(
      'notRolledOut:\n  - kind: ClusterResourcePlacement\n    name: pay\n    why: the repo holds other resources than snapshot 0\n',
    );
  });

  it('wait lasts while a run has not begun to bring it', async () => {
    fleet.commit({ ...strategyGated, ...runGated('pay-3') }, 'Roll pay 2 out');
    await fleet.settle();
    const { code, err } = await wait();
    expect(code).toBe(1);
    expect(err).toContain('timed out after 1s, still missing:\n  placement/pay: update run pay-3: ');
  });
});

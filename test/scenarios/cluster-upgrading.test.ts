import { expect, it } from 'vitest';
import { upgradeMember, upgradeRun } from '../support/cluster-upgrades.ts';
import { deployment, moves, PaperFleet, placement } from '../support/paper-fleet.ts';

const names = ['a', 'b', 'c'];
const versions = (version: string) => ({
  versions: { controlPlane: version, pools: [{ name: 'np1', kubernetes: version }] },
});

/** Three clusters that run web:1, with the upgrade of the first in flight. */
async function upgrading(config: Record<string, string> = {}): Promise<PaperFleet> {
  const fleet = new PaperFleet({
    ...Object.assign({}, ...names.map((name) => upgradeMember(name))),
    ...config,
    'placements/web.yaml': placement(
      'web',
      '{placementType: PickAll}',
      '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}',
    ),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
  });
  for (const name of names) fleet.versions.set(name, versions('v1.30.9'));
  await fleet.settle();
  Object.assign(fleet.files, upgradeRun({}));
  await fleet.plan();
  fleet.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
  fleet.pass(1);
  return fleet;
}

it('a cluster that is being upgraded waits, and uses up the budget of its placements', async () => {
  const fleet = await upgrading();
  const plan = await fleet.plan();
  expect(moves(plan)).toEqual(['web a wait Bound 0', 'web b wait Bound 0', 'web c wait Bound 0']);
  expect(plan.holds.map(({ subject, reason }) => `${subject.clusterName} ${reason}`)).toEqual([
    'a ClusterUpgrading',
    'b RolloutBudget',
    'c RolloutBudget',
  ]);
  fleet.versions.set('a', versions('v1.31.5'));
  fleet.files['upgrades/k8s.yaml'] = upgradeRun({ state: 'Stopped' })['upgrades/k8s.yaml']!;
  fleet.pass(60);
  const after = await fleet.plan();
  expect(after.holds.filter(({ reason }) => reason === 'ClusterUpgrading')).toEqual([]);
  expect(moves(after).filter((move) => move.includes('update'))).toEqual(['web a update Bound 1']);
});

it('where it does not count as unavailable, the others roll out meanwhile', async () => {
  const fleet = await upgrading({
    'fleet.yaml': JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'FleetConfig',
      spec: { upgrades: { countsAsUnavailable: false } },
    }),
  });
  const plan = await fleet.plan();
  expect(moves(plan)).toEqual(['web a wait Bound 0', 'web b update Bound 1', 'web c wait Bound 0']);
});

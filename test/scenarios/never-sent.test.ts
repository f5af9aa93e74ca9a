import { expect, it } from 'vitest';
import { deployment, member, moves, PaperFleet, placement } from './fleet.ts';

const picked = (clusters: number): string =>
  placement(
    'web',
    `{placementType: PickN, numberOfClusters: ${clusters}}`,
    '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 1}}',
  );

it('clusters that are dropped before anything was sent there hold up nobody', async () => {
  const paper = new PaperFleet({
    ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`clusters/${name}.yaml`, member(name)])),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'web.yaml': picked(3),
    'fleet.yaml':
      'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freeze: [{name: always, schedule: "* * * * *", duration: 1m}]}\n',
  });
  expect(moves(await paper.plan())).toEqual(['web a wait Scheduled', 'web b wait Scheduled', 'web c wait Scheduled']);
  paper.files['web.yaml'] = picked(1);
  expect(moves(await paper.plan())).toEqual([
    'web a wait Unscheduled',
    'web b wait Unscheduled',
    'web c wait Scheduled',
  ]);
  delete paper.files['fleet.yaml'];
  expect(moves(await paper.plan())).toEqual(['web c add Bound 0']);
});

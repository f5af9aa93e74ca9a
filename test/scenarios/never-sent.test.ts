import { expect, it } from 'vitest';
import { deployment, member, moves, PaperFleet, placement } from '../support/paper-fleet.ts';
import { frozen } from './texts.ts';

const picked = (clusters: number): string =>
  placement(
    'web',
    `{placementType: PickN, numberOfClusters: ${clusters}}`,
    '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 1}}',
  );

const fleetOf = (clusters: number): PaperFleet =>
  new PaperFleet({
    ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`clusters/${name}.yaml`, member(name)])),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'web.yaml': picked(clusters),
  });

it('clusters that are dropped before anything was sent block nothing', async () => {
  const paper = fleetOf(3);
  paper.files['fleet.yaml'] = frozen;
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

it('where one cluster has started, dropped ones without resources wait for it, as in KubeFleet', async () => {
  const paper = fleetOf(1);
  expect(moves(await paper.plan())).toEqual(['web c add Bound 0']);
  paper.files['fleet.yaml'] = frozen;
  paper.files['web.yaml'] = picked(3);
  await paper.plan();
  paper.files['web.yaml'] = picked(1);
  await paper.plan();
  delete paper.files['fleet.yaml'];
  expect(moves(await paper.plan())).toEqual(['web a wait Unscheduled', 'web b wait Unscheduled', 'web c keep Bound 0']);
  paper.deliver();
  expect(moves(await paper.plan())).toEqual([
    'web a remove Unscheduled',
    'web b remove Unscheduled',
    'web c keep Bound 0',
  ]);
  paper.pass(1);
  expect(moves(await paper.plan())).toEqual(['web c keep Bound 0']);
});

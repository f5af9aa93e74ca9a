import { expect, it } from 'vitest';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { upgradeGroupWarnings } from '../../../src/repo/fleet/upgrade-groups.ts';
import { upgradeMember, upgradeRun, upgradeStrategy } from '../../support/cluster-upgrades.ts';
import { treeOf } from '../../support/paper-fleet.ts';

const group = 'gitfleet.dev/update-group';
const warnings = async (files: Readonly<Record<string, string>>) =>
  upgradeGroupWarnings(await loadFleet(treeOf(files))).map(({ path, message }) => `${path}: ${message}`);
const clusters = { ...upgradeMember('a', { [group]: 'x', env: 'prod' }), ...upgradeMember('b', { [group]: 'x' }) };

it.each<[string, object, string[], object?]>([
  ['of its size', { name: 'x', maxConcurrency: '2' }, []],
  ['of a percentage', { name: 'x', maxConcurrency: '100%' }, []],
  ['of selected members', { name: 'y', memberSelector: { byLabel: 'env=prod' } }, []],
  [
    'that limits more than it has',
    { name: 'x', maxConcurrency: '3' },
    [
      'spec.strategy.stages.0.groups.0.maxConcurrency: UpdateStrategy s: group x has 2 members: no more are updated at once',
    ],
  ],
  ['that allows failures as its stage does', { name: 'x', maxAllowedFailures: '50%' }, [], { maxAllowedFailures: '1' }],
  [
    'that allows more failures than its stage',
    { name: 'x', maxAllowedFailures: '1' },
    [
      'spec.strategy.stages.0.groups.0.maxAllowedFailures: UpdateStrategy s: group x allows more failed clusters than its stage: the run fails with more than 0 in stage one',
    ],
  ],
  [
    'that no cluster names',
    { name: 'y' },
    [
      'spec.strategy.stages.0.groups.0.name: UpdateStrategy s: no cluster of this repo that the stage selects has the label gitfleet.dev/update-group: y',
    ],
  ],
  [
    'that selects nothing',
    { name: 'y', memberSelector: { byLabel: 'env=dev' } },
    ['spec.strategy.stages.0.groups.0.memberSelector.byLabel: UpdateStrategy s: it selects no cluster of this repo'],
  ],
])('a group %s', async (_, of, expected, stage) => {
  const files = upgradeStrategy([{ name: 'one', ...stage, groups: [of] }], 's');
  expect(await warnings({ ...clusters, ...files })).toEqual(expected);
});

it('the strategy of a run, and a stage without groups', async () => {
  const stages = [
    { name: 'one', maxConcurrency: '20', memberSelector: { byLabel: 'env' } },
    { name: 'two', memberSelector: { byLabel: 'gone' } },
  ];
  expect(await warnings({ ...clusters, ...upgradeRun({ strategy: { stages } }) })).toEqual([
    'spec.strategy.stages.1.memberSelector.byLabel: UpdateRun k8s: it selects no cluster of this repo',
  ]);
});

it('none in a repo without clusters', async () => {
  expect(await warnings(upgradeStrategy([{ name: 'one', groups: [{ name: 'x' }] }]))).toEqual([]);
});

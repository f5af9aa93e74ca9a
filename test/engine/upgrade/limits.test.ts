import { describe, expect, it } from 'vitest';
import { allowedFailures, groupConcurrency, stageConcurrency } from '../../../src/engine/upgrade/limits.ts';
import { run, UpgradeFleet } from './upgrade-fleet.ts';

describe('limits of update runs (update-runs.md §1.4)', () => {
  it.each([
    ['25%', 20, 5],
    ['1%', 20, 1],
    ['50%', 19, 9],
    [undefined, 200, 50],
    ['80', 200, 50],
    ['100%', 200, 50],
    ['3', 2, 3],
  ])('maxConcurrency %s of a stage of %i is %i', (maxConcurrency, members, expected) => {
    expect(stageConcurrency({ name: 's', ...(maxConcurrency && { maxConcurrency }) }, members)).toBe(expected);
  });

  it.each([
    ['50%', 8, 5, 4],
    ['25%', 12, 5, 3],
    [undefined, 12, 5, 1],
    ['100%', 12, 5, 5],
    ['10', 3, 50, 3],
    ['10', 0, 50, 1],
  ])('maxConcurrency %s of a group of %i, in a stage with %i, is %i', (maxConcurrency, members, stageMax, expected) => {
    expect(groupConcurrency({ ...(maxConcurrency && { maxConcurrency }) }, { members, stageMax })).toBe(expected);
  });

  it.each([
    [undefined, [50, 3]],
    ['2', [2, 2]],
    ['50%', [1, 1]],
  ])(
    'maxConcurrency %s of a stage of 3 without groups, and of its implicit group, is %o',
    async (maxConcurrency, expected) => {
      const stage = { name: 'all', memberSelector: { byLabel: '!none' }, ...(maxConcurrency && { maxConcurrency }) };
      const fleet = new UpgradeFleet(run({ strategy: { stages: [stage] } })).with(['a', 'b', 'c']);
      await fleet.plan();
      const [{ maxConcurrency: ofStage, groups }] = fleet.run().stages as [
        ReturnType<UpgradeFleet['run']>['stages'][0],
      ];
      expect([ofStage, groups[0]!.maxConcurrency]).toEqual(expected);
      expect(fleet.inFlight()).toHaveLength(groups[0]!.maxConcurrency);
    },
  );

  it.each([
    ['25%', 19, 5],
    ['25%', 7, 2],
    ['25%', 12, 3],
    ['0%', 19, 0],
    ['100%', 4, 4],
    ['2', 19, 2],
    [undefined, 19, 0],
  ])('maxAllowedFailures %s of %i is %i', (maxAllowedFailures, members, expected) => {
    expect(allowedFailures({ ...(maxAllowedFailures && { maxAllowedFailures }) }, members)).toBe(expected);
  });
});

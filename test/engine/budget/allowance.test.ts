import { describe, expect, it } from 'vitest';
import type { DisruptionBudget } from '../../../src/api/disruption-budget.ts';
import type { PlacementPolicy } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { type Allowance, allowanceOf, needsBudget } from '../../../src/engine/budget/allowance.ts';
import {
  budgetOfRollouts,
  type PlacementBudget,
  placementBudget,
} from '../../../src/engine/budget/placement-budget.ts';
import { markedForRemoval, type PlacementWork } from '../../../src/engine/placement-work.ts';
import { available, bound, placementOf, scheduled, workOf } from '../staged/world.ts';
import { bindings, budget, no, pickAll, pickFixed, pickN, quiet, yes } from './world.ts';

const allowance = (
  work: PlacementWork,
  of: PlacementBudget,
  isCounted: (cluster: string) => boolean = () => true,
): Allowance => allowanceOf({ work, bindings: work.bindings, budget: of, isCounted, isUnavailable: () => false });
const budgetAllows = (...of: Parameters<typeof allowance>) => allowance(...of).verdict;

it.each<[string, 'ClusterResourcePlacement' | 'ResourcePlacement', string, boolean]>([
  ['the placement of its name', 'ClusterResourcePlacement', 'web', true],
  ['no other placement', 'ClusterResourcePlacement', 'shop', false],
  ['no ResourcePlacement of its name', 'ResourcePlacement', 'web', false],
])('a budget is that of %s', (_, kind, name, isIn) => {
  const budgets = [budget({ maxUnavailable: 1 })];
  expect(placementBudget({ kind, name }, { budgets, refused: [] }) !== undefined).toBe(isIn);
});

describe('whether a budget allows one more disruption', () => {
  const rows: [string, PlacementPolicy, string, DisruptionBudget['spec'] | undefined, boolean][] = [
    ['no budget allows everything', pickN(1), 'u', undefined, true],
    ['an empty budget allows nothing', pickN(2), 'aa', {}, false],
    ['both fields allow nothing', pickN(2), 'aa', { maxUnavailable: 2, minAvailable: 0 }, false],
    ['a negative number allows nothing', pickN(2), 'aa', { maxUnavailable: -1 }, false],
    ['a percentage over 100 allows nothing', pickN(2), 'aa', { maxUnavailable: '101%' }, false],
    ['text that is not a number allows nothing', pickN(2), 'aa', { maxUnavailable: 'two' }, false],
    ['a fraction allows nothing', pickN(2), 'aa', { minAvailable: 0.5 }, false],
    ['PickAll with maxUnavailable is misconfigured', pickAll, 'aaa', { maxUnavailable: 1 }, false],
    ['PickAll with maxUnavailable in percent too', pickAll, 'aaa', { maxUnavailable: '50%' }, false],
    ['PickAll with minAvailable in percent is misconfigured', pickAll, 'aaa', { minAvailable: '50%' }, false],
    ['PickAll, minAvailable below what is available', pickAll, 'aaa', { minAvailable: 2 }, true],
    ['PickAll, minAvailable equal to what is available', pickAll, 'aa', { minAvailable: 2 }, false],
    ['PickAll, minAvailable above', pickAll, 'a', { minAvailable: 2 }, false],
    ['PickAll, minAvailable 0 with one available', pickAll, 'a', { minAvailable: 0 }, true],
    ['minAvailable 0 still blocks when none is available', pickAll, 'u', { minAvailable: 0 }, false],
    ['PickAll counts only available ones', pickAll, 'aauq', { minAvailable: 1 }, true],
    ['PickN, maxUnavailable 0', pickN(3), 'aaa', { maxUnavailable: 0 }, false],
    ['PickN, maxUnavailable 1, all available', pickN(3), 'aaa', { maxUnavailable: 1 }, true],
    ['PickN, maxUnavailable 1, one unavailable', pickN(3), 'aau', { maxUnavailable: 1 }, false],
    ['PickN, maxUnavailable 2, one unavailable', pickN(3), 'aau', { maxUnavailable: 2 }, true],
    ['PickN, maxUnavailable 2, two unavailable', pickN(3), 'auu', { maxUnavailable: 2 }, false],
    ['a binding without Available counts as unavailable', pickN(3), 'aaq', { maxUnavailable: 1 }, false],
    ['a Scheduled binding counts as unavailable', pickN(3), 'aas', { maxUnavailable: 1 }, false],
    ['a binding on its way out counts as unavailable', pickN(3), 'aad', { maxUnavailable: 1 }, false],
    ['an Unscheduled binding that is available counts as available', pickN(2), 'aax', { maxUnavailable: 1 }, true],
    [
      'an Unscheduled binding that is not available counts as unavailable',
      pickN(2),
      'aay',
      { maxUnavailable: 1 },
      false,
    ],
    [
      'a percentage for PickFixed is of the clusters it names',
      pickFixed('a', 'b'),
      'aa',
      { maxUnavailable: '1%' },
      true,
    ],
    ['a percentage for PickFixed rounds up', pickFixed('a', 'b', 'c'), 'aau', { minAvailable: '50%' }, false],
    ['more bindings than wanted count in full', pickN(2), 'aaau', { maxUnavailable: 1 }, false],
    ['maxUnavailable 30% of 3 is 1, rounded up', pickN(3), 'aaa', { maxUnavailable: '30%' }, true],
    ['maxUnavailable 30% of 3, one unavailable', pickN(3), 'aau', { maxUnavailable: '30%' }, false],
    ['maxUnavailable 34% of 3 is 2, rounded up', pickN(3), 'aau', { maxUnavailable: '34%' }, true],
    ['maxUnavailable 100%', pickN(3), 'uua', { maxUnavailable: '100%' }, true],
    ['maxUnavailable 100%, all unavailable', pickN(3), 'uuu', { maxUnavailable: '100%' }, false],
    ['maxUnavailable 0%', pickN(3), 'aaa', { maxUnavailable: '0%' }, false],
    ['maxUnavailable above the number', pickN(3), 'uuu', { maxUnavailable: 5 }, true],
    ['PickN, minAvailable 2 of 3', pickN(3), 'aaa', { minAvailable: 2 }, true],
    ['PickN, minAvailable 3 of 3', pickN(3), 'aaa', { minAvailable: 3 }, false],
    ['PickN, minAvailable 2, one unavailable', pickN(3), 'aau', { minAvailable: 2 }, false],
    ['minAvailable 50% of 3 is 2, rounded up', pickN(3), 'aau', { minAvailable: '50%' }, false],
    ['minAvailable 50% of 3, all available', pickN(3), 'aaa', { minAvailable: '50%' }, true],
    ['minAvailable 33% of 3 is 1', pickN(3), 'aau', { minAvailable: '33%' }, true],
    ['minAvailable 100%', pickN(3), 'aaa', { minAvailable: '100%' }, false],
    ['minAvailable 0% with one available', pickN(3), 'auu', { minAvailable: '0%' }, true],
    ['minAvailable 0% with none available', pickN(3), 'uuu', { minAvailable: '0%' }, false],
    ['percentages are of the number asked for, not of the bindings', pickN(10), 'aaa', { minAvailable: '50%' }, false],
    ['numbers may be written as text', pickN(3), 'aaa', { maxUnavailable: '1' }, true],
  ];
  it.each(rows)('%s', (_, policy, letters, spec, allowed) => {
    const work = workOf({ placement: placementOf({ policy }), bindings: bindings(letters) });
    expect(budgetAllows(work, spec && budget(spec)).allowed).toBe(allowed);
  });

  it('the count on the latest policy snapshot is the one that counts', () => {
    const work = workOf({
      placement: placementOf({ policy: pickN(3) }),
      bindings: bindings('aau'),
      more: { policySnapshots: [{ index: 0, latest: true, numberOfClusters: 4, policy: pickN(3) }] },
    });
    expect(budgetAllows(work, budget({ maxUnavailable: '30%' })).allowed).toBe(true);
  });
  it.each<[string, string, DisruptionBudget['spec'], boolean, boolean]>([
    ['is not one of those that are available', 'aax', { minAvailable: 2 }, true, false],
    ['is not one of those that are missing', 'aay', { maxUnavailable: 1 }, false, true],
  ])('a cluster that left the fleet %s', (_, letters, spec, before, since) => {
    const work = workOf({ placement: placementOf({ policy: pickN(2) }), bindings: bindings(letters) });
    const allowed = (left?: string) => budgetAllows(work, budget(spec), (cluster) => cluster !== left).allowed;
    expect([allowed(), allowed('c-2')]).toEqual([before, since]);
  });
  it('a condition of an older generation does not count', () => {
    const old = bound('c-0', 0, {
      observedGeneration: 2,
      conditions: available().map((it) => ({ ...it, observedGeneration: 1 })),
    });
    expect(budgetAllows(workOf({ bindings: [old] }), budget({ minAvailable: 0 })).allowed).toBe(false);
  });
});

describe('one disruption after the other', () => {
  const work = workOf({ placement: placementOf({ policy: pickN(3) }), bindings: bindings('aaa') });
  const [first, second] = work.bindings;

  it('counts against the next as long as it lasts', () => {
    const before = allowance(work, budget({ maxUnavailable: 1 }));
    const during = before.after([first!], [markedForRemoval(first!.binding)]);
    expect([before.verdict, during.verdict].map(({ allowed, message }) => [allowed, message])).toEqual([
      [true, 'availablePlacements: 3, totalPlacements: 3'],
      [false, 'availablePlacements: 2, totalPlacements: 3'],
    ]);
    expect(during.after([markedForRemoval(first!.binding)], [first!]).verdict.allowed).toBe(true);
  });

  it('leaves as many as there are once removed bindings are gone', () => {
    const { verdict } = allowance(work, budget({ minAvailable: 2 })).after([second!], []);
    expect([verdict.allowed, verdict.message]).toEqual([false, 'availablePlacements: 2, totalPlacements: 2']);
  });

  it('is never denied without a budget', () => {
    const all = work.bindings.map(({ binding }) => markedForRemoval(binding));
    expect(allowance(work, undefined).after(work.bindings, all).verdict.allowed).toBe(true);
  });
});

it.each<[string, Binding, boolean]>([
  ['where something was sent', yes('a'), true],
  ['where nothing is known of what was sent', quiet('a'), true],
  ['not where nothing was sent', scheduled('a'), false],
  ['not where the cluster has failed', no('a'), false],
  [
    'not where it only compares',
    bound('a', 0, { conditions: [{ type: 'DiffReported', status: 'True', reason: 'DiffReportedTrue' }] }),
    false,
  ],
])('a disruption needs the budget %s', (_, binding, needs) => {
  expect(needsBudget(binding)).toBe(needs);
});

it.each<[string, PlacementBudget, boolean]>([
  [
    'one that does',
    { ...budget({}), metadata: { name: 'web', annotations: { 'gitfleet.dev/budget-scope': 'all' } } },
    true,
  ],
  ['one that cannot be read', 'invalid', true],
  [
    'none with another value',
    { ...budget({}), metadata: { name: 'web', annotations: { 'gitfleet.dev/budget-scope': 'ALL' } } },
    false,
  ],
  ['none without a value', budget({}), false],
])('of budgets rollouts are bound by %s', (_, of, binds) => {
  expect(budgetOfRollouts(of) !== undefined).toBe(binds);
});

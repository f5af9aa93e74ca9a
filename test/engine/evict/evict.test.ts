import { describe, expect, it } from 'vitest';
import type { DisruptionBudget, Eviction } from '../../../src/api/eviction.ts';
import type { PlacementPolicy } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { budgetAllows, budgetInForce } from '../../../src/engine/evict/budget.ts';
import { type EvictInput, evict } from '../../../src/engine/evict/evict.ts';
import { notPaused } from '../../../src/engine/pause/pause.ts';
import { at, available, bound, digest, placementOf, scheduled, T0, words, workOf } from '../staged/world.ts';

const budget = (spec: DisruptionBudget['spec']): DisruptionBudget => ({
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ClusterResourcePlacementDisruptionBudget',
  metadata: { name: 'web' },
  spec,
});
const pickAll: PlacementPolicy = { placementType: 'PickAll' };
const pickN = (numberOfClusters: number): PlacementPolicy => ({ placementType: 'PickN', numberOfClusters });
const pickFixed = (...clusterNames: string[]): PlacementPolicy => ({ placementType: 'PickFixed', clusterNames });

const yes = (name: string): Binding => bound(name);
const no = (name: string): Binding =>
  bound(name, 0, { conditions: [{ type: 'Available', status: 'False', reason: 'NotAllWorkAreAvailable' }] });
const quiet = (name: string): Binding => bound(name, 0, { conditions: [] });
const gone = (name: string): Binding => bound(name, 0, { state: 'Unscheduled', previousState: 'Bound' });
const leaving = (name: string): Binding => bound(name, 0, { deleting: true });
const goneAndDown = (name: string): Binding => ({ ...no(name), state: 'Unscheduled', previousState: 'Bound' });
/** `a` available, `u` unavailable, `q` no condition, `s` scheduled, `x` Unscheduled and available, `y` not available, `d` being removed. */
const bindings = (letters: string): Binding[] =>
  [...letters].map((letter, place) =>
    ({ a: yes, u: no, q: quiet, s: (name: string) => scheduled(name), x: gone, y: goneAndDown, d: leaving })[letter]!(
      `c-${place}`,
    ),
  );

it.each<[string, 'ClusterResourcePlacement' | 'ResourcePlacement', string, boolean]>([
  ['the placement of its name', 'ClusterResourcePlacement', 'web', true],
  ['no other placement', 'ClusterResourcePlacement', 'shop', false],
  ['no ResourcePlacement of its name', 'ResourcePlacement', 'web', false],
])('a budget is that of %s', (_, kind, name, isIn) => {
  const budgets = [budget({ maxUnavailable: 1 })];
  expect(budgetInForce({ kind, name }, { budgets, refused: [] }) !== undefined).toBe(isIn);
});

describe('whether a budget allows one more disruption', () => {
  const rows: [string, PlacementPolicy, string, DisruptionBudget['spec'] | undefined, boolean][] = [
    ['no budget allows everything', pickN(1), 'u', undefined, true],
    ['a budget that says nothing allows nothing', pickN(2), 'aa', {}, false],
    ['both fields allow nothing', pickN(2), 'aa', { maxUnavailable: 2, minAvailable: 0 }, false],
    ['a negative number allows nothing', pickN(2), 'aa', { maxUnavailable: -1 }, false],
    ['a percentage over 100 allows nothing', pickN(2), 'aa', { maxUnavailable: '101%' }, false],
    ['text that is no number allows nothing', pickN(2), 'aa', { maxUnavailable: 'two' }, false],
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
  it('a condition of an older generation is none', () => {
    const old = bound('c-0', 0, {
      observedGeneration: 2,
      conditions: available().map((it) => ({ ...it, observedGeneration: 1 })),
    });
    expect(budgetAllows(workOf({ bindings: [old] }), budget({ minAvailable: 0 })).allowed).toBe(false);
  });
});

const eviction = (name: string, clusterName: string, placementName = 'web'): Eviction => ({
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ClusterResourcePlacementEviction',
  metadata: { name },
  spec: { placementName, clusterName },
});
const run = (change: Partial<EvictInput>) =>
  evict({
    works: [],
    evictions: [eviction('e', 'c-0')],
    recorded: new Map(),
    budgets: [],
    now: T0,
    inFleet: () => true,
    pauseOf: () => notPaused,
    digest,
    refused: [],
    deletedPlacements: new Set(),
    recordLost: false,
    unread: undefined,
    sources: undefined,
    ...change,
  });
const verdict = (change: Partial<EvictInput>) => words(run(change).evictions[0]!.status.conditions);
const fleet = (list: Binding[], policy: PlacementPolicy = pickN(3)) => [
  workOf({ placement: placementOf({ policy }), bindings: list }),
];

const invalid = ['Valid=False/ClusterResourcePlacementEvictionInvalid'];
const executed = [
  'Valid=True/ClusterResourcePlacementEvictionValid',
  'Executed=True/ClusterResourcePlacementEvictionExecuted',
];
const blocked = [
  'Valid=True/ClusterResourcePlacementEvictionValid',
  'Executed=False/ClusterResourcePlacementEvictionNotExecuted',
];

describe('what becomes of an eviction', () => {
  const strict = [budget({ maxUnavailable: 0 })];
  const fixed: PlacementPolicy = { placementType: 'PickFixed', clusterNames: ['c-0'] };
  const rows: [string, Partial<EvictInput>, string[]][] = [
    ['no placement of that name', { works: [] }, invalid],
    [
      'a ResourcePlacement of that name is none',
      {
        works: [
          workOf({ placement: { ...placementOf(), kind: 'ResourcePlacement' } as never, bindings: [yes('c-0')] }),
        ],
      },
      invalid,
    ],
    [
      'a placement whose file is gone',
      { works: fleet([leaving('c-0')]), deletedPlacements: new Set(['web']) },
      invalid,
    ],
    ['a PickFixed placement', { works: fleet([yes('c-0')], fixed) }, invalid],
    ['no binding on the cluster', { works: fleet([yes('c-1')]) }, invalid],
    ['two bindings on the cluster', { works: fleet([leaving('c-0'), scheduled('c-0')]) }, invalid],
    ['a binding being removed already', { works: fleet([leaving('c-0')]), budgets: strict }, executed],
    ['a Scheduled binding', { works: fleet([scheduled('c-0')]) }, blocked],
    [
      'an Unscheduled binding that never was Bound',
      { works: fleet([scheduled('c-0', { state: 'Unscheduled' })]) },
      blocked,
    ],
    [
      'an Unscheduled binding that was Scheduled',
      { works: fleet([scheduled('c-0', { state: 'Unscheduled', previousState: 'Scheduled' })]) },
      blocked,
    ],
    ['an Unscheduled binding that was Bound', { works: fleet([gone('c-0')]) }, executed],
    ['a failed binding, whatever the budget', { works: fleet([no('c-0')]), budgets: strict }, executed],
    [
      'a binding that reports diffs, whatever the budget',
      {
        works: fleet([
          bound('c-0', 0, {
            conditions: [{ type: 'DiffReported', status: 'True', reason: 'AllWorkHaveDiffReported' }],
          }),
        ]),
        budgets: strict,
      },
      executed,
    ],
    [
      'a binding that merely waits is not failed',
      {
        works: fleet([bound('c-0', 0, { conditions: [{ type: 'Applied', status: 'False', reason: 'ApplyPending' }] })]),
        budgets: strict,
      },
      blocked,
    ],
    ['no budget', { works: fleet([yes('c-0')]) }, executed],
    [
      'a budget of another placement',
      { works: fleet([yes('c-0')]), budgets: [{ ...strict[0]!, metadata: { name: 'other' } }] },
      executed,
    ],
    ['a budget that allows it', { works: fleet(bindings('aaa')), budgets: [budget({ maxUnavailable: 1 })] }, executed],
    ['a budget that does not', { works: fleet(bindings('aau')), budgets: [budget({ maxUnavailable: 1 })] }, blocked],
    [
      'a budget whose file is not valid',
      {
        works: fleet(bindings('aaa')),
        refused: [{ apiVersion: '', kind: 'ClusterResourcePlacementDisruptionBudget', name: 'web' }],
      },
      blocked,
    ],
  ];
  it.each(rows)('%s', (_, change, expected) => {
    expect(verdict(change)).toEqual(expected);
  });

  it('an executed one marks the binding for removal, nothing else', () => {
    const [work] = run({ works: fleet(bindings('aaa')) }).works;
    expect(work!.bindings.map(({ binding, move }) => [binding.targetCluster, binding.deleting ?? false, move])).toEqual(
      [
        ['c-0', true, 'remove'],
        ['c-1', false, 'keep'],
        ['c-2', false, 'keep'],
      ],
    );
  });
  const budgetName = 'ClusterResourcePlacementDisruptionBudget';
  it.each<[rule: string, given: Partial<EvictInput>, message: string]>([
    ['no placement', { works: [] }, 'Failed to find ClusterResourcePlacement targeted by eviction'],
    [
      'a placement that is being deleted',
      { works: fleet(bindings('a')), deletedPlacements: new Set(['web']) },
      'Found deleting ClusterResourcePlacement targeted by eviction',
    ],
    [
      'PickFixed',
      { works: fleet(bindings('a'), fixed) },
      'Found ClusterResourcePlacement with PickFixed placement type targeted by eviction',
    ],
    [
      'no binding',
      { works: fleet([yes('c-1')]) },
      'Failed to find scheduler decision for placement in cluster targeted by eviction',
    ],
    [
      'two bindings',
      { works: fleet([leaving('c-0'), yes('c-0')]) },
      'Found more than one scheduler decision for placement in cluster targeted by eviction',
    ],
    [
      'a binding on its way out',
      { works: fleet(bindings('d')) },
      'Eviction is allowed, resources propagated by placement is currently being removed from cluster targeted by eviction',
    ],
    [
      'a binding that was never placed',
      { works: fleet(bindings('s')) },
      'Eviction is blocked, placement has not propagated resources to target cluster yet',
    ],
    ['a failed binding', { works: fleet(bindings('u')) }, 'Eviction is allowed, placement has failed'],
    ['no budget', { works: fleet(bindings('a')) }, `Eviction is allowed, no ${budgetName} specified`],
    [
      'a budget with room',
      { works: fleet(bindings('aaa')), budgets: [budget({ maxUnavailable: 1 })] },
      `Eviction is allowed by specified ${budgetName}, availablePlacements: 3, totalPlacements: 3`,
    ],
    [
      'a budget that is spent',
      { works: fleet(bindings('aau')), budgets: [budget({ maxUnavailable: 1 })] },
      `Eviction is blocked by specified ${budgetName}, availablePlacements: 2, totalPlacements: 3`,
    ],
    [
      'a budget that means nothing',
      { works: fleet(bindings('a')), budgets: [budget({})] },
      `Eviction is blocked by misconfigured ${budgetName}: it names neither maxUnavailable nor minAvailable and so allows nothing`,
    ],
  ])('says as KubeFleet does: %s', (_, given, message) => {
    expect(run(given).evictions[0]!.status.conditions.at(-1)!.message).toBe(message);
  });
  it('what the webhook refuses is a problem that names the file, as long as the file is there', () => {
    const given: Partial<EvictInput> = {
      works: fleet([yes('c-0')], fixed),
      sources: new Map([['ClusterResourcePlacementEviction//e', { file: 'evictions/e.yaml', line: 1 }]]),
    };
    const first = run(given);
    expect(first.problems.map(({ severity, file }) => [severity, file])).toEqual([['error', 'evictions/e.yaml']]);
    const again = run({ ...given, now: at(60), recorded: new Map(first.recorded.map((it) => [it.metadata.name, it])) });
    expect(again).toEqual(first);
    expect(run({ works: [] }).problems).toEqual([]);
  });
});

describe('an eviction is done once', () => {
  const recordedBy = (change: Partial<EvictInput>) => new Map(run(change).recorded.map((it) => [it.metadata.name, it]));
  it.each<[string, Partial<EvictInput>]>([
    ['executed', { works: fleet([yes('c-0')]) }],
    ['blocked', { works: fleet([yes('c-0')]), budgets: [budget({ maxUnavailable: 0 })] }],
    ['invalid', { works: [] }],
  ])('%s stays so whatever changes, with its time', (_, change) => {
    const recorded = recordedBy(change);
    const later = run({ works: fleet([yes('c-0')]), recorded, now: at(600) });
    expect(later.recorded).toEqual([...recorded.values()]);
    expect(later.works[0]!.bindings[0]!.move).toBe('keep');
  });
  it('the file may go, its result stands', () => {
    const recorded = recordedBy({ works: fleet([yes('c-0')]) });
    expect(run({ evictions: [], recorded }).evictions.map(({ name }) => name)).toEqual(['e']);
  });
  it('its name cannot be used for another cluster', () => {
    const recorded = recordedBy({ works: fleet([yes('c-0')]) });
    const reused = run({ works: fleet(bindings('aa')), recorded, evictions: [eviction('e', 'c-1')] });
    expect(reused.problems.map(({ code }) => code)).toEqual(['immutable-field']);
    expect(reused.works[0]!.bindings.every(({ move }) => move === 'keep')).toBe(true);
  });
  it('several are carried out by name, each seeing the ones before', () => {
    const outcome = run({
      works: fleet(bindings('aaa')),
      budgets: [budget({ maxUnavailable: 1 })],
      evictions: [eviction('z', 'c-0'), eviction('a', 'c-1')],
    });
    expect(outcome.evictions.map(({ name, status }) => [name, status.conditions[1]!.status])).toEqual([
      ['a', 'True'],
      ['z', 'False'],
    ]);
  });
  it('after the record was lost it is held until its file changes', () => {
    const lost = run({ works: fleet([yes('c-0')]), recordLost: true });
    expect(lost.holds.map(({ reason }) => reason)).toEqual(['RecordLost']);
    const recorded = new Map(lost.recorded.map((it) => [it.metadata.name, it]));
    expect(run({ works: fleet([yes('c-0')]), recorded }).holds.map(({ reason }) => reason)).toEqual(['RecordLost']);
    const changed = { ...eviction('e', 'c-0'), metadata: { name: 'e', annotations: { again: 'yes' } } };
    expect(
      words(run({ works: fleet([yes('c-0')]), recorded, evictions: [changed] }).evictions[0]!.status.conditions),
    ).toEqual(executed);
  });
});

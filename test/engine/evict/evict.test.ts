import { describe, expect, it } from 'vitest';
import type { Eviction } from '../../../src/api/eviction.ts';
import type { ClusterName, PlacementKey } from '../../../src/api/meta.ts';
import type { PlacementPolicy } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { type EvictInput, evict } from '../../../src/engine/evict/evict.ts';
import { notPaused } from '../../../src/engine/pause/pause.ts';
import { bindings, budget, gone, leaving, no, pickN, yes } from '../budget/world.ts';
import { at, bound, digest, placementOf, scheduled, T0, words, workOf } from '../staged/world.ts';

const eviction = (name: string, clusterName: string, placementName = 'web'): Eviction => ({
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ClusterResourcePlacementEviction',
  metadata: { name },
  spec: { placementName, clusterName },
});
const unproven: EvictInput['unproven'] = new Map([['web' as PlacementKey, new Set(['c-0' as ClusterName])]]);
const run = (change: Partial<EvictInput>) =>
  evict({
    works: [],
    evictions: [eviction('e', 'c-0')],
    recorded: new Map(),
    budgets: [],
    now: T0,
    inFleet: () => true,
    isUnavailable: () => false,
    unproven: new Map(),
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

describe('the verdict on an eviction', () => {
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
      'a binding without a budget that only the record says has failed',
      { works: fleet([no('c-0')]), unproven },
      executed,
    ],
    [
      'an available binding that the cluster does not show yet',
      { works: fleet([yes('c-0')]), budgets: strict, unproven },
      blocked,
    ],
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
      `Eviction is blocked by misconfigured ${budgetName}: it sets neither maxUnavailable nor minAvailable, so it allows nothing`,
    ],
  ])('has the message of KubeFleet: %s', (_, given, message) => {
    expect(run(given).evictions[0]!.status.conditions.at(-1)!.message).toBe(message);
  });
  it('what the webhook rejects is a problem that names the file, as long as the file exists', () => {
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

it('waits where nothing but the status branch says that a placement with a budget has failed', () => {
  const waits = run({ works: fleet([no('c-0')]), budgets: [budget({ maxUnavailable: 0 })], unproven });
  expect(waits.holds).toMatchObject([{ subject: { name: 'e', clusterName: 'c-0' }, reason: 'Unconfirmed' }]);
  expect(waits.recorded).toEqual([]);
  expect(waits.works[0]!.bindings[0]!.binding.deleting).toBeUndefined();
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
  it('the file may be removed, its result stays', () => {
    const recorded = recordedBy({ works: fleet([yes('c-0')]) });
    expect(run({ evictions: [], recorded }).evictions.map(({ name }) => name)).toEqual(['e']);
  });
  it('its name cannot be used for another cluster', () => {
    const recorded = recordedBy({ works: fleet([yes('c-0')]) });
    const reused = run({ works: fleet(bindings('aa')), recorded, evictions: [eviction('e', 'c-1')] });
    expect(reused.problems.map(({ code }) => code)).toEqual(['immutable-field']);
    expect(reused.works[0]!.bindings.every(({ move }) => move === 'keep')).toBe(true);
  });
  it('several are carried out by name, each with the outcome of those before', () => {
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

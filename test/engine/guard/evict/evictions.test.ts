import { describe, expect, it } from 'vitest';
import type { DisruptionBudget } from '../../../../src/api/disruption-budget.ts';
import type { Eviction } from '../../../../src/api/eviction.ts';
import type { Condition } from '../../../../src/api/meta.ts';
import type { Placement } from '../../../../src/api/placement.ts';
import type { Fleet, FleetRecord } from '../../../../src/engine/input.ts';
import type { Plan, PlannedEviction } from '../../../../src/engine/plan-document.ts';
import { memberObservation } from '../../member-observation.ts';
import { placementOf, runOf } from '../../staged/world.ts';
import { healthy, inputOf, members, objects, on, planned, planOf, remembered, rolling, rules } from '../world.ts';

const names = ['a', 'b', 'c', 'd'];
const result = (type: string, status: Condition['status']): Condition[] => [{ type, status, reason: 'x' }];
const file = (clusterName: string, name = `off-${clusterName}`): Eviction => ({
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ClusterResourcePlacementEviction',
  metadata: { name },
  spec: { placementName: 'web', clusterName },
});
const executed = (clusterName: string, conditions = result('Executed', 'True')): PlannedEviction => ({
  name: `off-${clusterName}`,
  placementName: 'web',
  clusterName,
  status: { conditions },
});

describe('an eviction', () => {
  const judged = (files: readonly Eviction[], record: Partial<FleetRecord> = {}, reported = executed('a')) =>
    rules(
      inputOf({
        fleet: { members: members(...names), placements: [rolling()], evictions: files },
        record,
        placements: [
          remembered(
            rolling(),
            names.map((name) => on(name)),
            { 0: objects(1) },
          ),
        ],
      }),
      planOf({
        placements: { web: names.map((name) => planned(name, 0, name === 'a' ? 'remove' : 'keep')) },
        evictions: [reported],
      }),
    );
  const recorded = (conditions: Condition[]): Partial<FleetRecord> => ({
    evictions: new Map([['off-a', { ...file('a'), status: { conditions } }]]),
  });
  const unread = {
    placements: new Map(),
    runs: new Set<string>(),
    evictions: new Set(['off-a']),
    upgrades: new Set<string>(),
  };
  it.each<[string, ReturnType<typeof judged>, readonly string[]]>([
    ['is carried out for its file', judged([file('a')]), []],
    ['not without one', judged([]), ['eviction-unasked']],
    ['not on another cluster', judged([file('b', 'off-a')]), ['eviction-unasked']],
    ['not twice', judged([file('a')], recorded(result('Executed', 'False'))), ['eviction-unasked']],
    ['not after it was found invalid', judged([file('a')], recorded(result('Valid', 'False'))), ['eviction-unasked']],
    ['keeps its result without its file', judged([], recorded(result('Executed', 'True'))), []],
    ['may be refused without anything', judged([], {}, executed('a', result('Executed', 'False'))), []],
    ['waits while its record cannot be read', judged([file('a')], { unread }), ['eviction-unasked']],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it('waits when the record is gone', () => {
    const labelled = { ...objects(1)[0]!, metadata: { name: 'x', labels: { 'gitfleet.dev/placement': 'web' } } };
    const input = inputOf({
      fleet: { members: members('a'), placements: [rolling()], evictions: [file('a')] },
      record: { exists: false },
      observations: new Map([['a', memberObservation({ objects: [labelled] })]]),
    });
    expect(rules(input, planOf({ evictions: [executed('a')] }))).toContain('eviction-unasked');
  });
});

describe('a disruption budget', () => {
  const pickAll = rolling();
  const pickN = { ...rolling(), spec: { ...rolling().spec, policy: { placementType: 'PickN', numberOfClusters: 4 } } };
  const budget = (spec: DisruptionBudget['spec'], scope?: string): DisruptionBudget => ({
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ClusterResourcePlacementDisruptionBudget',
    metadata: { name: 'web', ...(scope === undefined ? {} : { annotations: { 'gitfleet.dev/budget-scope': scope } }) },
    spec,
  });
  /**
   * @param moves For each cluster: `e` evicted, `u` updated, `r` removed, `.` kept.
   * @param states For each cluster: `h` healthy, `s` not, `?` unknown.
   */
  const judged = (of: {
    readonly placement?: object;
    readonly budgets?: readonly DisruptionBudget[];
    readonly moves: string;
    readonly states?: string;
    readonly fleet?: Partial<Fleet>;
    readonly runs?: Plan['runs'];
    /** Of the record. */
    readonly before?: Plan['runs'];
  }): boolean => {
    const { placement = pickN, budgets = [], moves, states = 'hhhh', fleet, runs = [], before = [] } = of;
    const conditions = (at: number): Condition[] =>
      states[at] === 'h'
        ? healthy
        : states[at] === 's'
          ? result('Applied', 'False')
          : [{ type: 'Available', status: 'True', reason: 'NotAllWorkAreAvailabilityTrackable' }];
    const evicted = names.filter((_, at) => moves[at] === 'e');
    const input = inputOf({
      record: { runs: new Map(before.map(({ name, status }) => [name, { ...runOf(), status }])) },
      fleet: {
        members: members(...names),
        placements: [placement as Placement],
        budgets,
        evictions: evicted.map((name) => file(name)),
        ...fleet,
      },
      placements: [
        remembered(
          placement as Placement,
          names.map((name, at) => on(name, 0, { conditions: conditions(at) })),
          { 0: objects(1), 1: objects(1) },
        ),
      ],
    });
    const bindings = names.map((name, at) =>
      moves[at] === '.'
        ? planned(name, 0, 'wait', { conditions: conditions(at) })
        : planned(name, moves[at] === 'u' ? 1 : 0, moves[at] === 'u' ? 'update' : 'remove'),
    );
    const found = rules(
      input,
      planOf({ placements: { web: bindings }, evictions: evicted.map((name) => executed(name)), runs }),
    );
    return found.includes('disruption-budget-broken');
  };
  const runReturning = (...clusters: string[]): Plan['runs'][number] => {
    const conditions = result('Started', 'True');
    const stage = { stageName: 'all', clusters: clusters.map((clusterName) => ({ clusterName, conditions })) };
    const rollbackStatus = { reason: 'UpdateRunFailed', message: 'why', stagesStatus: [stage] };
    const { kind, metadata } = runOf();
    return { kind, name: metadata.name, status: { rollbackStatus } as Plan['runs'][number]['status'] };
  };
  const least = (minAvailable: number | string, scope?: string) => [budget({ minAvailable }, scope)];
  const most = (maxUnavailable: number | string, scope?: string) => [budget({ maxUnavailable }, scope)];

  it.each<[string, Parameters<typeof judged>[0], boolean]>([
    ['none', { moves: 'eeee' }, false],
    ['minAvailable kept', { budgets: least(3), moves: 'e...' }, false],
    ['minAvailable broken', { budgets: least(3), moves: 'ee..' }, true],
    ['a percentage of the clusters asked for, rounded up', { budgets: least('51%'), moves: 'ee..' }, true],
    ['that percentage kept', { budgets: least('50%'), moves: 'ee..' }, false],
    ['maxUnavailable kept', { budgets: most(1), moves: 'e...' }, false],
    ['maxUnavailable broken', { budgets: most(1), moves: 'ee..' }, true],
    ['a cluster that is down counts', { budgets: most(1), moves: 'e...', states: 'hshh' }, true],
    ['a cluster that is down may go', { budgets: most(0), moves: 'e...', states: 'shhh' }, false],
    ['what is unknown counts as serving', { budgets: least(3), moves: 'e...', states: 'h???' }, false],
    ['without numbers it allows nothing', { budgets: [budget({})], moves: 'e...' }, true],
    ['with both it allows nothing', { budgets: [budget({ minAvailable: 0, maxUnavailable: 4 })], moves: 'e...' }, true],
    ['a value that is not a number allows nothing', { budgets: least('many'), moves: 'e...' }, true],
    ['maxUnavailable of PickAll allows nothing', { placement: pickAll, budgets: most(4), moves: 'e...' }, true],
    ['a percentage of PickAll allows nothing', { placement: pickAll, budgets: least('1%'), moves: 'e...' }, true],
    ['minAvailable of PickAll kept', { placement: pickAll, budgets: least(3), moves: 'e...' }, false],
    ['minAvailable of PickAll broken', { placement: pickAll, budgets: least(4), moves: 'e...' }, true],
    [
      'an invalid file allows nothing',
      {
        moves: 'e...',
        fleet: { refused: [{ apiVersion: '', kind: 'ClusterResourcePlacementDisruptionBudget', name: 'web' }] },
      },
      true,
    ],
    [
      'another placement has its own',
      { budgets: [{ ...budget({}), metadata: { name: 'other' } }], moves: 'e...' },
      false,
    ],
  ])('of evictions: %s', (_, of, broken) => {
    expect(judged(of)).toBe(broken);
  });

  it.each<[string, Parameters<typeof judged>[0], boolean]>([
    ['an update', { budgets: least(4, 'all'), moves: 'u...' }, true],
    ['a removal', { budgets: least(4, 'all'), moves: 'r...' }, true],
    ['what is within it', { budgets: least(2, 'all'), moves: 'ur..' }, false],
    ['an update and an eviction together', { budgets: least(3, 'all'), moves: 'ue..' }, true],
    ['an update where the cluster is down', { budgets: least(4, 'all'), moves: 'u...', states: 'shhh' }, false],
    ['no update without that scope', { budgets: least(4), moves: 'uuuu' }, false],
    ['no update with a scope that means nothing', { budgets: least(4, 'All'), moves: 'uuuu' }, false],
    [
      'an update of a run',
      { placement: placementOf(), budgets: least(4, 'all'), moves: 'u...', fleet: { runs: [runOf()] } },
      true,
    ],
    [
      'no rollback of a run',
      {
        placement: placementOf(),
        budgets: least(4, 'all'),
        moves: 'uu..',
        fleet: { runs: [runOf()] },
        runs: [runReturning('a', 'b')],
      },
      false,
    ],
    [
      'what a rollback returned before',
      {
        placement: placementOf(),
        budgets: least(4, 'all'),
        moves: 'uu..',
        fleet: { runs: [runOf()] },
        runs: [runReturning('a', 'b')],
        before: [runReturning('a', 'b')],
      },
      true,
    ],
    [
      'what a rollback does not return',
      {
        placement: placementOf(),
        budgets: least(4, 'all'),
        moves: 'uu..',
        fleet: { runs: [runOf()] },
        runs: [runReturning('a')],
      },
      true,
    ],
    [
      'an update while its file is invalid',
      {
        moves: 'u...',
        fleet: { refused: [{ apiVersion: '', kind: 'ClusterResourcePlacementDisruptionBudget', name: 'web' }] },
      },
      true,
    ],
    [
      'no member that leaves',
      { budgets: least(4, 'all'), moves: 'r...', fleet: { members: members('b', 'c', 'd') } },
      false,
    ],
  ])('of scope all binds %s', (_, of, broken) => {
    expect(judged(of)).toBe(broken);
  });
});

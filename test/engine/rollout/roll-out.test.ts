import { describe, expect, it } from 'vitest';
import type { DisruptionBudget } from '../../../src/api/disruption-budget.ts';
import type { Placement } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { listsDiffer } from '../../../src/engine/overrides/starts-rollout.ts';
import type { PlacementWork } from '../../../src/engine/placement-work.ts';
import {
  applyStrategy,
  at,
  bound,
  health,
  movesOf,
  none,
  pickN,
  placementOf,
  replanned,
  roll,
  scheduled,
  T0,
  unscheduled,
  workOf,
} from './world.ts';

const four = ['a', 'b', 'c', 'd'];
const overrides = { clusterResourceOverrideSnapshots: ['region-1'], resourceOverrideSnapshots: [] };

describe('a binding that moves', () => {
  it('gets index and overrides, and loses the conditions of the old version', () => {
    const before = bound('a', 0, health.unavailable, {
      failedPlacements: [
        { version: 'v1', kind: 'ConfigMap', name: 'x', condition: { type: 'Available', status: 'False', reason: '' } },
      ],
      driftedPlacements: [{ version: 'v1', kind: 'ConfigMap', name: 'x' }],
      diffedPlacements: [{ version: 'v1', kind: 'ConfigMap', name: 'x' }],
    });
    const [step] = roll(workOf(placementOf(pickN(1)), [before]), { overridesFor: () => overrides }).bindings;
    expect(step).toEqual({
      move: 'update',
      binding: {
        targetCluster: 'a',
        state: 'Bound',
        policySnapshotIndex: 0,
        resourceSnapshotIndex: 1,
        appliedResourceSnapshotIndex: 0,
        clusterResourceOverrideSnapshots: ['region-1'],
        conditions: [
          {
            type: 'RolloutStarted',
            status: 'True',
            reason: 'RolloutStarted',
            message: 'Detected the new changes on the resources and started the rollout process',
            lastTransitionTime: at(-3600),
          },
        ],
      },
    });
  });
  it('that is removed is marked, not dropped', () => {
    const [, gone] = roll(
      workOf(placementOf(pickN(1)), [bound('a', 1, health.ready), unscheduled('b', health.ready)]),
    ).bindings;
    expect(gone).toEqual({ move: 'remove', binding: { ...unscheduled('b', health.ready), deleting: true } });
  });
});

describe('RolloutStarted', () => {
  const startedOf = (work: ReturnType<typeof roll>) =>
    work.bindings.map(({ binding }) => {
      const started = binding.conditions?.find(({ type }) => type === 'RolloutStarted');
      return started ? `${started.status} ${started.reason} ${started.lastTransitionTime}` : 'absent';
    });
  it('is False on Bound and Scheduled bindings that wait, untouched on Unscheduled ones', () => {
    const placement = placementOf(pickN(2), { maxUnavailable: 0, maxSurge: 0 });
    const work = workOf(placement, [bound('a', 0, health.ready), scheduled('b'), unscheduled('c', health.ready)]);
    expect(startedOf(roll(work))).toEqual([
      `False RolloutNotStartedYet ${T0}`,
      `False RolloutNotStartedYet ${T0}`,
      `True RolloutStarted ${at(-3600)}`,
    ]);
  });
  it('becomes True again when there is nothing left to roll out', () => {
    const placement = placementOf(pickN(4));
    const held = roll(
      workOf(
        placement,
        four.map((name) => bound(name, 0, health.ready)),
      ),
    );
    const reverted = {
      ...replanned(held),
      resourceSnapshots: [{ index: 0, latest: true }],
      bindings: replanned(held).bindings.slice(1),
    };
    const rolled = roll(reverted, { now: at(30) });
    expect(movesOf(rolled)).toEqual(['keep', 'keep', 'keep']);
    expect(startedOf(rolled)).toEqual(Array.from({ length: 3 }, () => `True RolloutStarted ${at(30)}`));
  });
  it('is set on a Bound binding without it', () => {
    expect(startedOf(roll(workOf(placementOf(pickN(1)), [bound('a', 1, [])])))).toEqual([`True RolloutStarted ${T0}`]);
  });
});

describe('two bindings on one cluster', () => {
  const placement = placementOf(pickN(2), { maxUnavailable: 2 });
  it.each([
    ['two live ones', [bound('a', 0, health.ready), bound('a', 1, health.ready)]],
    [
      'a Bound one next to one that is being removed',
      [unscheduled('a', health.ready, { deleting: true }), bound('a', 0, health.ready)],
    ],
    [
      'one that was Bound next to one that is being removed',
      [bound('a', 1, health.ready, { deleting: true }), unscheduled('a', health.ready)],
    ],
  ])('conflict, and nothing of the placement moves: %s', (_, bindings) => {
    const work = roll(workOf(placement, [...bindings, bound('b', 0, health.ready), scheduled('c')]));
    expect(movesOf(work).slice(2)).toEqual(['wait', 'wait']);
    expect(movesOf(work)).not.toContain('update');
    expect(work.holds.map(({ reason, subject }) => `${reason} ${subject.clusterName}`)).toEqual([
      'SameClusterConflict a',
    ]);
    expect(work.problems.map(({ severity }) => severity)).toEqual(['warning']);
  });
  it('a Scheduled one waits until the objects of the old one are removed, the others continue', () => {
    const bindings = [
      bound('a', 1, health.ready, { deleting: true }),
      scheduled('a'),
      bound('b', 0, health.unavailable),
    ];
    const work = roll(workOf(placement, bindings));
    expect(movesOf(work)).toEqual(['remove', 'wait', 'update']);
    expect(work.holds.map(({ reason, subject }) => `${reason} ${subject.clusterName}`)).toEqual([
      'SameClusterCleanup a',
    ]);
  });
  describe('where the new one replaces the remaining objects of the old one', () => {
    const going = (name: string) => bound(name, 1, health.ready, { deleting: true });
    const failing = (name: string) => bound(name, 1, health.unavailable, { deleting: true });
    const ready = (name: string) => bound(name, 1, health.ready);
    const replacesRemaining = () => true;
    const reported = (work: PlacementWork) =>
      work.bindings.map(({ binding, move }) => `${binding.targetCluster} ${binding.state} ${move}`);
    it.each<[string, Placement, Binding[], string[]]>([
      [
        'it takes its place without any surge',
        placementOf(pickN(2), { maxSurge: 0 }),
        [going('a'), scheduled('a'), ready('b')],
        ['a Bound add', 'b Bound keep'],
      ],
      [
        'it needs a place of the surge where the old one had failed and took none',
        placementOf(pickN(1), { maxSurge: 0 }),
        [failing('a'), scheduled('a'), ready('b')],
        ['a Bound remove', 'a Scheduled wait', 'b Bound keep'],
      ],
      [
        'its place is not taken',
        placementOf(pickN(2), { maxSurge: 0 }),
        [scheduled('a'), ready('b'), going('c'), scheduled('c')],
        ['a Scheduled wait', 'b Bound keep', 'c Bound add'],
      ],
      [
        'it is no less ready than the old one was',
        placementOf(pickN(2), { maxUnavailable: 1, maxSurge: 0 }),
        [going('a'), scheduled('a'), bound('b', 0, health.ready)],
        ['a Bound add', 'b Bound wait'],
      ],
      [
        'all that leaves its cluster gives way to it',
        placementOf(pickN(2)),
        [going('a'), going('a'), scheduled('a'), ready('b')],
        ['a Bound add', 'b Bound keep'],
      ],
    ])('%s', (_, placement, bindings, expected) => {
      const work = roll(workOf(placement, bindings), { replacesRemaining });
      expect(reported(work)).toEqual(expected);
      expect(reported(roll(replanned(work), { replacesRemaining })).map((line) => line.replace('keep', 'add'))).toEqual(
        expected.map((line) => line.replace('keep', 'add')),
      );
    });
    it('compares only a binding being removed with a Scheduled one', () => {
      const asked: string[] = [];
      roll(workOf(placement, [going('a'), going('b'), scheduled('b'), ready('c')]), {
        replacesRemaining({ targetCluster }) {
          asked.push(targetCluster);
          return false;
        },
      });
      expect(asked).toEqual(['b']);
    });
  });
  it('has no clean-up hold where nothing is to be bound', () => {
    const going = bound('a', 1, health.ready, { deleting: true });
    const { previousState: _, ...neverBound } = unscheduled('a', health.silent);
    const reasons = [going, neverBound].map((second) =>
      roll(workOf(placement, [going, second, bound('b', 0, health.unavailable)])).holds.map(({ reason }) => reason),
    );
    expect(reasons).toEqual([[], ['RolloutBudget']]);
  });
});

describe('overrides', () => {
  const bindings = four.map((name) => bound(name, 1, health.ready));
  it('that start a rollout make every binding with other lists a candidate', () => {
    const work = roll(workOf(placementOf(pickN(4)), bindings), {
      overridesFor: () => overrides,
      startsRollout: listsDiffer,
    });
    expect(movesOf(work)).toEqual(['update', 'wait', 'wait', 'wait']);
  });
  it('that do not start one are not rolled out', () => {
    const work = roll(workOf(placementOf(pickN(4)), bindings), { overridesFor: () => overrides });
    expect(movesOf(work)).toEqual(['keep', 'keep', 'keep', 'keep']);
  });
  it('are rolled out with another change until no binding waits', () => {
    const joined = [...bindings, scheduled('e')];
    const context = { overridesFor: () => overrides };
    let work = roll(workOf(placementOf(pickN(5), { maxUnavailable: 2 }), joined), context);
    expect(movesOf(work)).toEqual(['update', 'wait', 'wait', 'wait', 'add']);
    for (const moves of ['keep update update wait keep', 'keep keep keep update keep', 'keep keep keep keep keep']) {
      const healthy = replanned(work).bindings.map(({ binding, move }) => ({
        move,
        binding: listsDiffer(binding, overrides)
          ? binding
          : { ...binding, conditions: [...(binding.conditions ?? []), ...health.ready.slice(1)] },
      }));
      work = roll({ ...replanned(work), bindings: healthy }, context);
      expect(movesOf(work).join(' ')).toBe(moves);
    }
  });
  it('that are deleted are removed from the binding', () => {
    const carrying = bound('a', 1, health.ready, { clusterResourceOverrideSnapshots: ['region-1'] });
    const [step] = roll(workOf(placementOf(pickN(1)), [carrying]), {
      overridesFor: () => none,
      startsRollout: listsDiffer,
    }).bindings;
    expect(step?.move).toBe('update');
    expect(step?.binding.clusterResourceOverrideSnapshots).toBeUndefined();
  });
});

it('a change of applyStrategy alone is applied at once to all bindings not being removed, and moves nothing', () => {
  const old = { ...applyStrategy, type: 'ServerSideApply' as const };
  const bindings = [
    bound('a', 1, health.ready, { applyStrategy: old }),
    unscheduled('b', health.silent, { applyStrategy: old }),
    bound('c', 1, health.ready, { applyStrategy: old, deleting: true }),
  ];
  const work = roll(workOf(placementOf(pickN(1), { maxUnavailable: 0 }), bindings));
  expect(work.bindings.map(({ binding }) => binding.applyStrategy)).toEqual([applyStrategy, applyStrategy, old]);
  expect(movesOf(work)).toEqual(['keep', 'wait', 'remove']);
});

describe('a disruption budget', () => {
  const budget = (annotations: Record<string, string>): DisruptionBudget => ({
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ClusterResourcePlacementDisruptionBudget',
    metadata: { name: 'web', annotations },
    spec: { minAvailable: 3 },
  });
  const bindings = [...four.slice(0, 3).map((name) => bound(name, 0, health.ready)), bound('d', 1, health.ready)];
  const rolling = placementOf(pickN(4), { maxUnavailable: 3 });
  it('does not apply to rollouts', () => {
    expect(movesOf(roll(workOf(rolling, bindings), { budget: budget({}) }))).toEqual([
      'update',
      'update',
      'update',
      'keep',
    ]);
  });
  it('applies to them with the scope `all`, one available cluster after the other', () => {
    const work = roll(workOf(rolling, bindings), { budget: budget({ 'gitfleet.dev/budget-scope': 'all' }) });
    expect(movesOf(work)).toEqual(['update', 'wait', 'wait', 'keep']);
    expect(work.holds.map(({ reason }) => reason)).toEqual(['RolloutBudget', 'RolloutBudget']);
  });
  it('lets clusters that are not available move', () => {
    const sick = bindings.map((binding) => ({ ...binding, conditions: [...health.unavailable] }));
    const work = roll(workOf(rolling, sick), { budget: budget({ 'gitfleet.dev/budget-scope': 'all' }) });
    expect(movesOf(work)).toEqual(['update', 'update', 'update', 'keep']);
  });
  it('blocks clusters of unknown availability', () => {
    const unknown = bindings.map((binding) =>
      binding.targetCluster === 'c' ? { ...binding, conditions: [...health.silent] } : binding,
    );
    const all = budget({ 'gitfleet.dev/budget-scope': 'all' });
    const work = roll(workOf(placementOf(pickN(4), { maxUnavailable: 4 }), unknown), { budget: all });
    expect(movesOf(work)).toEqual(['wait', 'wait', 'wait', 'keep']);
  });
  it('counts a cluster of unknown availability once, as not available', () => {
    const unknown = bindings.map((binding) =>
      binding.targetCluster === 'a' ? { ...binding, conditions: [...health.silent] } : binding,
    );
    const all = { ...budget({ 'gitfleet.dev/budget-scope': 'all' }), spec: { minAvailable: 2 } };
    const work = roll(workOf(placementOf(pickN(4), { maxUnavailable: 4 }), unknown), { budget: all });
    expect(movesOf(work)).toEqual(['update', 'update', 'wait', 'keep']);
  });
});

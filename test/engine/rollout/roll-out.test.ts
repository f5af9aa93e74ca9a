import { describe, expect, it } from 'vitest';
import type { DisruptionBudget } from '../../../src/api/eviction.ts';
import { listsDiffer } from '../../../src/engine/overrides/trigger.ts';
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
  untrackable,
  wakesOf,
  workOf,
} from './world.ts';

const four = ['a', 'b', 'c', 'd'];
const overrides = { clusterResourceOverrideSnapshots: ['region-1'], resourceOverrideSnapshots: [] };

describe('a binding that moves', () => {
  it('takes index and overrides, and forgets how the old version was doing', () => {
    const before = bound('a', 0, health.unavailable, {
      failedPlacements: [
        { version: 'v1', kind: 'ConfigMap', name: 'x', condition: { type: 'Available', status: 'False', reason: '' } },
      ],
    });
    const [step] = roll(workOf(placementOf(pickN(1)), [before]), { overridesFor: () => overrides }).bindings;
    expect(step).toEqual({
      move: 'update',
      binding: {
        targetCluster: 'a',
        state: 'Bound',
        policySnapshotIndex: 0,
        resourceSnapshotIndex: 1,
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
  it('that goes is marked, not forgotten', () => {
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
  it('is set on a Bound binding that lacks it', () => {
    expect(startedOf(roll(workOf(placementOf(pickN(1)), [bound('a', 1, [])])))).toEqual([`True RolloutStarted ${T0}`]);
  });
});

describe('what waits is held', () => {
  it('by the budget, cluster by cluster', () => {
    const work = roll(
      workOf(placementOf(pickN(2), { maxUnavailable: 1 }), [bound('a', 0, health.ready), bound('b', 0, health.ready)]),
    );
    expect(work.holds).toEqual([
      {
        subject: { kind: 'ClusterResourcePlacement', name: 'web', clusterName: 'b' },
        reason: 'RolloutBudget',
        message: 'b is to be updated once maxUnavailable 1 allows it (not ready yet: a)',
      },
    ]);
    expect(wakesOf(work)).toEqual([]);
  });
  it('by there being none that is ready, where maxUnavailable asks for none', () => {
    const work = roll(workOf(placementOf(pickN(0), { maxUnavailable: '100%' }), [unscheduled('a', [])]));
    expect(work.holds.map(({ message }) => message)).toEqual([
      'a is to be removed once it, or another cluster of the placement, is available: of those that are not, none is moved',
    ]);
  });
  it('by nothing where a PickFixed list is empty: all go, ready or not', () => {
    const none = placementOf({ placementType: 'PickFixed', clusterNames: [] });
    const work = roll(workOf(none, [unscheduled('a', []), unscheduled('b', health.ready)]));
    expect([movesOf(work), work.holds]).toEqual([['remove', 'remove'], []]);
  });
  it('until the unavailable period of the cluster that frees it ends', () => {
    const work = roll(
      workOf(placementOf(pickN(2), { maxUnavailable: 1 }), [
        bound('a', 1, untrackable(-20)),
        bound('b', 0, health.ready),
      ]),
    );
    expect(work.holds.map(({ reason, until, subject }) => ({ reason, until, on: subject.clusterName }))).toEqual([
      { reason: 'UnavailablePeriod', until: at(40), on: 'b' },
    ]);
    expect(wakesOf(work)).toEqual([at(40)]);
  });
  it('until as many periods have ended as are needed, not the first', () => {
    const bindings = [bound('a', 1, untrackable(-50)), bound('b', 1, untrackable(-20)), bound('c', 0, health.ready)];
    expect(wakesOf(roll(workOf(placementOf(pickN(3), { maxUnavailable: 1 }), bindings)))).toEqual([at(40)]);
  });
  it('without an end when time alone does not help', () => {
    const bindings = [bound('a', 1, untrackable(-20)), bound('b', 0, health.ready)];
    const work = roll(workOf(placementOf(pickN(2), { maxUnavailable: 0, maxSurge: 0 }), bindings));
    expect(work.holds.map(({ reason, message }) => ({ reason, message }))).toEqual([
      {
        reason: 'RolloutBudget',
        message:
          'b is to be updated once maxUnavailable 0 allows it (maxUnavailable and maxSurge are both 0: the rollout cannot move)',
      },
    ]);
    expect(wakesOf(work)).toEqual([]);
  });
  it('by the surge alone when it is to be added', () => {
    const bindings = [unscheduled('a', untrackable(-20)), scheduled('b')];
    const work = roll(workOf(placementOf(pickN(1), { maxUnavailable: 0, maxSurge: 0 }), bindings));
    expect(work.holds.map(({ subject, reason }) => `${subject.clusterName} ${reason}`)).toEqual([
      'a RolloutBudget',
      'b RolloutBudget',
    ]);
  });
  it.each([
    [
      'those that are to become ready',
      [bound('a', 1, health.unavailable), bound('b', 0, health.ready), bound('c', 0, health.ready)],
      { maxUnavailable: 1 },
      [
        'b is to be updated once maxUnavailable 1 allows it (not ready yet: a)',
        'c is to be updated once maxUnavailable 1 allows it (not ready yet: a)',
      ],
    ],
    [
      'those that are to go first, whether they were told to already or wait themselves',
      [
        unscheduled('a', health.ready, { deleting: true }),
        unscheduled('b', health.silent),
        scheduled('c'),
        bound('d', 1, health.ready),
        bound('e', 1, health.ready),
      ],
      { maxUnavailable: 1, maxSurge: 0 },
      [
        'b is to be removed once maxUnavailable 1 allows it (not ready yet: c)',
        'c is to be added once maxSurge 0 allows it (not gone yet: a, b)',
      ],
    ],
    [
      'none where no other has to move first',
      [bound('a', 0, health.ready)],
      { maxUnavailable: 0 },
      ['a is to be updated once maxUnavailable 0 allows it'],
    ],
  ])('by the budget until others have moved, and these are named: %s', (_, bindings, rolling, messages) => {
    expect(roll(workOf(placementOf(pickN(3), rolling), bindings)).holds.map(({ message }) => message)).toEqual(
      messages,
    );
  });
  it('names an instant that lies ahead at the very end of a period, which still counts', () => {
    const bindings = [bound('a', 1, untrackable(-60)), bound('b', 0, health.ready)];
    const work = roll(workOf(placementOf(pickN(2), { maxUnavailable: 1 }), bindings));
    expect(movesOf(work)).toEqual(['keep', 'wait']);
    expect(wakesOf(work)).toEqual(['2026-11-20T10:00:00.001Z']);
  });
});

describe('two bindings on one cluster', () => {
  const placement = placementOf(pickN(2), { maxUnavailable: 2 });
  it.each([
    ['two live ones', [bound('a', 0, health.ready), bound('a', 1, health.ready)]],
    [
      'a Bound one beside one on its way out',
      [unscheduled('a', health.ready, { deleting: true }), bound('a', 0, health.ready)],
    ],
    [
      'one that was Bound beside one on its way out',
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
  it('a Scheduled one waits until what the old one left is gone, the others go on', () => {
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
  it('nothing is said to follow where nothing is to be bound', () => {
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
  it('that begin a rollout make every binding with other lists a candidate', () => {
    const work = roll(workOf(placementOf(pickN(4)), bindings), { overridesFor: () => overrides, differs: listsDiffer });
    expect(movesOf(work)).toEqual(['update', 'wait', 'wait', 'wait']);
  });
  it('that do not begin one are left alone', () => {
    const work = roll(workOf(placementOf(pickN(4)), bindings), { overridesFor: () => overrides });
    expect(movesOf(work)).toEqual(['keep', 'keep', 'keep', 'keep']);
  });
  it('ride along with another change until the last binding has had its turn', () => {
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
  it('that are gone are taken off the binding', () => {
    const carrying = bound('a', 1, health.ready, { clusterResourceOverrideSnapshots: ['region-1'] });
    const [step] = roll(workOf(placementOf(pickN(1)), [carrying]), {
      overridesFor: () => none,
      differs: listsDiffer,
    }).bindings;
    expect(step?.move).toBe('update');
    expect(step?.binding.clusterResourceOverrideSnapshots).toBeUndefined();
  });
});

it('a change of applyStrategy alone is pushed to all at once and moves nothing', () => {
  const old = { ...applyStrategy, type: 'ServerSideApply' as const };
  const bindings = [
    bound('a', 1, health.ready, { applyStrategy: old }),
    unscheduled('b', health.silent, { applyStrategy: old }),
  ];
  const work = roll(workOf(placementOf(pickN(1), { maxUnavailable: 0 }), bindings));
  expect(work.bindings.map(({ binding }) => binding.applyStrategy)).toEqual([applyStrategy, applyStrategy]);
  expect(movesOf(work)).toEqual(['keep', 'wait']);
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
  it('does not speak to rollouts', () => {
    expect(movesOf(roll(workOf(rolling, bindings), { budget: budget({}) }))).toEqual([
      'update',
      'update',
      'update',
      'keep',
    ]);
  });
  it('binds them when it says so, one available cluster after the other', () => {
    const work = roll(workOf(rolling, bindings), { budget: budget({ 'gitfleet.dev/budget-scope': 'all' }) });
    expect(movesOf(work)).toEqual(['update', 'wait', 'wait', 'keep']);
    expect(work.holds.map(({ reason }) => reason)).toEqual(['RolloutBudget', 'RolloutBudget']);
  });
  it('lets clusters that are not available move', () => {
    const sick = bindings.map((binding) => ({ ...binding, conditions: [...health.unavailable] }));
    const work = roll(workOf(rolling, sick), { budget: budget({ 'gitfleet.dev/budget-scope': 'all' }) });
    expect(movesOf(work)).toEqual(['update', 'update', 'update', 'keep']);
  });
});

describe('stories', () => {
  /** Moves of each plan; between two, whatever moved becomes `then`, and what goes is gone. */
  function story(
    work: ReturnType<typeof workOf>,
    then: typeof health.ready | ((name: string) => readonly object[]),
    plans: number,
  ): string[] {
    const told: string[] = [];
    let present = work;
    for (let plan = 0; plan < plans; plan++) {
      const rolled = roll(present, { now: at(plan * 100) });
      told.push(rolled.bindings.map(({ binding, move }) => `${binding.targetCluster}:${move}`).join(' '));
      present = {
        ...replanned(rolled),
        bindings: replanned(rolled)
          .bindings.filter(({ binding }) => !binding.deleting)
          .map(({ binding, move }, index) => {
            const moved = ['add', 'update'].includes(rolled.bindings.filter((it) => !it.binding.deleting)[index]!.move);
            const next = typeof then === 'function' ? then(binding.targetCluster) : then;
            return {
              move,
              binding: moved ? { ...binding, conditions: [...next] as typeof binding.conditions } : binding,
            };
          }),
      };
    }
    return told;
  }
  it('surge: new clusters come before old ones go', () => {
    const placement = placementOf(pickN(2), { maxUnavailable: 0, maxSurge: 1 });
    const moving = workOf(placement, [
      unscheduled('a', health.ready),
      unscheduled('b', health.ready),
      scheduled('c'),
      scheduled('d'),
    ]);
    expect(story(moving, health.ready, 4)).toEqual([
      'a:wait b:wait c:add d:wait',
      'a:remove b:wait c:keep d:wait',
      'b:wait c:keep d:add',
      'b:remove c:keep d:keep',
    ]);
  });
  it('zero unavailable: nothing moves in place, whatever the surge', () => {
    const placement = placementOf(pickN(2), { maxUnavailable: 0, maxSurge: '100%' });
    expect(
      story(workOf(placement, [bound('a', 0, health.ready), bound('b', 0, health.ready)]), health.ready, 2),
    ).toEqual(['a:wait b:wait', 'a:wait b:wait']);
  });
  it('a cluster that fails on the new version stops the rollout; the next version overtakes it', () => {
    const placement = placementOf(pickN(3), { maxUnavailable: 1, maxSurge: 0 });
    const work = workOf(
      placement,
      ['a', 'b', 'c'].map((name) => bound(name, 0, health.ready)),
    );
    expect(story(work, (name) => (name === 'b' ? health.unavailable : health.ready), 4)).toEqual([
      'a:update b:wait c:wait',
      'a:keep b:update c:wait',
      'a:keep b:keep c:wait',
      'a:keep b:keep c:wait',
    ]);
    const stuck = [bound('a', 1, health.ready), bound('b', 1, health.unavailable), bound('c', 0, health.ready)];
    const fixed = { ...workOf(placement, stuck), resourceSnapshots: [{ index: 1 }, { index: 2, latest: true }] };
    expect(story(fixed, health.ready, 3)).toEqual([
      'a:wait b:update c:wait',
      'a:update b:keep c:wait',
      'a:keep b:keep c:update',
    ]);
  });
  it('untrackable resources: each wave waits for the period of the one before', () => {
    const placement = placementOf(pickN(2), { maxUnavailable: 1, maxSurge: 0 });
    const first = roll(workOf(placement, [bound('a', 0, untrackable(-99)), bound('b', 0, untrackable(-99))]));
    expect(movesOf(first)).toEqual(['update', 'wait']);
    const applied = replanned(first);
    const present = {
      ...applied,
      bindings: [{ move: 'keep' as const, binding: bound('a', 1, untrackable(5)) }, applied.bindings[1]!],
    };
    expect(wakesOf(roll(present, { now: at(5) }))).toEqual([at(65)]);
    expect(movesOf(roll(present, { now: at(65) }))).toEqual(['keep', 'wait']);
    expect(movesOf(roll(present, { now: at(66) }))).toEqual(['keep', 'update']);
  });
});

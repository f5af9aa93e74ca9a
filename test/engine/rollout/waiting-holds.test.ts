import { describe, expect, it } from 'vitest';
import {
  at,
  bound,
  health,
  movesOf,
  pickN,
  placementOf,
  roll,
  scheduled,
  unscheduled,
  untrackable,
  wakesOf,
  workOf,
} from './world.ts';

describe('a waiting binding has a hold', () => {
  it('by the budget, cluster by cluster', () => {
    const work = roll(
      workOf(placementOf(pickN(2), { maxUnavailable: 1 }), [bound('a', 0, health.ready), bound('b', 0, health.ready)]),
    );
    expect(work.holds).toEqual([
      {
        subject: { kind: 'ClusterResourcePlacement', name: 'web', clusterName: 'b' },
        reason: 'RolloutBudget',
        message: 'b is updated once maxUnavailable 1 allows it (not ready yet: a)',
      },
    ]);
    expect(wakesOf(work)).toEqual([]);
  });
  it('because no cluster is ready, where maxUnavailable requires none', () => {
    const work = roll(workOf(placementOf(pickN(0), { maxUnavailable: '100%' }), [unscheduled('a', [])]));
    expect(work.holds.map(({ message }) => message)).toEqual([
      'a is removed once it or another cluster of the placement is available: a cluster that is not available is not moved',
    ]);
  });
  it('by nothing where a PickFixed list is empty: all are removed, ready or not', () => {
    const none = placementOf({ placementType: 'PickFixed', clusterNames: [] });
    const work = roll(workOf(none, [unscheduled('a', []), unscheduled('b', health.unavailable)]));
    expect([movesOf(work), work.holds]).toEqual([['remove', 'remove'], []]);
  });
  it('until the end of the unavailable period of the cluster that frees it', () => {
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
  it('without an end when time alone does not free it', () => {
    const bindings = [bound('a', 1, untrackable(-20)), bound('b', 0, health.ready)];
    const work = roll(workOf(placementOf(pickN(2), { maxUnavailable: 0, maxSurge: 0 }), bindings));
    expect(work.holds.map(({ reason, message }) => ({ reason, message }))).toEqual([
      {
        reason: 'RolloutBudget',
        message:
          'b is updated once maxUnavailable 0 allows it (maxUnavailable and maxSurge are both 0: the rollout cannot move)',
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
        'b is updated once maxUnavailable 1 allows it (not ready yet: a)',
        'c is updated once maxUnavailable 1 allows it (not ready yet: a)',
      ],
    ],
    [
      'those that are to become ready, but not those that time alone makes so',
      [bound('a', 1, untrackable(-20)), bound('b', 1, health.unavailable), bound('c', 0, health.ready)],
      { maxUnavailable: 1 },
      ['c is updated once maxUnavailable 1 allows it (not ready yet: b)'],
    ],
    [
      'those that are to be removed first, whether their removal has started or waits',
      [
        unscheduled('a', health.ready, { deleting: true }),
        unscheduled('b', health.silent),
        scheduled('c'),
        bound('d', 1, health.ready),
        bound('e', 1, health.ready),
      ],
      { maxUnavailable: 1, maxSurge: 0 },
      [
        'b is removed once maxUnavailable 1 allows it (not ready yet: c)',
        'c is added once maxSurge 0 allows it (not removed yet: a, b)',
      ],
    ],
    [
      'none where no other has to move first',
      [bound('a', 0, health.ready), bound('b', 1, health.ready), bound('c', 1, health.ready)],
      { maxUnavailable: 0 },
      [
        'a is updated once maxUnavailable 0 allows it (with 0 every cluster that the policy requires must stay available: set 1 or more to continue the rollout)',
      ],
    ],
    [
      'those that are asked for and were not found take part of it',
      [bound('a', 0, health.ready), bound('b', 1, health.applying)],
      { maxUnavailable: 1 },
      [
        'a is updated once maxUnavailable 1 allows it; 1 cluster that the policy requires and did not find counts as not available (not ready yet: b)',
      ],
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

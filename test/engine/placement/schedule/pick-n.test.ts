import { describe, expect, test } from 'vitest';
import { cluster, now } from '../worlds.ts';
import { bound, clusters, pickN, preferring, required, run, scored, selected, snapshotOf, states } from './setting.ts';

describe('PickN', () => {
  test('ties go to the greatest name, decisions are best first, then outscored ones best first, then filtered by name', () => {
    const fleet = [
      ...clusters('a', 'b', 'c', 'd'),
      cluster('e', { leaving: true }),
      cluster('f', { taints: [{ key: 'k' }] }),
    ];
    expect(run({ policy: pickN(2), fleet }).decisions).toEqual([
      {
        clusterName: 'd',
        selected: true,
        clusterScore: { affinityScore: 0, topologySpreadScore: 0 },
        reason: 'picked by scheduling policy: cluster "d" (affinity score: 0, topology spread score: 0)',
      },
      {
        clusterName: 'c',
        selected: true,
        clusterScore: { affinityScore: 0, topologySpreadScore: 0 },
        reason: 'picked by scheduling policy: cluster "c" (affinity score: 0, topology spread score: 0)',
      },
      {
        clusterName: 'b',
        selected: false,
        clusterScore: { affinityScore: 0, topologySpreadScore: 0 },
        reason: 'cluster "b" does not score high enough (affinity score: 0, topology spread score: 0)',
      },
      {
        clusterName: 'a',
        selected: false,
        clusterScore: { affinityScore: 0, topologySpreadScore: 0 },
        reason: 'cluster "a" does not score high enough (affinity score: 0, topology spread score: 0)',
      },
      { clusterName: 'e', selected: false, reason: 'ClusterUnschedulable, cluster is leaving the fleet' },
      { clusterName: 'f', selected: false, reason: 'ClusterUnschedulable, taint k:NoSchedule is not tolerated' },
    ]);
  });
  test('too few clusters: all that fit are bound, the rest is reported', () => {
    const { scheduled, bindings } = run({ policy: pickN(3), fleet: clusters('a', 'b') });
    expect(bindings.map(({ targetCluster }) => targetCluster)).toEqual(['a', 'b']);
    expect(scheduled).toEqual({
      type: 'Scheduled',
      status: 'False',
      reason: 'SchedulingPolicyUnfulfilled',
      message: 'could not find all clusters needed as specified by the scheduling policy, found 2 cluster(s) instead',
      lastTransitionTime: now,
    });
  });
  test('a new binding is Scheduled, without a resource snapshot, with its decision', () => {
    const decision = {
      clusterName: 'a',
      selected: true,
      clusterScore: { affinityScore: 0, topologySpreadScore: 0 },
      reason: 'picked by scheduling policy: cluster "a" (affinity score: 0, topology spread score: 0)',
    };
    expect(run({ policy: pickN(1), fleet: clusters('a') }).bindings).toEqual([
      { targetCluster: 'a', state: 'Scheduled', policySnapshotIndex: 0, clusterDecision: decision },
    ]);
  });
  test('a picked cluster stays selected, whatever happens to it', () => {
    const fleet = [cluster('a', { taints: [{ key: 'k' }], status: { agentStatus: [] } }), cluster('b')];
    const policy = pickN(1, { affinity: required({ labelSelector: { matchLabels: { env: 'prod' } } }) });
    const setting = { policy, fleet, bindings: [bound('a')], snapshots: snapshotOf(policy) };
    expect(states(setting)).toEqual(['a Bound @0']);
    expect(run(setting).scheduled.status).toBe('True');
  });
  test('scale-down: Scheduled before Bound, then lowest recorded topology, affinity and name; unscored first', () => {
    const order = [
      bound('h', { state: 'Scheduled', ...scored(100, 9) }),
      bound('g'),
      bound('f', scored(50, -1)),
      bound('b', scored(1)),
      bound('c', scored(1)),
      bound('a', scored(2)),
    ];
    const fleet = clusters('a', 'b', 'c', 'f', 'g', 'h');
    for (let wanted = 0; wanted <= order.length; wanted++) {
      const kept = order.slice(order.length - wanted).map(({ targetCluster }) => targetCluster);
      expect(
        new Set(selected({ policy: pickN(wanted), fleet, bindings: order, snapshots: snapshotOf(pickN(6)) })),
      ).toEqual(new Set(kept));
    }
  });
  test('scale-down keeps the snapshot and records which bindings were Bound', () => {
    const bindings = [bound('a', scored(1)), bound('b', { state: 'Scheduled', ...scored(2) }), bound('c', scored(3))];
    const result = run({
      policy: pickN(1),
      fleet: clusters('a', 'b', 'c'),
      bindings,
      snapshots: snapshotOf(pickN(3), { numberOfClusters: 3 }),
    });
    expect(result.policySnapshots.map(({ index, numberOfClusters }) => [index, numberOfClusters])).toEqual([[0, 1]]);
    expect(
      result.bindings.map(({ targetCluster, state, previousState }) => [targetCluster, state, previousState]),
    ).toEqual([
      ['a', 'Unscheduled', 'Bound'],
      ['b', 'Unscheduled', undefined],
      ['c', 'Bound', undefined],
    ]);
  });
  test('with enough live bindings every obsolete one is unscheduled, without a replacement', () => {
    const bindings = [bound('a'), bound('b', { policySnapshotIndex: 3 })];
    expect(
      states({ policy: pickN(1), fleet: clusters('a', 'b'), bindings, snapshots: snapshotOf(pickN(1), { index: 3 }) }),
    ).toEqual(['a Unscheduled @0', 'b Bound @3']);
  });
  test('after a policy change the former cluster wins ties, and only ties', () => {
    const changed = { tolerations: [{ operator: 'Exists' }] };
    const setting = { fleet: clusters('a', 'b', 'c'), bindings: [bound('a')], snapshots: snapshotOf(pickN(1)) };
    expect(states({ ...setting, policy: pickN(1, changed) })).toEqual(['a Bound @1']);
    const affinity = preferring({
      weight: 1,
      preference: { labelSelector: { matchLabels: { 'kubernetes-fleet.io/member-name': 'b' } } },
    });
    expect(states({ ...setting, policy: pickN(1, { ...changed, affinity }) })).toEqual([
      'a Unscheduled @0',
      'b Scheduled @1',
    ]);
  });
  test('an unscheduled binding gets its previous state back; one that was never Bound becomes Scheduled', () => {
    const bindings = [
      bound('a', { state: 'Unscheduled', previousState: 'Bound' }),
      bound('b', { state: 'Unscheduled' }),
    ];
    const result = run({ policy: pickN(2), fleet: clusters('a', 'b'), bindings, snapshots: snapshotOf(pickN(1)) });
    expect(
      result.bindings.map(({ targetCluster, state, previousState, resourceSnapshotIndex }) => ({
        targetCluster,
        state,
        previousState,
        resourceSnapshotIndex,
      })),
    ).toEqual([
      { targetCluster: 'a', state: 'Bound', previousState: undefined, resourceSnapshotIndex: 2 },
      { targetCluster: 'b', state: 'Scheduled', previousState: undefined, resourceSnapshotIndex: 2 },
    ]);
  });
  test('a cluster that left or is leaving loses its binding and is replaced', () => {
    const fleet = [cluster('a', { leaving: true }), cluster('c')];
    const bindings = [bound('a'), bound('b'), bound('c')];
    const setting = { policy: pickN(2), fleet: [...fleet, cluster('d')], bindings, snapshots: snapshotOf(pickN(2)) };
    expect(states(setting)).toEqual(['a Unscheduled @0', 'b Unscheduled @0', 'c Bound @0', 'd Scheduled @0']);
  });
  test('a deleting binding holds no cluster: it can be picked again', () => {
    const bindings = [bound('b', { deleting: true })];
    expect(states({ policy: pickN(1), fleet: clusters('a', 'b'), bindings, snapshots: snapshotOf(pickN(1)) })).toEqual([
      'b Bound deleting @0',
      'b Scheduled @0',
    ]);
  });
  test('a recorded decision stays: the score is that of the cycle in which the cluster was picked', () => {
    const setting = {
      policy: pickN(2),
      fleet: clusters('a', 'b', 'c'),
      bindings: [bound('a', scored(5)), bound('b', scored(7))],
      snapshots: snapshotOf(pickN(2)),
    };
    expect(
      run(setting)
        .decisions.slice(0, 2)
        .map(({ clusterName, clusterScore, reason }) => [clusterName, clusterScore?.affinityScore, reason]),
    ).toEqual([
      ['b', 7, 'recorded'],
      ['a', 5, 'recorded'],
    ]);
  });
  test('a binding without a recorded score comes last and has none', () => {
    const setting = {
      policy: pickN(2),
      fleet: clusters('a', 'z'),
      bindings: [bound('a', scored(-5)), bound('z')],
      snapshots: snapshotOf(pickN(2)),
    };
    expect(
      run(setting).decisions.map(({ clusterName, clusterScore }) => [clusterName, clusterScore?.affinityScore]),
    ).toEqual([
      ['a', -5],
      ['z', undefined],
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { cluster } from '../worlds.ts';
import {
  bound,
  clusters,
  pickN,
  preferring,
  reasonsOf,
  required,
  run,
  scored,
  scores,
  selected,
  snapshotOf,
  sortBy,
  states,
  withProperty,
} from './setting.ts';

describe('the ten surprises', () => {
  const region = (name: string, value: string, rest: object = {}) =>
    cluster(name, { labels: { region: value }, ...rest });
  const hard = { topologySpreadConstraints: [{ topologyKey: 'region', maxSkew: 1 }] };
  test('1 kept: ties go to the greatest name on pick, to the smallest on scale-down', () => {
    const first = run({ policy: pickN(2), fleet: clusters('a', 'b', 'c') });
    expect(
      states({
        policy: pickN(1),
        fleet: clusters('a', 'b', 'c'),
        bindings: first.bindings,
        snapshots: first.policySnapshots,
      }),
    ).toEqual(['b Unscheduled @0', 'c Scheduled @0']);
  });
  test('2 kept: min and max include clusters that nothing may be placed on', () => {
    const fleet = [
      ...withProperty('cost', { a: '1', b: '2' }),
      cluster('c', { properties: { cost: '5' }, leaving: true }),
    ];
    expect(scores({ policy: pickN(1, { affinity: preferring(sortBy('cost', 'Descending', 100)) }), fleet })).toEqual({
      b: [0, 25],
      a: [0, 0],
    });
  });
  test('3 kept: an empty domain without a usable cluster caps all others at maxSkew', () => {
    const fleet = [region('a', 'x'), region('b', 'x'), region('c', 'y', { leaving: true })];
    expect(states({ policy: pickN(2, hard), fleet })).toEqual(['b Scheduled @0']);
  });
  test('4 kept: a repairing move is refused while the global skew stays too high', () => {
    const policy = pickN(4, hard);
    const fleet = [...['1', '2', '3'].map((n) => region(`x-${n}`, 'x')), region('y-1', 'y')];
    const bindings = ['x-1', 'x-2', 'x-3'].map((name) => bound(name));
    expect(states({ policy, fleet, bindings, snapshots: snapshotOf(policy) })).toEqual([
      'x-1 Bound @0',
      'x-2 Bound @0',
      'x-3 Bound @0',
    ]);
  });
  test('5 PickAll is fulfilled with zero clusters (kept); an empty PickFixed list removes all its bindings (ours)', () => {
    expect(run({ policy: {}, fleet: [] }).scheduled).toMatchObject({
      status: 'True',
      reason: 'SchedulingPolicyFulfilled',
    });
    const none = { placementType: 'PickFixed', clusterNames: [] };
    const setting = { policy: none, fleet: clusters('a'), bindings: [bound('a')] };
    expect(states({ ...setting, snapshots: snapshotOf({ placementType: 'PickFixed', clusterNames: ['a'] }) })).toEqual([
      'a Unscheduled @0',
    ]);
    expect(states({ ...setting, snapshots: snapshotOf(none) })).toEqual(['a Unscheduled @0']);
    expect(run(setting).scheduled.status).toBe('True');
  });
  test('6 ours: bad data on one cluster disqualifies that cluster only', () => {
    const fleet = withProperty('cost', { a: '1', b: 'cheap', c: '3', d: '2' });
    const policy = pickN(4, { affinity: preferring(sortBy('cost', 'Descending', 100)) });
    expect(scores({ policy, fleet })).toEqual({ c: [0, 100], d: [0, 50], a: [0, 0] });
    expect(reasonsOf({ policy, fleet })['b']).toBe(
      'ClusterUnschedulable, property "cost" has the value "cheap", which is not a quantity',
    );
  });
  test('6 ours: also when another term would match', () => {
    const fleet = withProperty('k8s.io/k8s-version', { a: 'v1.30.9', b: undefined });
    const affinity = required(
      { labelSelector: {} },
      { propertySelector: { matchExpressions: [{ name: 'k8s.io/k8s-version', operator: 'Gt', values: ['1'] }] } },
    );
    expect(selected({ policy: { affinity }, fleet })).toEqual(['b']);
  });
  test('7 and 8 ours: all unselected clusters are explained, with all reasons, and the texts follow the fleet', () => {
    const policy = pickN(1);
    const setting = { policy, bindings: [bound('z', scored(0))], snapshots: snapshotOf(policy) };
    const many = Array.from({ length: 30 }, (_, at) => cluster(`c-${at}`));
    const first = run({ ...setting, fleet: [...many, cluster('z')] });
    expect(first.decisions).toHaveLength(31);
    const again = run({
      policy,
      bindings: first.bindings,
      snapshots: first.policySnapshots,
      fleet: [...many.slice(1), cluster('c-0', { taints: [{ key: 'k' }] }), cluster('z')],
    });
    expect(again.decisions.at(-1)).toEqual({
      clusterName: 'c-0',
      selected: false,
      reason: 'ClusterUnschedulable, taint k:NoSchedule is not tolerated',
    });
  });
  test('7 and 8 ours: a property that moves without changing a verdict or a text leaves the record as it is', () => {
    const term = { propertySelector: { matchExpressions: [{ name: 'cores', operator: 'Ge', values: ['4'] }] } };
    const policy = pickN(1, { affinity: required(term) });
    const first = run({ policy, fleet: withProperty('cores', { a: '8', b: '1' }) });
    const on = (b: string) =>
      run({
        policy,
        bindings: first.bindings,
        snapshots: first.policySnapshots,
        fleet: withProperty('cores', { a: '7', b }),
      });
    expect(on('2').policySnapshots).toEqual(first.policySnapshots);
    expect(on('4').policySnapshots).not.toEqual(first.policySnapshots);
  });
  test('9 ours: preferred terms under PickAll are ignored, not refused', () => {
    const policy = { affinity: preferring(sortBy('cost', 'Descending', 100)) };
    expect(scores({ policy, fleet: withProperty('cost', { a: '1', b: '2' }) })).toEqual({ a: [0, 0], b: [0, 0] });
  });
  test('10 ours: the message follows the count even where status and reason stay', () => {
    const first = run({ policy: pickN(3), fleet: clusters('a') });
    const again = run({
      policy: pickN(3),
      fleet: clusters('a', 'b'),
      bindings: first.bindings,
      snapshots: first.policySnapshots,
    });
    expect(again.scheduled.message).toContain('found 2 cluster(s)');
  });
});

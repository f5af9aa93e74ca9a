import { describe, expect, test } from 'vitest';
import { cluster } from '../worlds.ts';
import {
  bound,
  clusters,
  preferring,
  required,
  run,
  selected,
  snapshotOf,
  sortBy,
  states,
  withProperty,
} from './setting.ts';

describe('PickAll', () => {
  test('takes every cluster that passes, by name, with zero scores', () => {
    const fleet = [...clusters('b', 'a'), cluster('c', { taints: [{ key: 'k' }] })];
    expect(
      run({ policy: {}, fleet }).decisions.map(({ clusterName, selected: yes, clusterScore }) => [
        clusterName,
        yes,
        clusterScore,
      ]),
    ).toEqual([
      ['a', true, { affinityScore: 0, topologySpreadScore: 0 }],
      ['b', true, { affinityScore: 0, topologySpreadScore: 0 }],
      ['c', false, undefined],
    ]);
  });
  test('ignores preferred terms, their bad properties included', () => {
    const fleet = withProperty('cost', { a: 'cheap' });
    expect(selected({ policy: { affinity: preferring(sortBy('cost', 'Ascending', 5)) }, fleet })).toEqual(['a']);
  });
  test('keeps what passed before, drops the obsolete that no longer passes', () => {
    const prod = { affinity: required({ labelSelector: { matchLabels: { env: 'prod' } } }) };
    const fleet = [cluster('a'), cluster('b', { labels: { env: 'prod' } })];
    expect(states({ policy: prod, fleet, bindings: [bound('a')], snapshots: snapshotOf(prod) })).toEqual([
      'a Bound @0',
      'b Scheduled @0',
    ]);
    expect(states({ policy: prod, fleet, bindings: [bound('a'), bound('b')], snapshots: snapshotOf({}) })).toEqual([
      'a Unscheduled @0',
      'b Bound @1',
    ]);
  });
});

describe('PickFixed', () => {
  const fixed = (...clusterNames: string[]) => ({ placementType: 'PickFixed', clusterNames });
  test('takes the named clusters in spec order, taints and labels aside, and never scores', () => {
    const fleet = [cluster('a', { taints: [{ key: 'k' }] }), ...clusters('b', 'c')];
    expect(run({ policy: fixed('c', 'a'), fleet }).decisions).toEqual([
      { clusterName: 'c', selected: true, reason: 'picked by scheduling policy: cluster "c" is named in it' },
      { clusterName: 'a', selected: true, reason: 'picked by scheduling policy: cluster "a" is named in it' },
    ]);
  });
  test('reports what is not found or not eligible', () => {
    const fleet = [cluster('a', { status: { agentStatus: [] } }), cluster('b')];
    const result = run({ policy: fixed('z', 'a', 'b'), fleet });
    expect(result.scheduled).toMatchObject({ status: 'False', reason: 'SchedulingPolicyUnfulfilled' });
    expect(result.decisions.map(({ clusterName, selected: yes, reason }) => [clusterName, yes, reason])).toEqual([
      ['b', true, 'picked by scheduling policy: cluster "b" is named in it'],
      ['z', false, 'cluster "z" is not found in the fleet'],
      [
        'a',
        false,
        'cluster "a" is not eligible for resource placement yet: cluster is not connected to the fleet: member agent is not online yet',
      ],
    ]);
  });
  test('a cluster that became ineligible while bound keeps its binding and counts as not selected', () => {
    const fleet = [cluster('a', { status: { agentStatus: [] } })];
    const setting = { policy: fixed('a'), fleet, bindings: [bound('a')], snapshots: snapshotOf(fixed('a')) };
    expect(states(setting)).toEqual(['a Bound @0']);
    expect(run(setting).decisions[0]).toMatchObject({ clusterName: 'a', selected: false });
    expect(run(setting).scheduled.status).toBe('False');
  });
  test('a policy change removes the binding of an ineligible cluster, even a named one', () => {
    const fleet = [cluster('a', { status: { agentStatus: [] } }), ...clusters('b', 'c')];
    const bindings = [bound('a'), bound('b'), bound('d', { state: 'Unscheduled', previousState: 'Bound' })];
    expect(states({ policy: fixed('a', 'b', 'c'), fleet, bindings, snapshots: snapshotOf(fixed('a', 'b')) })).toEqual([
      'a Unscheduled @0',
      'b Bound @1',
      'c Scheduled @1',
      'd Unscheduled @0',
    ]);
  });
});

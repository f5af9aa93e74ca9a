import { describe, expect, test } from 'vitest';
import { cluster } from '../worlds.ts';
import { bound, pickN, reasonsOf, run, scores, selected, snapshotOf, states } from './setting.ts';

describe('topology spread', () => {
  const regions = (counts: Record<string, number>) =>
    Object.entries(counts).flatMap(([region, count]) =>
      Array.from({ length: count }, (_, at) => cluster(`${region}-${at + 1}`, { labels: { region } })),
    );
  const over = (whenUnsatisfiable: string, maxSkew = 1) => ({
    topologySpreadConstraints: [{ topologyKey: 'region', whenUnsatisfiable, maxSkew }],
  });
  const at = (names: string[], policy: object) => ({
    bindings: names.map((name) => bound(name)),
    snapshots: snapshotOf(policy, { numberOfClusters: 100 }),
  });

  test.each<[rule: string, live: string[], maxSkew: number, scores: Record<string, number>]>([
    ['even domains: a pick widens the skew', [], 1, { x: -1, y: -1 }],
    ['the only emptiest domain narrows it', ['x-1'], 1, { y: 1 }],
    ['a full domain is refused once the skew is spent', ['x-1'], 1, { y: 1 }],
    ['with room it costs one', ['x-1'], 2, { x: -1, y: 1 }],
  ])('%s', (_, live, maxSkew, expected) => {
    const policy = pickN(live.length + 1, over('DoNotSchedule', maxSkew));
    const result = run({ policy, fleet: regions({ x: 3, y: 3 }), ...at(live, policy) });
    const found: Record<string, number> = {};
    for (const { clusterName, clusterScore, reason } of result.decisions) {
      if (clusterScore && reason !== 'recorded' && !live.includes(clusterName))
        found[clusterName[0]!] = clusterScore.topologySpreadScore;
    }
    expect(found).toEqual(expected);
  });

  test('two emptiest domains: filling one changes nothing', () => {
    const policy = pickN(2, over('DoNotSchedule'));
    expect(scores({ policy, fleet: regions({ x: 2, y: 2, z: 2 }), ...at(['x-1'], policy) })).toMatchObject({
      'z-2': [0, 0],
      'y-1': [0, 0],
    });
  });
  test('a soft constraint costs 1000 instead of filtering', () => {
    const policy = pickN(2, over('ScheduleAnyway'));
    expect(
      scores({
        policy,
        fleet: regions({ x: 2, y: 0 }).concat(cluster('y-1', { labels: { region: 'y' }, taints: [{ key: 'k' }] })),
        ...at(['x-1'], policy),
      }),
    ).toEqual({ 'x-2': [-1000, 0] });
  });
  test('a cluster without the label neither counts nor violates', () => {
    const policy = pickN(2, over('DoNotSchedule'));
    expect(selected({ policy, fleet: [...regions({ x: 2 }), cluster('plain')], bindings: [] })).toEqual([
      'plain',
      'x-2',
    ]);
  });
  test('only live bindings of the current policy count', () => {
    const policy = pickN(1, over('DoNotSchedule'));
    const bindings = [
      bound('x-1', { deleting: true }),
      bound('x-2', { state: 'Unscheduled' }),
      bound('x-3', { policySnapshotIndex: 7 }),
    ];
    const snapshots = snapshotOf(policy, { index: 8 });
    expect(scores({ policy, fleet: regions({ x: 3, y: 1 }), bindings, snapshots })).toMatchObject({
      'x-3': [-1, 0],
      'y-1': [-1, 0],
    });
  });
  test('picks alternate between domains, ties to the greatest name', () => {
    expect(selected({ policy: pickN(4, over('DoNotSchedule')), fleet: regions({ x: 3, y: 3 }) })).toEqual([
      'x-3',
      'x-2',
      'y-3',
      'y-2',
    ]);
  });
  test('the first violated hard constraint is the reason, the others follow', () => {
    const both = { topologySpreadConstraints: [{ topologyKey: 'zone' }, { topologyKey: 'region' }] };
    const place = (name: string, region: string, rest: object = {}) =>
      cluster(name, { labels: { region, zone: region }, ...rest });
    const policy = pickN(2, both);
    const fleet = [place('a', 'x'), place('b', 'x'), place('c', 'y', { taints: [{ key: 'k' }] })];
    expect(reasonsOf({ policy, fleet, ...at(['a'], policy) })['b']).toBe(
      'ClusterUnschedulable, violated doNotSchedule topology spread constraint "zone" (max skew 1); violated doNotSchedule topology spread constraint "region" (max skew 1)',
    );
  });
  test('after a policy change only the first cycle knows obsolete bindings; later picks restore them', () => {
    const policy = pickN(2, over('ScheduleAnyway', 5));
    const fleet = regions({ x: 3, y: 3 });
    const bindings = [bound('x-1'), bound('y-1', { state: 'Scheduled' }), bound('y-3')];
    expect(states({ policy, fleet, bindings, snapshots: snapshotOf(pickN(3)) })).toEqual([
      'x-1 Unscheduled @0',
      'x-3 Scheduled @1',
      'y-1 Unscheduled @0',
      'y-3 Bound @1',
    ]);
  });
});

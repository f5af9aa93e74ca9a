import { describe, expect, test } from 'vitest';
import { cluster } from '../worlds.ts';
import { bound, clusters, outside, pickN, reasonsOf, required, run, scored, snapshotOf } from './setting.ts';

describe('explanations', () => {
  test('further reasons follow the first', () => {
    const fleet = [
      cluster('a', {
        taints: [{ key: 'k' }],
        properties: { cost: 'cheap' },
        status: { properties: { cost: { value: 'cheap' } }, agentStatus: [] },
      }),
    ];
    const affinity = required({
      labelSelector: { matchLabels: { env: 'prod' } },
      propertySelector: { matchExpressions: [{ name: 'cost', operator: 'Gt', values: ['1'] }] },
    });
    expect(reasonsOf({ policy: { affinity }, fleet })['a']).toBe(
      `${outside}; property "cost" has the value "cheap", which is not a quantity; cluster is not connected to the fleet: member agent is not online yet; taint k:NoSchedule is not tolerated`,
    );
  });
  test('are those of the last cycle, and stand while nothing changed', () => {
    const region = (name: string, value: string) => cluster(name, { labels: { region: value } });
    const fleet = [region('a', 'x'), region('b', 'x'), region('c', 'y')];
    const policy = pickN(2, { topologySpreadConstraints: [{ topologyKey: 'region', maxSkew: 1 }] });
    const first = run({ policy, fleet });
    // The second cycle saw x empty; by the present bindings another pick in x would cost one.
    expect(first.decisions.at(-1)).toEqual({
      clusterName: 'a',
      selected: false,
      clusterScore: { affinityScore: 0, topologySpreadScore: 1 },
      reason: 'cluster "a" does not score high enough (affinity score: 0, topology spread score: 1)',
    });
    const again = { policy, bindings: first.bindings, snapshots: first.policySnapshots };
    expect(run({ ...again, fleet }).decisions).toEqual(first.decisions);
    // A label that the policy does not read is no change, one that it reads is.
    expect(
      run({ ...again, fleet: [cluster('a', { labels: { region: 'x', note: 'new' } }), ...fleet.slice(1)] }).decisions,
    ).toEqual(first.decisions);
    expect(run({ ...again, fleet: [...fleet, region('d', 'y')] }).decisions.slice(2)).toMatchObject([
      { clusterName: 'd', clusterScore: { topologySpreadScore: -1 } },
      { clusterName: 'a', clusterScore: { topologySpreadScore: -1 } },
    ]);
  });
  test('exist without a cycle too', () => {
    const setting = {
      policy: pickN(1),
      fleet: clusters('a', 'b'),
      bindings: [bound('a', scored(0))],
      snapshots: snapshotOf(pickN(1)),
    };
    expect(run(setting).decisions.map(({ clusterName }) => clusterName)).toEqual(['a', 'b']);
  });
  test('are cut at a thousand decisions, selected ones first', () => {
    const fleet = Array.from({ length: 1200 }, (_, at) =>
      cluster(`c-${String(at).padStart(4, '0')}`, at < 150 ? { taints: [{ key: 'k' }] } : {}),
    );
    const { decisions, bindings } = run({ policy: pickN(900), fleet });
    expect([decisions.length, decisions.filter((decision) => decision.selected).length, bindings.length]).toEqual([
      1000, 900, 900,
    ]);
    expect(decisions[900]!.clusterName).toBe('c-0299');
    expect(run({ policy: {}, fleet }).bindings).toHaveLength(1050);
    expect(run({ policy: {}, fleet }).decisions).toHaveLength(1000);
  });
});

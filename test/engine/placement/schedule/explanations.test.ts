import { describe, expect, test } from 'vitest';
import type { ClusterName } from '../../../../src/api/meta.ts';
import type { ClusterDecision } from '../../../../src/api/placement-state.ts';
import { compileFleet } from '../../../../src/engine/placement/compiled/compile-fleet.ts';
import { isChanged } from '../../../../src/engine/placement/members.ts';
import { schedule } from '../../../../src/engine/placement/schedule.ts';
import { cluster, digest, now, placementOf, survey } from '../worlds.ts';
import {
  bound,
  clusters,
  outside,
  pickN,
  reasonsOf,
  required,
  run,
  type Setting,
  scored,
  snapshotOf,
} from './setting.ts';

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
  test('are those of the last cycle, and stay while nothing changes', () => {
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
  describe('without a digest, as in a record written by hand', () => {
    const other = { clusterName: 'b', selected: false, reason: 'reason of the hub' };
    const policy = pickN(1);
    const fleet = [...clusters('a', 'b'), cluster('c', { labels: { env: 'prod' } })];
    const setting = (targetClusters: readonly ClusterDecision[], more: Partial<Setting> = {}): Setting => ({
      ...{ policy, fleet, bindings: [bound('a', scored(0))] },
      ...more,
      snapshots: snapshotOf(policy, { numberOfClusters: 1, targetClusters: [...targetClusters] }),
    });
    const both = [other, { ...other, clusterName: 'c' }];
    const words = (of: Setting) =>
      run(of)
        .decisions.slice(1)
        .map(({ reason }) => reason);
    const [hub, ours] = ['reason of the hub', expect.stringContaining('does not score high enough')];

    test.each<[string, Setting, readonly unknown[]]>([
      ['stay while policy, number, members and picks match them', setting(both), [hub, hub]],
      ['stand in their order', setting(both.toReversed()), [hub, hub]],
      [
        'are computed again for another number',
        setting(both, {
          policy: pickN(2),
          bindings: [bound('a', scored(0)), bound('d', scored(0))],
          fleet: [...fleet, cluster('d')],
        }),
        [expect.anything(), ours, ours],
      ],
      ['are computed again where a member is missing in them', setting([other]), [ours, ours]],
      [
        'are computed again where one is about no member',
        setting([...both, { ...other, clusterName: 'z' }]),
        [ours, ours],
      ],
      [
        'are computed again where one is about a picked cluster',
        setting([...both, { ...other, clusterName: 'a' }]),
        [ours, ours],
      ],
      ['are computed again when a cycle runs', setting(both, { bindings: [] }), [ours, ours]],
    ])('%s', (_, of, expected) => {
      expect(words(of)).toEqual(expected);
    });

    test('are computed again for a member that differs from the record', () => {
      const { policy: given, ...state } = setting(both);
      const member = survey(fleet, now)[2]!;
      const recorded = (labels: Record<string, string>) => ({
        clusters: new Map([['c' as ClusterName, cluster('c', { labels })]]),
      });
      expect([isChanged(member, recorded({ env: 'prod' })), isChanged(member, recorded({ env: 'dev' }))]).toEqual([
        false,
        true,
      ]);
      const reported = (isOther: boolean) =>
        schedule({
          placement: placementOf(given),
          state: { policySnapshots: state.snapshots!, bindings: state.bindings! },
          index: compileFleet(survey(fleet, now)),
          ...{ now, digest, membersChanged: () => isOther },
        })
          .decisions.slice(1)
          .map(({ reason }) => reason);
      expect([reported(false), reported(true)]).toEqual([
        [hub, hub],
        [ours, ours],
      ]);
    });

    test('stay in every later plan, until something changes', () => {
      const first = run(setting(both));
      const again = { policy, fleet, bindings: first.bindings, snapshots: first.policySnapshots };
      expect(words(again)).toEqual([hub, hub]);
      expect(run(again).policySnapshots).toEqual(first.policySnapshots);
      expect(words({ ...again, fleet: [...fleet, cluster('d')] })).toEqual([ours, ours, ours]);
    });
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

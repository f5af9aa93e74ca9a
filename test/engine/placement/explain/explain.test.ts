import { expect, test } from 'vitest';
import type { MemberCluster } from '../../../../src/api/member-cluster.ts';
import { compileFleet } from '../../../../src/engine/placement/compiled/compile-fleet.ts';
import { explain } from '../../../../src/engine/placement/explain/explain.ts';
import { schedule } from '../../../../src/engine/placement/schedule.ts';
import { cluster, digest, now, placementOf, survey } from '../worlds.ts';

const explained = (policy: object, fleet: readonly MemberCluster[], clusterName?: string) => {
  const placement = placementOf(policy);
  const index = compileFleet(survey(fleet));
  const { decisions, bindings } = schedule({
    placement,
    state: { policySnapshots: [], bindings: [] },
    index,
    now,
    digest,
    membersChanged: () => false,
  });
  const planned = bindings.map(({ targetCluster, state }) => ({
    clusterName: targetCluster,
    state,
    move: 'keep' as const,
    conditions: [],
  }));
  return explain({ placement, index, planned: { decisions, bindings: planned } }, clusterName);
};

const fleet = [
  cluster('a', { labels: { region: 'x' }, properties: { cost: '1' } }),
  cluster('b', { labels: { region: 'x' }, properties: { cost: '3' }, taints: [{ key: 'k' }] }),
  cluster('c', { labels: { region: 'y' }, properties: { cost: '2' } }),
];
const policy = {
  placementType: 'PickN',
  numberOfClusters: 1,
  affinity: {
    clusterAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 10,
          preference: {
            labelSelector: { matchLabels: { region: 'x' } },
            propertySorter: { name: 'cost', sortOrder: 'Ascending' },
          },
        },
      ],
    },
  },
  topologySpreadConstraints: [{ topologyKey: 'region', maxSkew: 1 }],
};

test('every filter has a verdict, also after one that failed, and every term shows its parts', () => {
  expect(explained(policy, fleet, 'b')).toEqual([
    {
      clusterName: 'b',
      decision: {
        clusterName: 'b',
        selected: false,
        reason: 'ClusterUnschedulable, taint k:NoSchedule is not tolerated',
      },
      filters: [
        { plugin: 'ClusterAffinity', passed: true },
        { plugin: 'ClusterEligibility', passed: true },
        { plugin: 'NamespaceAffinity', passed: true },
        { plugin: 'TaintToleration', passed: false, reason: 'taint k:NoSchedule is not tolerated' },
        { plugin: 'SamePlacementAntiAffinity', passed: true },
        {
          plugin: 'TopologySpreadConstraints',
          passed: false,
          reason: 'violated doNotSchedule topology spread constraint "region" (max skew 1)',
        },
      ],
      score: {
        affinityScore: 0,
        topologySpreadScore: 0,
        terms: [
          {
            weight: 10,
            labelsMatch: true,
            property: 'cost',
            sortOrder: 'Ascending',
            value: '3',
            min: 1,
            max: 3,
            score: 0,
          },
        ],
        spread: [
          {
            topologyKey: 'region',
            whenUnsatisfiable: 'DoNotSchedule',
            maxSkew: 1,
            domain: 'x',
            count: 1,
            lowest: 0,
            highest: 1,
            change: 1,
            violated: true,
            score: 0,
          },
        ],
      },
    },
  ]);
});

test('a selected cluster shows its binding and the decision it was picked with', () => {
  const [a] = explained(policy, fleet, 'a');
  expect(a).toMatchObject({
    binding: 'Scheduled',
    decision: { selected: true, clusterScore: { affinityScore: 10, topologySpreadScore: -1 } },
  });
  expect(a!.filters[4]).toEqual({
    plugin: 'SamePlacementAntiAffinity',
    passed: false,
    reason: 'the placement is on this cluster already',
  });
});

test('under PickFixed the filters are name and eligibility', () => {
  expect(explained({ placementType: 'PickFixed', clusterNames: ['a'] }, fleet, 'c')).toEqual([
    {
      clusterName: 'c',
      filters: [
        { plugin: 'ClusterNames', passed: false, reason: 'cluster is not named in the policy' },
        { plugin: 'ClusterEligibility', passed: true },
      ],
    },
  ]);
});

test('all clusters come by name, an unknown one gives nothing', () => {
  expect(explained({}, fleet).map(({ clusterName }) => clusterName)).toEqual(['a', 'b', 'c']);
  expect(explained({}, fleet, 'z')).toEqual([]);
});

test('a name of PickFixed that the fleet does not have is listed among the clusters', () => {
  const named = { placementType: 'PickFixed', clusterNames: ['bb', 'a'] };
  expect(explained(named, fleet).map(({ clusterName }) => clusterName)).toEqual(['a', 'b', 'bb', 'c']);
  expect(explained(named, fleet, 'bb')).toEqual([
    {
      clusterName: 'bb',
      decision: { clusterName: 'bb', selected: false, reason: 'cluster "bb" is not found in the fleet' },
      filters: [{ plugin: 'ClusterNames', passed: false, reason: 'the fleet has no cluster of this name' }],
    },
  ]);
});

import { expect, it } from 'vitest';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { unknownProperties } from '../../../src/repo/fleet/unknown-properties.ts';
import { member, placement, treeOf } from '../../support/paper-fleet.ts';

async function reported(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const term = `{propertySelector: {matchExpressions: [{name: ${name}, operator: Gt, values: ["1"]}]}}`;
  const sorter = `{weight: 1, preference: {propertySorter: {name: ${name}, sortOrder: Ascending}}}`;
  const fleet = await loadFleet(
    treeOf({
      'a.yaml': member('a').replace('metadata:', `metadata:\n  annotations: ${JSON.stringify(annotations)}`),
      'web.yaml': placement(
        'web',
        `{placementType: PickN, numberOfClusters: 1, affinity: {clusterAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [${term}]},
          preferredDuringSchedulingIgnoredDuringExecution: [${sorter}]}}}`,
      ),
    }),
  );
  expect(fleet.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const problems = unknownProperties(fleet);
  expect(problems.map(({ path }) => path?.split('.').slice(-2).join('.'))).toEqual(
    problems.length === 0 ? [] : ['0.name', 'propertySorter.name'],
  );
  expect(new Set(problems.map(({ message, fix }) => `${message}: ${fix}`)).size).toBe(problems.length === 0 ? 0 : 1);
  return problems
    .slice(0, 1)
    .map(({ message, fix }) => `${message.replace('ClusterResourcePlacement web: ', '')}: ${fix}`);
}

it.each([
  'kubernetes-fleet.io/node-count',
  'kubernetes.azure.com/node-count',
  'kubernetes.azure.com/per-cpu-core-cost',
  'resources.kubernetes-fleet.io/available-cpu',
  'resources.kubernetes-fleet.io/total-nvidia.com/gpu',
  'example.com/latency',
])('there is no warning about %s', async (name) => {
  expect(await reported(name)).toEqual([]);
});

it.each([
  ['available-cpu', 'resources.kubernetes-fleet.io/available-cpu'],
  ['total-ephemeral-storage', 'resources.kubernetes-fleet.io/total-ephemeral-storage'],
  ['kubernetes-fleet.io/available-cpu', 'resources.kubernetes-fleet.io/available-cpu'],
  ['fleet.azure.com/available-memory', 'resources.kubernetes-fleet.io/available-memory'],
  ['node-count', 'kubernetes-fleet.io/node-count'],
  ['nodecount', 'kubernetes-fleet.io/node-count'],
  ['kubernetes-fleet.io/nodecount', 'kubernetes-fleet.io/node-count'],
  ['kubernetes-fleet.io/per-cpu-core-cost', 'kubernetes.azure.com/per-cpu-core-cost'],
])('of %s that %s may be meant', async (name, meant) => {
  expect(await reported(name)).toEqual([`no cluster reports a property ${name}: did you mean ${meant}?`]);
});

it('of a name without a prefix that is like none, that names have one', async () => {
  expect(await reported('latency')).toEqual([
    'no cluster reports a property latency: write a whole name, such as kubernetes-fleet.io/node-count',
  ]);
});

it('a property that is not a quantity cannot be selected', async () => {
  expect(await reported('k8s.io/k8s-version')).toEqual([
    'property k8s.io/k8s-version is not a quantity: no cluster can match: undefined',
  ]);
});

it('there is no warning about a property that a cluster of the repo has', async () => {
  expect(await reported('latency', { 'property.gitfleet.dev/latency': '5' })).toEqual([]);
});

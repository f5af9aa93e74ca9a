import { describe, expect, it } from 'vitest';
import type { PriceList } from '../../src/api/gitfleet.ts';
import { openWorld } from '../support/member-world.ts';

type Amounts = Readonly<Record<string, string>>;
interface NodeGiven {
  readonly type?: string;
  readonly capacity?: Amounts;
  readonly allocatable?: Amounts;
  readonly labels?: Readonly<Record<string, string>>;
  readonly provider?: string;
}
const node = (given: NodeGiven, at: number) => ({
  metadata: {
    name: `n${at}`,
    labels: { ...(given.type && { 'node.kubernetes.io/instance-type': given.type }), ...given.labels },
  },
  spec: { providerID: `${given.provider ?? 'azure'}:///n${at}` },
  status: { capacity: given.capacity ?? {}, allocatable: given.allocatable ?? given.capacity ?? {} },
});
const asks = (...requests: readonly Amounts[]) => requests.map((of) => ({ resources: { requests: of } }));
const placed = (containers: readonly object[], initContainers: readonly object[] = []) => ({
  metadata: { name: 'p' },
  spec: { nodeName: 'n0', containers, initContainers },
});
const prices = (...of: PriceList['spec']['prices']): PriceList => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'PriceList',
  metadata: { name: 'prices' },
  spec: { currency: 'USD', prices: of },
});
const price = (instanceType: string, perHour: number, more: { zone?: string; capacityType?: 'spot' } = {}) => ({
  instanceType,
  perHour,
  capacityType: 'on-demand' as const,
  ...more,
});

/** What a member with these nodes and pods reports. */
async function observed(nodes: readonly NodeGiven[], pods: readonly object[] = [], lists: readonly PriceList[] = []) {
  const answers: Record<string, readonly object[]> = { '/api/v1/nodes': nodes.map(node), '/api/v1/pods': pods };
  const world = await openWorld(
    {},
    {
      priceLists: () => lists,
      intercept({ method, path }) {
        const items = method === 'GET' ? answers[path.split('?')[0]!] : undefined;
        return (
          items && { status: 200, body: { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items } }
        );
      },
    },
  );
  world.member.assign([]);
  await world.pass(1);
  world.member.stop();
  return world.observation();
}

/** Its properties. */
async function reported(...of: Parameters<typeof observed>) {
  const { properties = {}, resourceUsage, conditions } = (await observed(...of)).memberStatus!;
  const { 'k8s.io/k8s-version': _, ...rest } = properties;
  return {
    properties: Object.fromEntries(Object.entries(rest).map(([name, { value }]) => [name, value])),
    resourceUsage,
    costs: conditions?.find(({ type }) => type.startsWith('AKS')),
  };
}
const two: Amounts = { cpu: '2', memory: '4Gi' };

describe('a member reports', () => {
  it('the number of nodes and their total capacity', async () => {
    const { properties, resourceUsage } = await reported([
      { provider: 'kind', capacity: two, allocatable: { cpu: '1900m', memory: '3Gi' } },
      { provider: 'kind', capacity: { cpu: '500m', memory: '1Gi' } },
    ]);
    expect(properties).toEqual({ 'kubernetes-fleet.io/node-count': '2' });
    expect(resourceUsage).toEqual({
      capacity: { cpu: '2500m', memory: '5242880Ki' },
      allocatable: { cpu: '2400m', memory: '4194304Ki' },
      available: { cpu: '2400m', memory: '4194304Ki' },
    });
  });

  it('available resources: capacity minus the larger of containers and init containers, at least 0', async () => {
    const available = async (...pods: readonly object[]) =>
      (await reported([{ capacity: two }], pods)).resourceUsage?.available;
    const waiting = { metadata: { name: 'w' }, spec: { containers: asks({ cpu: '1' }) } };
    expect(await available(waiting, placed(asks({ cpu: '250m', memory: '1Gi' }, { cpu: '250m' })))).toEqual({
      cpu: '1500m',
      memory: '3145728Ki',
    });
    expect(await available(placed(asks({ cpu: '100m' }), asks({ cpu: '1' }, { memory: '1Gi' })))).toEqual({
      cpu: '1',
      memory: '3145728Ki',
    });
    expect(await available(placed(asks({ cpu: '3', memory: '4Gi' })))).toEqual({ cpu: '0', memory: '0Ki' });
    const hundreds = Array.from({ length: 150 }, () => placed(asks({ cpu: '10m' })));
    expect(await available(...hundreds)).toEqual({ cpu: '500m', memory: '4194304Ki' });
  });

  it('how many nodes of each size it has on Azure', async () => {
    const nodes = [{ type: 'Standard_D2s_v5' }, { type: 'Standard_D2s_v5' }, { type: 'Standard_E4' }, {}];
    expect((await reported(nodes)).properties).toEqual({
      'kubernetes-fleet.io/node-count': '4',
      'kubernetes.azure.com/vm-sizes/Standard_D2s_v5/count': '2',
      'kubernetes.azure.com/vm-sizes/Standard_E4/count': '1',
    });
    expect((await reported([{ type: 'm5.large', provider: 'aws' }])).properties).toEqual({
      'kubernetes-fleet.io/node-count': '1',
    });
  });

  const costsOf = (perCore: string, perGb: string) => ({
    'kubernetes.azure.com/per-cpu-core-cost': perCore,
    'kubernetes.azure.com/per-gb-memory-cost': perGb,
  });
  it.each<[string, readonly NodeGiven[], readonly PriceList[], object]>([
    ['without a price list no costs', [{ type: 'a' }], [], {}],
    [
      'all prices by all capacity, to three decimals',
      [{ type: 'a' }, { type: 'b' }],
      [prices(price('a', 0.1), price('b', 0.3))],
      costsOf('0.100', '0.050'),
    ],
    [
      'the price of the zone before the one of none',
      [{ type: 'a', labels: { 'topology.kubernetes.io/zone': 'z1' } }],
      [prices(price('a', 1), price('a', 3, { zone: 'z1' }))],
      costsOf('1.500', '0.750'),
    ],
    [
      'of another zone the one of none',
      [{ type: 'a', labels: { 'topology.kubernetes.io/zone': 'z2' } }],
      [prices(price('a', 3, { zone: 'z1' }), price('a', 1))],
      costsOf('0.500', '0.250'),
    ],
    [
      'a spot node at the price of spot',
      [{ type: 'a', labels: { 'karpenter.sh/capacity-type': 'spot' } }],
      [prices(price('a', 1), price('a', 0.2, { capacityType: 'spot' } as never))],
      costsOf('0.100', '0.050'),
    ],
  ])('%s', async (_, nodes, lists, costs) => {
    const { properties, costs: failed } = await reported(
      nodes.map((of) => ({ provider: 'kind', capacity: two, ...of })),
      [],
      lists,
    );
    const { 'kubernetes-fleet.io/node-count': __, ...rest } = properties;
    expect([rest, failed]).toEqual([costs, undefined]);
  });

  it.each<[string, readonly NodeGiven[], string]>([
    [
      'one size without a price',
      [
        { type: 'a', capacity: two },
        { type: 'c', capacity: two },
      ],
      'no price for instance type c (on-demand) of node n1',
    ],
    ['nodes of no capacity', [{ type: 'a' }], 'the nodes report no capacity'],
  ])('no costs, and why, where there are %s', async (_, nodes, message) => {
    const { properties, costs } = await reported(nodes, [], [prices(price('a', 1))]);
    expect(Object.keys(properties).filter((name) => name.endsWith('-cost'))).toEqual([]);
    expect(costs).toEqual({
      type: 'AKSClusterCostPropertiesCollectionSucceeded',
      status: 'False',
      reason: 'CostsCalculationFailed',
      message,
    });
  });
});

it.each(['/api/v1/nodes', '/api/v1/pods'])('a refused list, %s, does not lose the Kubernetes version', async (list) => {
  const world = await openWorld(
    {},
    {
      priceLists: () => [],
      intercept: ({ method, path }) =>
        method === 'GET' && path.split('?')[0] === list
          ? {
              status: 403,
              body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 },
            }
          : undefined,
    },
  );
  world.member.assign([]);
  await world.pass(1);
  world.member.stop();
  const { memberStatus, versions } = world.observation();
  expect(memberStatus!.properties?.['k8s.io/k8s-version']?.value).toMatch(/^v1\.\d+/);
  expect(versions?.controlPlane).toMatch(/^v1\.\d+/);
  const collected = memberStatus!.conditions?.find(({ type }) => type === 'ClusterPropertyCollectionSucceeded');
  expect(collected).toMatchObject({ status: 'False', message: expect.stringContaining(list) });
});

it('a member reports workloads whose pods restarted: a ReplicaSet as its Deployment, and when last', async () => {
  const pod = (owner: object, at: string | undefined, labels = {}) => ({
    metadata: {
      name: 'p',
      namespace: 'web',
      labels,
      ownerReferences: [{ apiVersion: 'v1', uid: 'u', controller: true, ...owner }],
    },
    spec: { containers: [] },
    status: { containerStatuses: [{ lastState: at === undefined ? {} : { terminated: { finishedAt: at } } }, null] },
  });
  const replicaSet = { kind: 'ReplicaSet', name: 'web-5d9f' };
  const hash = { 'pod-template-hash': '5d9f' };
  const { restarts } = await observed(
    [],
    [
      pod(replicaSet, '2026-11-20T09:00:00Z', hash),
      pod(replicaSet, '2026-11-20T09:30:00Z', hash),
      pod(replicaSet, undefined, hash),
      pod({ kind: 'StatefulSet', name: 'db' }, '2026-11-20T09:40:00Z'),
      pod({ kind: 'Job', name: 'x'.repeat(300) }, '2026-11-20T09:50:00Z'),
      pod({ kind: 'Job', name: 'job' }, 'yesterday'),
    ],
  );
  expect(restarts).toEqual([
    { kind: 'StatefulSet', namespace: 'web', name: 'db', pods: 1, at: '2026-11-20T09:40:00.000Z' },
    { kind: 'Deployment', namespace: 'web', name: 'web', pods: 2, at: '2026-11-20T09:30:00.000Z' },
  ]);
});

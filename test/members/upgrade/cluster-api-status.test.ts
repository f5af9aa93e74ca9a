import { afterEach, expect, it } from 'vitest';
import type { OperationReport, UpgradeOperation } from '../../../src/members/upgrade/provider.ts';
import { type ClusterApiWorld, clusterApiWorld } from './worlds/cluster-api-world.ts';
import { pass } from './worlds/world.ts';

let world: ClusterApiWorld;
afterEach(() => world.close());

const full = (pool = 'md-0'): UpgradeOperation => ({
  run: 'k8s',
  operationId: 'k8s.eu-1.20261120T100000Z',
  type: 'Full',
  controlPlane: 'v1.31.5',
  pools: [{ name: pool, kubernetes: 'v1.31.5' }],
});

const both: UpgradeOperation = {
  ...full(),
  pools: ['md-0', 'md-1'].map((name) => ({ name, kubernetes: 'v1.31.5' })),
};

/** Looks until nothing is requested any more. */
async function looks(of: UpgradeOperation): Promise<OperationReport> {
  for (let time = 0; time < 20; time++) {
    const provider = world.provider();
    const seen = await provider.observe();
    if (!(await provider.start(of, seen))) {
      const report = await provider.poll(of, seen);
      if (report.phase !== 'Running') return report;
    }
    await pass(world.clock, 10);
  }
  const provider = world.provider();
  return provider.poll(of, await provider.observe());
}

/** What it reports from now on stays. */
function report(plural: string, name: string, status: object): void {
  world.fake.isAsleep = true;
  const { status: before = {} } = world.fake.get(plural, name) as { status?: object };
  world.fake.report(plural, name, { ...before, ...status });
}

const rolled = { replicas: 2, readyReplicas: 2, availableReplicas: 2, upToDateReplicas: 2 };

async function withMachinePool(): Promise<void> {
  world = await clusterApiWorld(false);
  await world.fake.create({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachinePool',
    metadata: { name: 'mp-0', namespace: 'fleet', labels: { 'cluster.x-k8s.io/cluster-name': 'eu-1' } },
    spec: { replicas: 2, template: { spec: { version: 'v1.30.9' } } },
  });
}

const machine = (name: string, kubeletVersion: string) => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: {
    name,
    namespace: 'fleet',
    labels: { 'cluster.x-k8s.io/cluster-name': 'eu-1', 'cluster.x-k8s.io/pool-name': 'mp-0' },
  },
  status: { nodeInfo: { kubeletVersion } },
});

it('a MachinePool is upgraded after the control plane, by the version of its template', async () => {
  await withMachinePool();
  report('machinepools', 'mp-0', { ...rolled, versions: [{ version: 'v1.30.9' }] });
  world.fake.isAsleep = false;
  expect(await looks(full('mp-0'))).toMatchObject({ phase: 'Running' });
  expect(world.changes().map((line) => line.split(' ')[1])).toEqual([
    'clusters/eu-1',
    'kubeadmcontrolplanes/eu-1-cp',
    'machinepools/mp-0',
  ]);
  world.fake.report('machinepools', 'mp-0', { ...rolled, versions: [{ version: 'v1.31.5' }] });
  expect(await looks(full('mp-0'))).toMatchObject({ phase: 'Succeeded' });
});

it('a MachinePool that reports no version runs what the oldest of its Machines runs', async () => {
  await withMachinePool();
  report('machinepools', 'mp-0', rolled);
  const pools = async () =>
    (await world.provider().observe()).versions.pools?.find(({ name }) => name === 'mp-0')?.kubernetes;
  expect(await pools()).toBeUndefined();
  await world.fake.create(machine('mp-0-a', 'v1.31.5'));
  await world.fake.create(machine('mp-0-b', 'v1.30.9'));
  for (const [name, kubeletVersion] of [
    ['mp-0-a', 'v1.31.5'],
    ['mp-0-b', 'v1.30.9'],
  ] as const)
    world.fake.report('machines', name, { nodeInfo: { kubeletVersion } });
  expect(await pools()).toBe('v1.30.9');
});

it('a MachinePool without any version never succeeds', async () => {
  await withMachinePool();
  report('machinepools', 'mp-0', rolled);
  world.fake.isAsleep = false;
  expect(await looks(full('mp-0'))).toMatchObject({ phase: 'Running' });
});

it('where versions[] is missing, status.version counts: it is the oldest', async () => {
  world = await clusterApiWorld(true);
  report('kubeadmcontrolplanes', 'eu-1-cp', { versions: undefined, version: 'v1.30.4' });
  expect((await world.provider().observe()).versions.controlPlane).toBe('v1.30.4');
});

it('the oldest of several versions is what runs', async () => {
  world = await clusterApiWorld(true);
  report('machinedeployments', 'md-0', { versions: [{ version: 'v1.30.9' }, { version: 'v1.31.5' }] });
  expect((await world.provider().observe()).versions.pools?.[0]?.kubernetes).toBe('v1.30.9');
});

it('a topology that cannot be reconciled is told, and not done', async () => {
  world = await clusterApiWorld(true);
  const provider = world.provider();
  await provider.start(full(), await provider.observe());
  report('clusters', 'eu-1', {
    conditions: [
      {
        type: 'TopologyReconciled',
        status: 'False',
        reason: 'ReconcileFailed',
        message: 'quota exceeded',
        observedGeneration: 2,
      },
    ],
  });
  expect(await provider.poll(full(), await provider.observe())).toMatchObject({
    phase: 'Running',
    message: expect.stringContaining('quota exceeded'),
  });
});

it.each([
  'ClusterUpgrading',
  'ControlPlaneUpgradePending',
  'MachineDeploymentsUpgradePending',
  'MachinePoolsUpgradePending',
  'MachineDeploymentsUpgradeDeferred',
  'LifecycleHookBlocking',
])('machines that are all new are not done while the topology is not reconciled: %s', async (reason) => {
  world = await clusterApiWorld(true);
  expect(await looks(both)).toMatchObject({ phase: 'Succeeded' });
  const { generation } = world.fake.get('clusters', 'eu-1').metadata;
  const condition = { type: 'TopologyReconciled', status: 'False', reason, observedGeneration: generation };
  report('clusters', 'eu-1', { conditions: [condition] });
  expect(await looks(both)).toMatchObject({ phase: 'Running' });
});

it('machines that are all new are not done while RollingOut is True, or some are not available', async () => {
  world = await clusterApiWorld(true);
  expect(await looks(full())).toMatchObject({ phase: 'Succeeded' });
  const { conditions } = (world.fake.get('machinedeployments', 'md-0') as { status?: { conditions?: object } }).status!;
  report('machinedeployments', 'md-0', { conditions: [{ type: 'RollingOut', status: 'True' }] });
  expect(await looks(full())).toMatchObject({ phase: 'Running' });
  report('machinedeployments', 'md-0', { conditions, availableReplicas: 1 });
  expect(await looks(full())).toMatchObject({ phase: 'Running' });
});

it.each(['EtcdClusterHealthy', 'ControlPlaneComponentsHealthy'])(
  'a control plane of which %s is False has a Blocking finding',
  async (type) => {
    world = await clusterApiWorld(true);
    report('kubeadmcontrolplanes', 'eu-1-cp', { conditions: [{ type, status: 'False', message: 'member down' }] });
    const provider = world.provider();
    expect(await provider.preflight(await provider.observe())).toEqual([
      {
        reason: 'ControlPlaneUnhealthy',
        severity: 'Blocking',
        message: `${type} of the control plane is False: member down`,
      },
    ]);
  },
);

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OperationReport, UpgradeOperation } from '../../../src/members/upgrade/provider.ts';
import { systemUpgradeProvider } from '../../../src/members/upgrade/system-upgrade/system-upgrade.ts';
import { inProcessTransport } from '../../../src/simulator/transport.ts';
import { clientOf } from '../../support/member-client.ts';
import { simulated } from '../../support/member-world.ts';
import { type SystemUpgradeWorld, systemUpgradeWorld } from './worlds/system-upgrade-world.ts';
import { pass } from './worlds/world.ts';

let world: SystemUpgradeWorld;
beforeEach(async () => {
  world = await systemUpgradeWorld();
});
afterEach(() => world.close());

const operation = (more: Partial<UpgradeOperation> = {}): UpgradeOperation => ({
  run: 'k8s',
  operationId: 'k8s.eu-1.20261120T100000Z',
  type: 'Full',
  ...more,
});
const to = (version: string, operationId = operation().operationId) =>
  operation({ operationId, controlPlane: version, pools: [{ name: 'agents', kubernetes: version }] });
const full = to('v1.31.5+k3s1');
const servers = operation({ type: 'ControlPlaneOnly', controlPlane: 'v1.31.5+k3s1' });

async function look(of: UpgradeOperation): Promise<OperationReport | 'requested'> {
  const provider = world.provider();
  const seen = await provider.observe();
  if (await provider.start(of, seen)) return 'requested';
  return provider.poll(of, seen);
}

async function looks(of: UpgradeOperation, times = 60): Promise<OperationReport | 'requested'> {
  let last = await look(of);
  for (let time = 0; time < times && (last === 'requested' || last.phase === 'Running'); time++) {
    await pass(world.clock, 10);
    last = await look(of);
  }
  return last;
}

const kubelets = () =>
  ['server-0', 'server-1', 'agent-0', 'agent-1'].map(
    (name) => (world.fake.node(name)['status'] as { nodeInfo: { kubeletVersion: string } }).nodeInfo.kubeletVersion,
  );

const plans = (): string[] =>
  world.changes().map((line) =>
    line
      .replace(/\/apply-.*/, '')
      .split(' ')
      .slice(0, 2)
      .join(' '),
  );

it('the Plan of the agents is created when all servers are done', async () => {
  expect(await looks(full)).toMatchObject({ phase: 'Succeeded' });
  expect(world.fake.begun.map((line) => line.split('-')[0])).toEqual(['server', 'server', 'agent', 'agent']);
  expect(plans()).toEqual(['POST plans', 'POST plans']);
});

it('a Plan names the version, the image of the distribution and the operation', async () => {
  await look(full);
  expect(world.fake.plan('gitfleet-servers')).toMatchObject({
    metadata: { annotations: { 'gitfleet.dev/upgrade-operation': full.operationId } },
    spec: {
      concurrency: 1,
      version: 'v1.31.5+k3s1',
      cordon: true,
      upgrade: { image: 'rancher/k3s-upgrade' },
      nodeSelector: { matchExpressions: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' }] },
    },
  });
});

it('a Plan that its controller has not taken up is not done', async () => {
  await looks(full);
  world.fake.isAsleep = true;
  const next = to('v1.32.2+k3s1', 'k8s.eu-1.20261121T100000Z');
  expect(await looks(next, 5)).toEqual({
    phase: 'Running',
    message: 'servers: 0 of 2 nodes; system-upgrade-controller has not taken up Plan gitfleet-servers yet',
  });
});

it('a node that is marked as finished and runs another version is not done', async () => {
  await looks(servers);
  world.fake.setKubelet('server-1', 'v1.30.9+k3s1');
  await pass(world.clock, 20);
  expect(await look(servers)).toEqual({
    phase: 'Running',
    message:
      'servers: 1 of 2 nodes; server-1 runs v1.30.9+k3s1 and is marked as finished: remove its label plan.upgrade.cattle.io/gitfleet-servers',
  });
});

it('another attempt replaces the failed Plan and its failed Job, and leaves finished nodes alone', async () => {
  await looks(full, 1);
  await pass(world.clock, 5);
  world.fail();
  expect(await looks(full)).toMatchObject({ phase: 'Failed', message: expect.stringContaining('failed on Node') });
  world.heal();
  const begun = world.fake.begun.length;
  const again = to('v1.31.5+k3s1', 'k8s.eu-1.20261120T120000Z');
  expect(await looks(again)).toMatchObject({ phase: 'Succeeded' });
  expect(plans().slice(1, 4)).toEqual(['DELETE plans/gitfleet-servers', 'DELETE jobs', 'POST plans']);
  expect(world.fake.begun.slice(begun).filter((line) => line.startsWith('server-0'))).toEqual([]);
});

it('a Plan in progress is not replaced: its node would be left half upgraded', async () => {
  world.hang();
  await looks(servers, 3);
  const other = { ...servers, operationId: 'k8s.eu-1.20261120T120000Z' };
  expect(await looks(other, 5)).toMatchObject({ phase: 'NotRequested' });
  expect(plans()).toEqual(['POST plans']);
});

it('a Plan that somebody changed since it was read is not removed', async () => {
  await looks(servers);
  const provider = world.provider();
  const seen = await provider.observe();
  world.fake.isAsleep = true;
  const plan = seen.plans.get('gitfleet-servers')!;
  const stale = { ...plan, object: { ...plan.object, metadata: { ...plan.object.metadata, resourceVersion: '1' } } };
  const next = operation({ operationId: 'next', type: 'ControlPlaneOnly', controlPlane: 'v1.32.2+k3s1' });
  await expect(provider.start(next, { ...seen, plans: new Map([['gitfleet-servers', stale]]) })).rejects.toMatchObject({
    status: 409,
  });
});

it('a node that opted out stays as it is, with a Warning, and holds up nothing', async () => {
  world.fake.label('agent-1', 'plan.upgrade.cattle.io/gitfleet-agents', 'disabled');
  const provider = world.provider();
  expect(await provider.preflight(await provider.observe())).toEqual([
    {
      reason: 'NodesOptedOut',
      severity: 'Warning',
      message: 'the label plan.upgrade.cattle.io/…=disabled excludes nodes from the upgrade: agent-1',
    },
  ]);
  expect(await looks(full)).toMatchObject({ phase: 'Succeeded' });
  expect(kubelets()).toEqual(['v1.31.5+k3s1', 'v1.31.5+k3s1', 'v1.31.5+k3s1', 'v1.30.9+k3s1']);
});

it('servers that run the version already get no Plan', async () => {
  for (const name of ['server-0', 'server-1']) world.fake.setKubelet(name, 'v1.31.5+k3s1');
  expect(await looks(full)).toMatchObject({ phase: 'Succeeded' });
  expect(world.fake.begun.map((line) => line.split(' ')[0])).toEqual(['agent-0', 'agent-1']);
});

it('a Plan of somebody else that follows a channel is a Blocking finding', async () => {
  world.fake.createPlan('server-plan', {
    concurrency: 1,
    channel: 'https://update.k3s.io/v1-release/channels/stable',
    nodeSelector: { matchExpressions: [{ key: 'nothing', operator: 'Exists' }] },
    upgrade: { image: 'rancher/k3s-upgrade' },
  });
  const provider = world.provider();
  expect(await provider.preflight(await provider.observe())).toEqual([
    {
      reason: 'OtherPlan',
      severity: 'Blocking',
      message: 'Plan system-upgrade/server-plan upgrades the nodes by its channel: remove it',
    },
  ]);
});

it.each<[string, UpgradeOperation, string]>([
  ['a version without its build', to('v1.31.5'), 'such as v1.31.5+k3s1, in a VersionCatalog'],
  ['a version of the other distribution', to('v1.31.5+rke2r1'), 'is no version of k3s'],
  ['an older version', to('v1.29.9+k3s1'), 'a Plan would downgrade it'],
  ['node images', operation({ type: 'NodeImageOnly', pools: [{ name: 'agents', image: 'a-1.0' }] }), 'not node images'],
])('%s is refused before anything changes', async (_, of, message) => {
  await expect(look(of)).rejects.toThrow(message);
  expect(world.changes()).toEqual([]);
});

it('one node that is newer refuses the operation: a Plan selects all nodes of its side', async () => {
  world.fake.setKubelet('agent-1', 'v1.32.2+k3s1');
  await expect(look(full)).rejects.toThrow('node agent-1 runs v1.32.2+k3s1, newer than v1.31.5+k3s1');
});

it('a member without system-upgrade-controller is reported', async () => {
  const member = await simulated({}, world.clock);
  const provider = systemUpgradeProvider(clientOf({ transport: inProcessTransport(member) }), 'system-upgrade');
  await expect(provider.observe()).rejects.toThrow('install system-upgrade-controller');
  member.close();
});

import { afterEach, describe, expect, it } from 'vitest';
import { clusterApiLauncher } from '../../../src/members/nodes/launch/cluster-api.ts';
import type { Launcher } from '../../../src/members/nodes/launch/launcher.ts';
import { simulatedLauncher } from '../../../src/members/nodes/launch/simulated.ts';
import type { WantedLaunch } from '../../../src/members/nodes/wanted-nodes.ts';
import { type ManualClock, manualClock } from '../../../src/simulator/clock.ts';
import { openMember } from '../../../src/simulator/member.ts';
import { inProcessTransport } from '../../../src/simulator/transport.ts';
import { clientOf } from '../../support/member-client.ts';
import { begin, pass } from '../../support/member-world.ts';
import { FakeMachines } from './worlds/fake-machines.ts';

type Outcome = 'Succeeds' | 'Hangs' | 'Fails';

const wanted = (name: string, more: Partial<WantedLaunch> = {}): WantedLaunch => ({
  name,
  instanceType: 'D2',
  zone: 'eu-1a',
  capacityType: 'on-demand',
  labels: { 'karpenter.sh/nodepool': 'default' },
  annotations: {},
  taints: [],
  capacity: {},
  allocatable: {},
  ...more,
});

let close = () => {};
afterEach(() => close());

async function machinesOf(clock: ManualClock) {
  const machines = await FakeMachines.open(clock, () => undefined);
  close = () => machines.member.close();
  const { client } = await machines
    .management((transport) => transport)
    .find({ provider: 'cluster-api', ref: 'fleet/eu-1' });
  const ref = { namespace: 'fleet', name: 'eu-1' };
  return { machines, launcher: () => clusterApiLauncher(async () => ({ client, ref })) };
}

interface LaunchWorld {
  readonly clock: ManualClock;
  /** A new one each time: it knows nothing of calls before. */
  readonly launcher: () => Launcher;
}

const worlds: Readonly<Record<string, (outcome: Outcome) => Promise<LaunchWorld>>> = {
  simulated: async (outcome) => {
    const clock = manualClock(begin);
    const member = await openMember({ name: 'eu-1', launches: { seconds: 5, outcome } }, clock);
    close = () => member.close();
    const client = clientOf({ clock, transport: inProcessTransport(member) });
    return { clock, launcher: () => simulatedLauncher(client) };
  },
  'Cluster API': async (outcome) => {
    const clock = manualClock(begin);
    const { machines, launcher } = await machinesOf(clock);
    machines.outcome = outcome;
    machines.deployment('small', 'D2', ['old']);
    return { clock, launcher };
  },
};

describe.each(Object.entries(worlds))('the launcher of %s', (_, open) => {
  /** As an actor does: it looks every second. */
  async function looks({ clock, launcher }: LaunchWorld, seconds: number): Promise<(readonly [string, string])[]> {
    for (let second = 0; second < seconds; second++) {
      await launcher().observe();
      await pass(clock, 1);
    }
    return (await launcher().observe()).map(({ name, phase }) => [name, phase] as const);
  }

  it('launches once what is asked for again, and reports it until it is there', async () => {
    const world = await open('Succeeds');
    expect(await looks(world, 1)).toEqual([]);
    for (let time = 0; time < 3; time++) await world.launcher().launch(wanted('one'));
    expect(await looks(world, 0)).toEqual([['one', 'Launching']]);
    expect(await looks(world, 20)).toEqual([['one', 'Launched']]);
    await world.launcher().launch(wanted('two'));
    expect((await looks(world, 20)).sort()).toEqual([
      ['one', 'Launched'],
      ['two', 'Launched'],
    ]);
  });

  it('gives up what does not come, and launches it when it is asked for again', async () => {
    const world = await open('Hangs');
    await world.launcher().launch(wanted('one'));
    expect(await looks(world, 20)).toEqual([['one', 'Launching']]);
    for (let time = 0; time < 3; time++) await world.launcher().forget('one');
    expect(await looks(world, 20)).toEqual([]);
    await world.launcher().launch(wanted('one'));
    expect(await looks(world, 20)).toEqual([['one', 'Launching']]);
  });

  it('reports a launch that failed until it is given up', async () => {
    const world = await open('Fails');
    await world.launcher().launch(wanted('one'));
    expect(await looks(world, 20)).toEqual([['one', 'Failed']]);
    await world.launcher().forget('one');
    expect(await looks(world, 20)).toEqual([]);
  });

  it('keeps a node that is there', async () => {
    const world = await open('Succeeds');
    await world.launcher().launch(wanted('one'));
    await looks(world, 20);
    await world.launcher().forget('one');
    expect(await looks(world, 20)).toEqual([['one', 'Launched']]);
  });
});

describe('Cluster API', () => {
  const inTopology = { 'cluster.x-k8s.io/cluster-name': 'eu-1', 'topology.cluster.x-k8s.io/deployment-name': 'md-0' };

  it.each([
    [
      'a type that no MachineDeployment launches',
      wanted('one', { instanceType: 'D16' }),
      'no MachineDeployment launches D16 on-demand in eu-1a for NodePool default: name these labels in its annotation capacity.cluster-autoscaler.kubernetes.io/labels',
    ],
    [
      'another pool',
      wanted('one', { labels: { 'karpenter.sh/nodepool': 'other' } }),
      'no MachineDeployment launches D2',
    ],
    ['a rollout', wanted('one', { instanceType: 'D4' }), 'MachineDeployment rolling is rolling out'],
    ['replicas of a topology', wanted('one', { instanceType: 'D8' }), 'the topology of Cluster eu-1 sets its replicas'],
  ])('refuses %s', async (_, launch, message) => {
    const { machines, launcher } = await machinesOf(manualClock(begin));
    machines.deployment('small', 'D2', ['old']);
    machines.deployment('rolling', 'D4', []);
    machines.rollingOut('rolling');
    machines.deployment('managed', 'D8', [], { labels: inTopology });
    await expect(launcher().launch(launch)).rejects.toThrow(message);
    expect(machines.replicas().sort()).toEqual(['managed 0', 'rolling 0', 'small 1']);
  });

  it.each([
    ['is rolling out', 'D4'],
    ['has no MachineDeployment', 'D16'],
    ['is sized by a topology', 'D8'],
  ])('launches an alternative, once, where the type that is meant %s', async (_, instanceType) => {
    const clock = manualClock(begin);
    const { machines, launcher } = await machinesOf(clock);
    machines.deployment('small', 'D2', ['old']);
    machines.deployment('rolling', 'D4', []);
    machines.rollingOut('rolling');
    machines.deployment('managed', 'D8', [], { labels: inTopology });
    const launch = wanted('one', { instanceType, alternatives: [{ instanceType: 'D2', labels: {} }] });
    for (let time = 0; time < 3; time++) await launcher().launch(launch);
    expect(machines.replicas().sort()).toEqual(['managed 0', 'rolling 0', 'small 2']);
    for (let second = 0; second < 20; second++) {
      await launcher().observe();
      await pass(clock, 1);
    }
    expect(await launcher().observe()).toMatchObject([{ name: 'one', phase: 'Launched', instanceType: 'D2' }]);
  });

  it('removes exactly the machines of nodes, once each, also when they go at the same time', async () => {
    const clock = manualClock(begin);
    const { machines, launcher } = await machinesOf(clock);
    machines.deployment('small', 'D2', ['a', 'b', 'c', 'd']);
    for (let time = 0; time < 8; time++) {
      const present = new Set(machines.machines());
      const going = ['c', 'd'].filter((node) => present.has(`machine-${node}`));
      await Promise.allSettled(going.map((node) => launcher().remove!(node)));
      await pass(clock, 2);
    }
    expect([machines.replicas(), machines.machines()]).toEqual([['small 2'], ['machine-a', 'machine-b']]);
    await expect(launcher().remove!('other')).rejects.toThrow('node other has no Machine in the management cluster');
  });
});

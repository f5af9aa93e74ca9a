import { afterEach, expect, it } from 'vitest';
import type { Transport } from '../../../src/members/api-server/transport.ts';
import { launchersOf } from '../../../src/members/nodes/launch/launching.ts';
import { FakeMachines } from '../../members/nodes/worlds/fake-machines.ts';
import { nodeMember } from '../../support/node-world.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { nodeFiles, nodeMemberSpec, nodeNames, podsOf, published, taintsOf, workload } from './node-fleet.ts';

let fleet: VirtualFleet;
let machines: FakeMachines;
afterEach(() => {
  fleet.close();
  machines.member.close();
});

/** Two large nodes with a pod each: one small node is cheaper than the two. */
async function open(): Promise<void> {
  const setting = { 'gitfleet.dev/upgrade-provider': 'cluster-api', 'gitfleet.dev/upgrade-ref': 'fleet/eu-1' };
  fleet = await VirtualFleet.open(
    nodeFiles('execute', {}, { 'clusters/eu-1.yaml': nodeMember('eu-1', 'execute', {}, setting) }),
    nodeMemberSpec([{ count: 2 }], [workload('web', 2, '1')]),
  );
  machines = await FakeMachines.open(fleet.clock, () => fleet.members.get('eu-1'));
  machines.deployment('large', 'D8', ['d8-0', 'd8-1']);
  machines.deployment('small', 'D2', []);
}

const start = (through: (transport: Transport) => Transport = (transport) => transport) =>
  fleet.start({ through, launchers: launchersOf({ management: machines.management(through) }) });

async function isDone(): Promise<boolean> {
  return (
    nodeNames(fleet).join() === 'host-small-1' &&
    taintsOf(fleet).length === 0 &&
    podsOf(fleet).every((pod) => pod === 'host-small-1 Running') &&
    (await published(fleet))?.commands.length === 0
  );
}

it('underutilized nodes are replaced by scaling MachineDeployments of Cluster API, and nothing moves afterwards', async () => {
  await open();
  start();
  await fleet.until('both are replaced', isDone, 600);
  expect([machines.replicas(), machines.machines()]).toEqual([['large 0', 'small 1'], ['small-1']]);
  await fleet.run(600);
  expect(machines.replicas()).toEqual(['large 0', 'small 1']);
});

it('a launch that fails is given up with its Machine, and no other Machine goes', async () => {
  await open();
  machines.outcome = 'Fails';
  start();
  await fleet.until('it fails', async () => (await published(fleet))?.failures[0]?.times === 1, 300);
  await fleet.until('its Machine is gone', () => machines.machines().length === 2, 60);
  expect([machines.replicas(), machines.machines()]).toEqual([
    ['large 2', 'small 0'],
    ['machine-d8-0', 'machine-d8-1'],
  ]);
});

it('a daemon that is killed after any change to the member or to its Machines is continued by the next one', async () => {
  let changes = Number.POSITIVE_INFINITY;
  for (let at = 1; at <= changes; at++) {
    await open();
    let seen = 0;
    let kill = () => {};
    const killing =
      (transport: Transport): Transport =>
      async (request) => {
        const answer = await transport(request);
        if (request.method === 'GET' || !/nodes\/|eviction|machine/.test(request.path) || ++seen !== at) return answer;
        // It was carried out, and the answer is lost.
        kill();
        return new Promise(() => {});
      };
    kill = start(killing).kill;
    await fleet.until('it is killed, or done', async () => seen >= at || (await isDone()), 600);
    if (seen < at) changes = seen;
    else {
      start();
      await fleet.until(`it is done after change ${at}`, isDone, 900);
      expect(machines.replicas(), `after change ${at}`).toEqual(['large 0', 'small 1']);
    }
    fleet.close();
    machines.member.close();
  }
  expect(changes).toBeGreaterThanOrEqual(12);
});

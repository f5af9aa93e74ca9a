import { afterEach, expect, it } from 'vitest';
import type { Transport } from '../../../src/members/api-server/transport.ts';
import { managementClusters } from '../../../src/members/upgrade/management.ts';
import { upgradeProvidersOf } from '../../../src/members/upgrade/providers.ts';
import { inProcessTransport } from '../../../src/simulator/transport.ts';
import { FakeClusterApi } from '../../members/upgrade/worlds/fake-cluster-api.ts';
import { upgradeRun } from '../../support/cluster-upgrades.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { simulatedMember, states } from './upgrade-stages.ts';

let fleet: VirtualFleet;
let fake: FakeClusterApi;
afterEach(() => close());

function close(): void {
  fleet.close();
  fake.member.close();
}

const member = {
  apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
  kind: 'MemberCluster',
  metadata: {
    name: 'eu-1',
    annotations: { 'gitfleet.dev/upgrade-provider': 'cluster-api', 'gitfleet.dev/upgrade-ref': 'fleet/eu-1' },
  },
  spec: {},
};

async function open(hasTopology: boolean, run: object = {}): Promise<void> {
  fleet = await VirtualFleet.open(
    { 'clusters/eu-1.yaml': JSON.stringify(member), ...upgradeRun(run) },
    simulatedMember('eu-1'),
  );
  fake = await FakeClusterApi.open(fleet.clock, hasTopology);
}

/** Starts a daemon that reaches the management cluster through this. */
function startWith(through: (transport: Transport) => Transport = (transport) => transport) {
  const transport = through(inProcessTransport(fake.member));
  const management = managementClusters({ names: ['management'], open: async () => transport });
  return fleet.start({ providers: upgradeProvidersOf({ management }) });
}

const isOver = async (): Promise<boolean> => (await states(fleet))['run'] === 'Completed';

/** Upgrades a Cluster; at the `last` call the daemon is killed, before or after it is carried out, and another one starts. */
async function upgradedWithKill(
  hasTopology: boolean,
  { last, isCarriedOut }: { readonly last: number; readonly isCarriedOut: boolean },
): Promise<{ readonly changes: readonly string[]; readonly isKilled: boolean }> {
  await open(hasTopology);
  const changes: string[] = [];
  let calls = 0;
  let isKilled = false;
  const noted =
    (transport: Transport): Transport =>
    (request) => {
      if (request.method !== 'GET') changes.push(request.path.split('?')[0]!.split('/').slice(-2).join('/'));
      return transport(request);
    };
  const daemon = startWith((transport) => async (request) => {
    if (isKilled) return new Promise(() => {});
    if (++calls < last) return noted(transport)(request);
    isKilled = true;
    if (isCarriedOut) await noted(transport)(request);
    daemon.kill();
    return new Promise(() => {});
  });
  await fleet.until('it dies, or the run is over', async () => isKilled || (await isOver()), 900);
  if (isKilled) startWith(noted);
  await fleet.until('the run is over', isOver, 900);
  return { changes, isKilled };
}

/** The first ones, and some of those after which it waits. */
const calls = [1, 2, 3, 4, 5, 6, 7, 8, 11, 15, 22, 35];

it.each([
  [true, false],
  [true, true],
  [false, false],
  [false, true],
])(
  'a daemon that is killed at any call to the management cluster upgrades each part once (topology: %s, carried out: %s)',
  async (hasTopology, isCarriedOut) => {
    const parts = hasTopology
      ? []
      : ['kubeadmcontrolplanes/eu-1-cp', 'machinedeployments/md-0', 'machinedeployments/md-1'];
    for (const [at, last] of calls.entries()) {
      if (at > 0) close();
      const { changes, isKilled } = await upgradedWithKill(hasTopology, { last, isCarriedOut });
      expect([last, changes, isKilled]).toEqual([last, ['clusters/eu-1', ...parts], true]);
    }
  },
);

it('a Cluster that someone pauses blocks its upgrade until it is not paused any more', async () => {
  await open(true);
  fake.edit('clusters', 'eu-1', (spec) => {
    spec['paused'] = true;
  });
  startWith();
  await fleet.run(180);
  expect((await states(fleet))['eu-1']).toBe('Pending PreflightBlocked');
  fake.edit('clusters', 'eu-1', (spec) => {
    spec['paused'] = false;
  });
  await fleet.until('the run is over', isOver, 900);
});

it('an upgrade that makes no progress fails at the deadline', async () => {
  await open(false, { progressDeadline: '10m0s' });
  fake.isHanging = true;
  startWith();
  await fleet.run(550);
  expect((await states(fleet))['eu-1']).toBe('Running');
  await fleet.run(240);
  expect((await states(fleet))['eu-1']).toBe('Failed ProgressDeadlineExceeded');
});

import { afterEach, expect, it } from 'vitest';
import type { Transport } from '../../../src/members/api-server/transport.ts';
import { FakeSystemUpgrade, k3sNodes, systemUpgradeObjects } from '../../members/upgrade/worlds/fake-system-upgrade.ts';
import { upgradeRun } from '../../support/cluster-upgrades.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { states } from './upgrade-stages.ts';

let fleet: VirtualFleet;
let fake: FakeSystemUpgrade;
afterEach(() => fleet.close());

const catalog = {
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'VersionCatalog',
  metadata: { name: 'k3s' },
  spec: {
    provider: 'system-upgrade-controller',
    regions: [{ name: 'edge', kubernetesVersions: [{ version: 'v1.30.9+k3s1' }, { version: 'v1.31.5+k3s1' }] }],
  },
};

const member = {
  apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
  kind: 'MemberCluster',
  metadata: {
    name: 'eu-1',
    labels: { 'topology.kubernetes.io/region': 'edge' },
    annotations: { 'gitfleet.dev/upgrade-provider': 'system-upgrade-controller' },
  },
  spec: {},
};

async function open(run: object = {}): Promise<void> {
  fleet = await VirtualFleet.open(
    {
      'clusters/eu-1.yaml': JSON.stringify(member),
      'catalog.yaml': JSON.stringify(catalog),
      ...upgradeRun(run),
    },
    {
      name: 'eu-1',
      kubernetesVersion: '1.30.9+k3s1',
      nodes: k3sNodes,
      objects: systemUpgradeObjects as never,
      readySeconds: { CustomResourceDefinition: 0 },
    },
  );
  fake = new FakeSystemUpgrade(fleet.members.get('eu-1')!, fleet.clock);
}

const isOfProvider = (path: string): boolean => /upgrade\.cattle\.io|\/jobs/.test(path);

/** Passes requests on until the `last` one to the provider; then the daemon is killed before or after it is carried out. */
const dying = (last: number, isCarriedOut: boolean, kill: () => void) => {
  let calls = 0;
  return (transport: Transport): Transport =>
    async (request) => {
      if (!isOfProvider(request.path) || ++calls < last) return transport(request);
      if (isCarriedOut) await transport(request);
      kill();
      return new Promise(() => {});
    };
};

it.each([false, true])(
  'a daemon that is killed at any call (carried out: %s) upgrades each node of k3s once',
  async (isCarriedOut) => {
    await open();
    for (let last = 1; last <= 10; last++) {
      let isDead = false;
      const through = dying(last, isCarriedOut, () => {
        isDead = true;
        daemon.kill();
      });
      const daemon = fleet.start({ through });
      await fleet.until('it dies', () => isDead, 300);
    }
    fleet.start();
    await fleet.until('the run is over', async () => (await states(fleet))['run'] === 'Completed', 600);
    expect(fake.begun.toSorted()).toEqual(
      ['agent-0', 'agent-1', 'server-0', 'server-1'].map((name) => `${name} v1.31.5-k3s1`),
    );
  },
);

it('an upgrade that makes no progress fails at the deadline', async () => {
  await open({ progressDeadline: '10m0s' });
  fake.isHanging = true;
  fleet.start();
  await fleet.run(550);
  expect((await states(fleet))['eu-1']).toBe('Running');
  await fleet.run(240);
  expect((await states(fleet))['eu-1']).toBe('Failed ProgressDeadlineExceeded');
});

it('a failed Job fails the member, and another attempt upgrades it', async () => {
  await open();
  fake.isFailing = true;
  fleet.start();
  await fleet.until('the run failed', async () => (await states(fleet))['run'] === 'Failed', 300);
  fake.isFailing = false;
  fleet.commit(upgradeRun({ attempt: 2 }));
  await fleet.until('the run is over', async () => (await states(fleet))['run'] === 'Completed', 600);
});

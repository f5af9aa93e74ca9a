import { afterEach, expect, it } from 'vitest';
import type { AzureHttp } from '../../../src/members/upgrade/aks/azure-http.ts';
import { resourceManager } from '../../../src/members/upgrade/aks/resource-manager.ts';
import { upgradeProvidersOf } from '../../../src/members/upgrade/providers.ts';
import { identity } from '../../members/upgrade/worlds/aks-world.ts';
import { clusterPath, FakeArm } from '../../members/upgrade/worlds/fake-arm.ts';
import { upgradeRun } from '../../support/cluster-upgrades.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { simulatedMember, states } from './upgrade-stages.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const catalog = {
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'VersionCatalog',
  metadata: { name: 'aks' },
  spec: {
    provider: 'aks',
    regions: [{ name: 'westeurope', kubernetesVersions: [{ version: '1.30.9' }, { version: '1.31.5' }] }],
  },
};

const member = {
  apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
  kind: 'MemberCluster',
  metadata: {
    name: 'eu-1',
    labels: { 'topology.kubernetes.io/region': 'westeurope' },
    annotations: { 'gitfleet.dev/upgrade-provider': 'aks', 'gitfleet.dev/upgrade-ref': clusterPath },
  },
  spec: {},
};

const kubernetes = { upgrade: { type: 'Full', kubernetesVersion: '1.31.5' } };
const images = { upgrade: { type: 'NodeImageOnly' }, nodeImageSelection: { type: 'Latest' } };
const imageChanges = [
  'PATCH managedClusters/eu-1',
  ...['np1', 'np2'].map((pool) => `POST managedClusters/eu-1/agentPools/${pool}/upgradeNodeImageVersion`),
];

async function open(managedClusterUpdate: object): Promise<FakeArm> {
  fleet = await VirtualFleet.open(
    {
      'clusters/eu-1.yaml': JSON.stringify(member),
      'catalog.yaml': JSON.stringify(catalog),
      ...upgradeRun({ managedClusterUpdate }),
    },
    simulatedMember('eu-1'),
  );
  return new FakeArm(fleet.clock);
}

const startWith = (http: AzureHttp) =>
  fleet.start({ providers: upgradeProvidersOf({ azure: resourceManager(identity, { clock: fleet.clock, http }) }) });

const isOver = async (): Promise<boolean> => (await states(fleet))['run'] === 'Completed';

/** What was changed in Azure, without the content. */
const changed = ({ changes }: FakeArm): string[] => changes.map((line) => line.split(' ').slice(0, 2).join(' '));

/** Upgrades a cluster; at the `last` call to Azure the daemon is killed, before or after it is carried out, and another one starts. */
async function upgradedWithKill(
  managedClusterUpdate: object,
  { last, isCarriedOut }: { readonly last: number; readonly isCarriedOut: boolean },
): Promise<{ readonly arm: FakeArm; readonly isKilled: boolean }> {
  const arm = await open(managedClusterUpdate);
  let calls = 0;
  let isKilled = false;
  const daemon = startWith(async (request) => {
    if (!isKilled && ++calls < last) return arm.http(request);
    if (!isKilled && isCarriedOut) await arm.http(request);
    isKilled = true;
    daemon.kill();
    return new Promise(() => {});
  });
  await fleet.until('it dies, or the run is over', async () => isKilled || (await isOver()), 900);
  if (isKilled) startWith(arm.http);
  await fleet.until('the run is over', isOver, 900);
  return { arm, isKilled };
}

it.each([
  { what: 'Kubernetes', update: kubernetes, changes: ['PUT managedClusters/eu-1'], isCarriedOut: true },
  { what: 'node images', update: images, changes: imageChanges, isCarriedOut: false },
  { what: 'node images', update: images, changes: imageChanges, isCarriedOut: true },
])(
  'a daemon that is killed at any call to Azure (carried out: $isCarriedOut) upgrades $what with each change once',
  async ({ update, changes, isCarriedOut }) => {
    for (let last = 1; ; last++) {
      const { arm, isKilled } = await upgradedWithKill(update, { last, isCarriedOut });
      expect([last, changed(arm), arm.violations]).toEqual([last, changes, []]);
      if (!isKilled) return;
      fleet.close();
    }
  },
);

import { afterEach, describe, expect, it } from 'vitest';
import type { UpgradeRunStatus } from '../../src/api/upgrade-status.ts';
import {
  names,
  requested,
  runStatus,
  simulatedMember,
  stagedFiles,
  versionsOf,
} from '../daemon/upgrades/upgrade-stages.ts';
import { upgradeMember, upgradeRun } from '../support/cluster-upgrades.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';
import { type Anything, change, modes } from './record-edits.ts';

let fleet: VirtualFleet;
let daemon: VirtualDaemon;
afterEach(() => fleet.close());

/** Edits the status of the run on the status branch. */
async function attack(stopped: boolean, edit: (status: Anything) => void): Promise<void> {
  if (stopped) daemon.kill();
  const files = await fleet.repo.files('fleet-status');
  change(files, 'upgrades/k8s.yaml', ({ status }) => edit(status));
  fleet.repo.commit('fleet-status', files, 'Attack');
  if (stopped) daemon = fleet.start();
}

const isInFlight = (status: UpgradeRunStatus | undefined): boolean =>
  JSON.stringify(status?.stages ?? '').includes('operationId');

const codes = (): string[] => daemon.plan().problems.map(({ code }) => code);

describe.each(modes)('an operation in flight, %s', (_, stopped) => {
  it.each<[string, string, (member: Anything) => void]>([
    [
      'pools of an upgrade of control planes',
      'ControlPlaneOnly',
      (member) => {
        member.to.pools = [{ name: 'node', kubernetes: 'v1.31.5' }];
      },
    ],
    [
      'pools, and another type',
      'ControlPlaneOnly',
      (member) => {
        member.type = 'Full';
        member.to.pools = [{ name: 'node', kubernetes: 'v1.31.5' }];
      },
    ],
    [
      'an older version',
      'Full',
      (member) => {
        member.to = { controlPlane: 'v1.31.5', pools: [{ name: 'node', kubernetes: 'v1.29.0' }] };
      },
    ],
  ])('does not get %s from the status branch', async (_what, type, edit) => {
    fleet = await VirtualFleet.open(
      {
        ...upgradeMember('eu-1'),
        ...upgradeRun({ managedClusterUpdate: { upgrade: { type, kubernetesVersion: '1.31.5' } } }),
      },
      simulatedMember('eu-1'),
    );
    daemon = fleet.start();
    await fleet.until('it is in flight', async () => isInFlight(await runStatus(fleet)), 120);
    await attack(stopped, ({ stages }) => edit(stages[0].groups[0].members[0]));
    await fleet.run(300);
    expect(versionsOf(fleet)['eu-1']).toBe(type === 'Full' ? 'v1.31.5 v1.31.5' : 'v1.31.5 v1.30.9');
    expect(codes()).toContain('record-mismatch');
  });
});

it('an operation on the way to a later minor keeps its version while the daemon runs', async () => {
  const kubernetesVersions = ['1.30.9', '1.31.5', '1.32.1'].map((version) => ({ version }));
  const catalog = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'VersionCatalog',
    metadata: { name: 'all' },
    spec: { regions: [{ name: 'westeurope', kubernetesVersions }] },
  };
  fleet = await VirtualFleet.open(
    {
      ...upgradeMember('eu-1', { 'topology.kubernetes.io/region': 'westeurope' }),
      'catalog.yaml': JSON.stringify(catalog),
      ...upgradeRun({
        chainMinors: true,
        managedClusterUpdate: { upgrade: { type: 'Full', kubernetesVersion: '1.32.1' } },
      }),
    },
    simulatedMember('eu-1'),
  );
  daemon = fleet.start();
  await fleet.until('it is in flight', async () => isInFlight(await runStatus(fleet)), 120);
  await attack(false, ({ stages }) => {
    stages[0].groups[0].members[0].to.controlPlane = 'v1.31.2';
  });
  await fleet.until('it is read', () => codes().includes('record-mismatch'), 30);
  const [run] = daemon.plan().upgrades;
  expect(JSON.stringify(run?.status)).toContain('"controlPlane":"v1.31.5"');
});

describe.each(modes)('how many members of a stage may fail, %s', (_, stopped) => {
  it('is not what the status branch says', async () => {
    const fails = { upgrades: { controlPlaneSeconds: 10, nodeSeconds: 5, outcome: 'Fails' } };
    fleet = await VirtualFleet.open(
      stagedFiles,
      ...names.map((name) => simulatedMember(name, name === 'test-1' ? fails : {})),
    );
    daemon = fleet.start();
    await fleet.until('it starts', () => requested(fleet).length > 0, 120);
    await attack(stopped, ({ stages }) => {
      for (const stage of stages) for (const scope of [stage, ...stage.groups]) scope.maxAllowedFailures = 99;
    });
    await fleet.run(300);
    expect(requested(fleet)).toEqual(['test-1']);
    expect(codes()).toContain('record-mismatch');
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { AutoUpgradeProfile } from '../../src/api/auto-upgrade-profile.ts';
import { simulatedMember } from '../daemon/upgrades/upgrade-stages.ts';
import { upgradeMember } from '../support/cluster-upgrades.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';
import { modes } from './record-edits.ts';

let fleet: VirtualFleet;
let daemon: VirtualDaemon;
afterEach(() => fleet.close());

const catalog = (...versions: string[]): Record<string, string> => ({
  'catalog.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'VersionCatalog',
    metadata: { name: 'all' },
    spec: { regions: [{ name: 'westeurope', kubernetesVersions: versions.map((version) => ({ version })) }] },
  }),
});

const profile = (spec: object = { channel: 'Rapid' }): Record<string, string> => ({
  'profile.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'AutoUpgradeProfile',
    metadata: { name: 'auto' },
    spec,
  }),
});

const path = 'profiles/auto.yaml';

async function recorded(): Promise<AutoUpgradeProfile | undefined> {
  const text = (await fleet.repo.files('fleet-status'))[path];
  return text === undefined ? undefined : parse(text);
}

async function noted(): Promise<void> {
  fleet = await VirtualFleet.open(
    {
      ...upgradeMember('eu-1', { 'topology.kubernetes.io/region': 'westeurope' }),
      ...profile(),
      ...catalog('1.30.9', '1.31.5'),
    },
    simulatedMember('eu-1'),
  );
  daemon = fleet.start();
  await fleet.until('it notes what there is', async () => (await recorded())?.status?.seen === '1.31.5', 60);
}

/** Writes another memory of the profile to the status branch. */
async function attack(stopped: boolean, edit: (known: AutoUpgradeProfile) => AutoUpgradeProfile): Promise<void> {
  if (stopped) daemon.kill();
  const files = await fleet.repo.files('fleet-status');
  fleet.repo.commit('fleet-status', { ...files, [path]: stringify(edit((await recorded())!)) }, 'Attack');
  if (stopped) daemon = fleet.start();
  await fleet.run(30);
}

const request = (version: string): string | undefined =>
  fleet.repo.tip(`gitfleet/approve/auto-${version.replaceAll('.', '-')}`);

const codes = (): string[] => daemon.plan().problems.map(({ code }) => code);

describe.each(modes)('the memory of an AutoUpgradeProfile, %s', (_, stopped) => {
  it.each<[string, AutoUpgradeProfile['status']]>([
    ['no version', { proposed: 'soon', seen: '9.9.9' }],
    ['a version that no catalog lists', { proposed: '1.99.0', seen: '1.99.0' }],
    ['a version with more behind it', { proposed: '1.31.5+x/../y', seen: '1.31.5' }],
  ])('proposes nothing that is %s, and a release triggers as before', async (_name, status) => {
    await noted();
    await attack(stopped, (known) => ({ ...known, status }));
    expect(codes()).toContain('record-mismatch');
    expect([...fleet.repo.refs.keys()].filter((ref) => ref.includes('gitfleet/approve/'))).toEqual([]);
    expect((await recorded())?.status).toEqual({ seen: '1.31.5' });
    fleet.commit(catalog('1.31.5', '1.31.6'));
    await fleet.until('it proposes', () => request('1.31.6') !== undefined, 60);
    expect(codes()).not.toContain('record-mismatch');
  });
});

it('a proposal stays over a restart, also of a version that catalogs no longer list', async () => {
  await noted();
  fleet.commit(catalog('1.31.5', '1.31.6'));
  await fleet.until('it proposes', () => request('1.31.6') !== undefined, 60);
  fleet.commit(catalog('1.31.5'));
  await fleet.until('it is withdrawn', () => request('1.31.6') === undefined, 60);
  daemon.kill();
  daemon = fleet.start();
  await fleet.run(30);
  fleet.commit(catalog('1.31.5', '1.31.6'));
  await fleet.until('it proposes again', () => request('1.31.6') !== undefined, 60);
  expect(codes()).not.toContain('record-mismatch');
});

it('a profile whose file cannot be read is not the one that the status branch has', async () => {
  await noted();
  fleet.commit(profile({ channel: 'Rapid', unknown: 1 }));
  await fleet.run(30);
  await attack(true, (known) => ({
    ...known,
    spec: { ...known.spec, channel: 'TargetKubernetesVersion', targetKubernetesVersion: '1.30' },
    status: { seen: '1.30.9', proposed: '1.30.9' },
  }));
  expect(codes()).toContain('record-mismatch');
  expect(request('1.30.9')).toBeUndefined();
});

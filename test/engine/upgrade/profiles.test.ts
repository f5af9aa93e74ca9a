import { describe, expect, it } from 'vitest';
import type { AutoUpgradeProfile } from '../../../src/api/auto-upgrade-profile.ts';
import { at, run, strategy, UpgradeFleet } from './upgrade-fleet.ts';

const image = (version: string) => `AKSUbuntu-2204gen2containerd-${version}`;

const catalog = (
  versions: readonly string[],
  images: readonly string[] = [],
  ...others: readonly (readonly [region: string, versions: readonly string[]])[]
): Record<string, string> => ({
  'catalog.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'VersionCatalog',
    metadata: { name: 'aks' },
    spec: {
      regions: [['westeurope', versions] as const, ...others].map(([name, listed]) => ({
        name,
        kubernetesVersions: listed.map((version) => ({ version, preview: version.startsWith('1.99') })),
        nodeImageVersions: images.map((version) => ({ version: image(version) })),
      })),
    },
  }),
});

const profile = (spec: object, name = 'stable'): Record<string, string> => ({
  [`profiles/${name}.yaml`]: JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'AutoUpgradeProfile',
    metadata: { name },
    spec,
  }),
});

const fleetWith = (files: Record<string, string>) =>
  new UpgradeFleet(files).with(['a'], {
    labels: { 'topology.kubernetes.io/region': 'westeurope' },
    versions: at('v1.30.9', image('202601.13.0')),
  });

const proposals = (fleet: UpgradeFleet) =>
  fleet.last!.approvals.map(({ planned, file }) => [planned.name, planned.spec, file?.path]);

const statusOf = (fleet: UpgradeFleet) =>
  fleet.last!.upgrades.find(({ kind }) => kind === 'AutoUpgradeProfile')!.status as AutoUpgradeProfile['status'];

/** In a region without members. */
const elsewhere = (versions: object[]) => ({
  'elsewhere.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'VersionCatalog',
    metadata: { name: 'elsewhere' },
    spec: { regions: [{ name: 'eastasia', kubernetesVersions: versions }] },
  }),
});

describe('an AutoUpgradeProfile', () => {
  it('notes what there is first; a newer version triggers a run that waits to be merged', async () => {
    const fleet = fleetWith({ ...profile({ channel: 'Stable' }), ...catalog(['1.30.9', '1.31.5', '1.32.0']) });
    await fleet.plan();
    expect(statusOf(fleet)).toEqual({ seen: '1.31.5' });
    expect(proposals(fleet)).toEqual([]);
    Object.assign(fleet.files, catalog(['1.30.9', '1.31.5', '1.31.6', '1.32.0', '1.99.0']));
    fleet.later(60);
    await fleet.plan();
    const spec = {
      managedClusterUpdate: {
        upgrade: { type: 'Full', kubernetesVersion: '1.31.6' },
        nodeImageSelection: { type: 'Latest' },
      },
      autoUpgradeProfileId: 'stable',
    };
    expect(proposals(fleet)).toEqual([['stable-1-31-6', spec, 'upgrades/stable-1-31-6.yaml']]);
    expect(statusOf(fleet)).toMatchObject({
      lastTriggeredAt: '2026-11-20T10:01:00Z',
      lastTriggerStatus: 'Succeeded',
      lastTriggerUpgradeVersions: ['1.31.6'],
      seen: '1.31.6',
    });
    const { file } = fleet.last!.approvals[0]!;
    fleet.files[file!.path!] = JSON.stringify(file!.object);
    fleet.later(60);
    await fleet.plan();
    expect(proposals(fleet)).toEqual([]);
    expect(fleet.inFlight()).toEqual(['a']);
    fleet.succeed().later(60);
    await fleet.plan();
    delete fleet.files[file!.path!];
    await fleet.plan();
    expect(proposals(fleet)).toEqual([]);
  });

  it('a newer target replaces an unmerged one', async () => {
    const fleet = fleetWith({ ...profile({ channel: 'Rapid' }), ...catalog(['1.31.5']) });
    await fleet.plan();
    for (const versions of [['1.31.6'], ['1.31.6', '1.32.1']]) {
      Object.assign(fleet.files, catalog(versions));
      await fleet.plan();
    }
    expect(proposals(fleet).map(([name]) => name)).toEqual(['stable-1-32-1']);
  });

  it.each<[string, object, string | undefined]>([
    ['Rapid', { channel: 'Rapid' }, '1.32.0'],
    ['Stable', { channel: 'Stable' }, '1.31.5'],
    ['a minor', { channel: 'TargetKubernetesVersion', targetKubernetesVersion: '1.30' }, '1.30.9'],
    ['node images', { channel: 'NodeImage' }, image('202601.27.0')],
  ])('%s', async (_, spec, seen) => {
    const fleet = fleetWith({
      ...profile(spec),
      ...catalog(['1.30.9', '1.31.5', '1.32.0', '1.99.0'], ['202601.13.0', '202601.27.0']),
    });
    await fleet.plan();
    expect(statusOf(fleet)).toEqual({ seen });
  });

  it.each<[string, string, readonly [string[], string[]], string | undefined]>([
    [
      'newest patch of both',
      'Stable',
      [
        ['1.30.9', '1.31.5', '1.32.0'],
        ['1.31.8', '1.32.0'],
      ],
      '1.31.8',
    ],
    [
      'N of one region, patches of the other',
      'Stable',
      [
        ['1.31.5', '1.32.0'],
        ['1.30.9', '1.31.8'],
      ],
      '1.31.8',
    ],
    ['N in one region alone, N-1 in the other', 'Stable', [['1.32.0'], ['1.30.9', '1.31.5']], '1.31.5'],
    ['no region has N-1', 'Stable', [['1.32.0'], ['1.30.9']], undefined],
    [
      'a preview is not N',
      'Stable',
      [
        ['1.31.5', '1.99.0'],
        ['1.30.9', '1.31.8'],
      ],
      '1.30.9',
    ],
    [
      'N of one region',
      'Rapid',
      [
        ['1.31.5', '1.32.0'],
        ['1.30.9', '1.31.8'],
      ],
      '1.32.0',
    ],
  ])('of two regions, %s (%s)', async (_, channel, [west, north], seen) => {
    const fleet = fleetWith({ ...profile({ channel }), ...catalog(west, [], ['northeurope', north]) });
    fleet.with(['b'], { labels: { 'topology.kubernetes.io/region': 'northeurope' } });
    await fleet.plan();
    expect(statusOf(fleet)).toEqual(seen === undefined ? {} : { seen });
  });

  it('a member that is not observed for a time is no new image family when it is again', async () => {
    const fleet = fleetWith({ ...profile({ channel: 'NodeImage' }, 'images'), ...catalog([], ['202601.13.0']) });
    await fleet.plan();
    const { versions } = fleet.members.get('a')!;
    fleet.with(['b'], {
      labels: { 'topology.kubernetes.io/region': 'westeurope' },
      versions: at('v1.30.9', 'AKSWindows-2022-20348.3207.250214'),
    });
    Object.assign(fleet.members.get('a')!, { reachable: false });
    Object.assign(fleet.files, catalog([], ['202601.13.0', '202601.27.0']));
    await fleet.plan();
    expect(proposals(fleet)).toHaveLength(1);
    Object.assign(fleet.members.get('a')!, { reachable: true, versions });
    const [name] = proposals(fleet)[0]!;
    await fleet.plan();
    expect(proposals(fleet)[0]![0]).toBe(name);
  });

  it('node images are pinned as they are at the trigger', async () => {
    const fleet = fleetWith({ ...profile({ channel: 'NodeImage' }, 'images'), ...catalog([], ['202601.13.0']) });
    await fleet.plan();
    Object.assign(fleet.files, catalog([], ['202601.13.0', '202601.27.0']));
    await fleet.plan();
    const [[name, spec]] = proposals(fleet) as [[string, object]];
    expect(name).toMatch(/^images-[0-9a-f]{8}$/);
    expect(spec).toMatchObject({
      managedClusterUpdate: {
        upgrade: { type: 'NodeImageOnly' },
        nodeImageSelection: { type: 'Custom', customNodeImageVersions: [{ version: image('202601.27.0') }] },
      },
    });
  });

  it('disabled it proposes nothing, and nothing of that time later', async () => {
    const fleet = fleetWith({ ...profile({ channel: 'Rapid' }), ...catalog(['1.31.5']) });
    await fleet.plan();
    Object.assign(fleet.files, profile({ channel: 'Rapid', disabled: true }), catalog(['1.31.6']));
    await fleet.plan();
    expect(proposals(fleet)).toEqual([]);
    Object.assign(fleet.files, profile({ channel: 'Rapid' }));
    await fleet.plan();
    expect(proposals(fleet)).toEqual([]);
  });

  it('a trigger fails where no run can be made, and is tried again', async () => {
    const fleet = fleetWith({
      ...profile({ channel: 'Rapid', updateStrategyId: 'test-then-prod' }),
      ...catalog(['1.31.5']),
    });
    await fleet.plan();
    Object.assign(fleet.files, catalog(['1.31.6']));
    fleet.later(60);
    for (let times = 0; times < 2; times++) {
      await fleet.plan();
      expect(statusOf(fleet)).toEqual({
        lastTriggeredAt: '2026-11-20T10:01:00Z',
        lastTriggerStatus: 'Failed',
        lastTriggerError: { code: 'StrategyNotFound', message: 'there is no UpdateStrategy test-then-prod' },
        lastTriggerUpgradeVersions: ['1.31.6'],
        lastTriggerMessage:
          'Kubernetes 1.31.6 appeared, but no run can bring it: there is no UpdateStrategy test-then-prod',
        seen: '1.31.5',
      });
      expect(fleet.holds()).toEqual(['stable StrategyNotFound']);
      fleet.later(60);
    }
    expect(proposals(fleet)).toEqual([]);
    Object.assign(fleet.files, strategy([{ name: 'one', groups: [{ name: 'x' }] }]));
    await fleet.plan();
    expect(statusOf(fleet)).toMatchObject({ lastTriggerStatus: 'Succeeded', seen: '1.31.6' });
    expect(statusOf(fleet)).not.toHaveProperty('lastTriggerError');
    expect(proposals(fleet).map(([name]) => name)).toEqual(['stable-1-31-6']);
  });

  it('of long-term support fails where the regions of its members have none for that minor', async () => {
    const spec = { channel: 'TargetKubernetesVersion', targetKubernetesVersion: '1.30', longTermSupport: true };
    const fleet = fleetWith({
      ...profile(spec),
      ...catalog(['1.30.9']),
      ...elsewhere([{ version: '1.30.9', lts: true }]),
    });
    await fleet.plan();
    Object.assign(fleet.files, catalog(['1.30.10']));
    await fleet.plan();
    expect(statusOf(fleet)).toMatchObject({
      lastTriggerStatus: 'Failed',
      lastTriggerError: {
        code: 'KubernetesVersionNotAvailable',
        message: 'no VersionCatalog of a region with members lists a version of 1.30 with lts: true',
      },
    });
    expect(proposals(fleet)).toEqual([]);
  });

  it('of long-term support fails at a member that is not enrolled', async () => {
    const upgrade = { type: 'Full', kubernetesVersion: '1.30.9' };
    const fleet = fleetWith({
      ...profile({ channel: 'TargetKubernetesVersion', targetKubernetesVersion: '1.30', longTermSupport: true }),
      ...elsewhere([{ version: '1.30.9', lts: true }]),
      ...run({ autoUpgradeProfileId: 'stable', managedClusterUpdate: { upgrade } }),
    });
    for (const member of fleet.members.values()) member.versions = { ...at('v1.29.9'), lts: false };
    await fleet.plan();
    expect(fleet.states()[1]).toContain('Failed/UnsupportedKubernetesVersion');
    expect(fleet.states()[0]).toBe('Failed/MembersFailed');
    expect(fleet.inFlight()).toEqual([]);
  });

  it('broken it stands at its last good version, so that a release of that time still triggers', async () => {
    const fleet = fleetWith({ ...profile({ channel: 'Rapid' }), ...catalog(['1.31.5']) });
    await fleet.plan();
    Object.assign(fleet.files, profile({ channel: 'Rapid', unknown: 1 }));
    await fleet.plan();
    expect(statusOf(fleet)).toEqual({ seen: '1.31.5' });
    expect(fleet.holds()).toEqual(['stable LastGoodVersion']);
    Object.assign(fleet.files, profile({ channel: 'Rapid' }), catalog(['1.31.6']));
    await fleet.plan();
    expect(proposals(fleet).map(([name]) => name)).toEqual(['stable-1-31-6']);
  });

  it('with another channel: its proposal is withdrawn, what is there is noted, and what is released then triggers', async () => {
    const images = ['202601.13.0', '202601.27.0'];
    const fleet = fleetWith({
      ...profile({ channel: 'NodeImage' }),
      ...catalog(['1.31.5', '1.32.0'], images.slice(0, 1)),
    });
    await fleet.plan();
    Object.assign(fleet.files, catalog(['1.31.5', '1.32.0'], images));
    await fleet.plan();
    expect(proposals(fleet)).toHaveLength(1);
    for (const [channel, seen] of [
      ['Rapid', '1.32.0'],
      ['Stable', '1.31.5'],
    ]) {
      Object.assign(fleet.files, profile({ channel }));
      await fleet.plan();
      expect(proposals(fleet)).toEqual([]);
      expect(statusOf(fleet)).toMatchObject({ seen });
    }
    Object.assign(fleet.files, catalog(['1.31.6', '1.32.0'], images));
    await fleet.plan();
    expect(proposals(fleet).map(([name]) => name)).toEqual(['stable-1-31-6']);
  });

  it('while a VersionCatalog is not valid, nothing is noted', async () => {
    const fleet = fleetWith({
      ...profile({ channel: 'Rapid' }),
      ...catalog(['1.31.5']),
      'other.yaml': 'kind: VersionCatalog\napiVersion: gitfleet.dev/v1alpha1\nmetadata: {name: other}\nspec: {}\n',
    });
    await fleet.plan();
    expect(statusOf(fleet)).toEqual({});
  });
});

import { expect, it } from 'vitest';
import { parseInstant } from '../../../src/engine/kernel/instant.ts';
import { fleetWarnings } from '../../../src/repo/fleet/fleet-warnings.ts';
import { idleWindows } from '../../../src/repo/fleet/idle-windows.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { membersWithoutProvider } from '../../../src/repo/fleet/members-without-provider.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { treeOf } from '../../support/paper-fleet.ts';

const now = parseInstant('2026-11-20T10:00:00Z')!;
const own = (kind: string, name: string, spec: object): Record<string, string> => ({
  [`${kind === 'Gate' ? 'approvals' : 'settings'}/${name}.yaml`]: JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind,
    metadata: { name },
    spec,
  }),
});
const clusters = { ...upgradeMember('eu-1'), ...upgradeMember('eu-2') };
const problems = async (files: Readonly<Record<string, string>>, recorded: Readonly<Record<string, string>> = {}) => {
  const fleet = await loadFleet(treeOf({ ...clusters, ...files }));
  const found = [
    ...fleet.problems,
    ...fleetWarnings(fleet, readRecord(new Map(Object.entries(recorded))).record),
    ...idleWindows(fleet, now),
    ...membersWithoutProvider(fleet),
  ];
  return found.map(({ severity, code, path, message, fix }) => `${severity} ${code} ${path}: ${message} (${fix})`);
};

const skips = (type: string, name: string) => upgradeRun({ skip: [{ type, name }] });

it.each<[string, Record<string, string>, string[]]>([
  ['member', skips('Member', 'eu-1'), []],
  [
    'unknown member',
    skips('Member', 'eu1'),
    ['error dangling-reference spec.skip.0.name: UpdateRun k8s: the run has no member eu1 (did you mean eu-1?)'],
  ],
  [
    'unknown wait',
    skips('AfterStageWait', 'production'),
    [
      'error dangling-reference spec.skip.0.name: UpdateRun k8s: the run has no stage production (write a stage of this run: default)',
    ],
  ],
  [
    'member while a cluster is not valid',
    {
      ...skips('Member', 'eu1'),
      'clusters/eu1.yaml': clusters['clusters/eu-1.yaml']!.replace('"spec":{}', '"spec":{"taints":5}').replace(
        'eu-1',
        'eu1',
      ),
    },
    [expect.stringContaining('error wrong-type')],
  ],
  [
    'member of a strategy that is not there',
    upgradeRun({ updateStrategyId: 'gone', skip: [{ type: 'Member', name: 'eu1' }] }),
    [expect.stringContaining('no UpdateStrategy gone')],
  ],
])('a skipped %s', async (_, files, expected) => {
  expect(await problems(files)).toEqual(expected);
});

const image = 'AKSUbuntu-2204gen2containerd-202601.27.0';
const catalog = (...regions: object[]) => own('VersionCatalog', 'aks', { regions });
const listed = { name: 'west', kubernetesVersions: [{ version: '1.31.4' }, { version: '1.32.0', preview: true }] };
const to = (kubernetesVersion: string) =>
  upgradeRun({ managedClusterUpdate: { upgrade: { type: 'Full', kubernetesVersion } } });
const images = upgradeRun({
  managedClusterUpdate: {
    upgrade: { type: 'NodeImageOnly' },
    nodeImageSelection: { type: 'Custom', customNodeImageVersions: [{ version: image }] },
  },
});
const unlisted = (of: string, path: string, what: string) =>
  `warning dangling-reference ${path}: ${of}: no VersionCatalog lists ${what} (correct it, or add it to the VersionCatalogs of the regions that have it)`;
const ofRun = 'spec.managedClusterUpdate.upgrade.kubernetesVersion';

it.each<[string, Record<string, string>, string[]]>([
  ['a version that a catalog lists', { ...catalog(listed), ...to('1.31.4') }, []],
  [
    'a version that none lists',
    { ...catalog(listed), ...to('1.31.5') },
    [unlisted('UpdateRun k8s', ofRun, 'Kubernetes 1.31.5')],
  ],
  ['a minor', { ...catalog(listed), ...to('1.31') }, []],
  [
    'a minor of which only a preview is listed',
    { ...catalog(listed), ...to('1.32') },
    [unlisted('UpdateRun k8s', ofRun, 'a patch of Kubernetes 1.32')],
  ],
  ['a version without catalogs', to('1.31.5'), []],
  [
    'a version with catalogs of node images only',
    { ...catalog({ name: 'west', nodeImageVersions: [{ version: image }] }), ...to('1.31.5') },
    [],
  ],
  [
    'a node image that none lists',
    { ...catalog({ name: 'west', nodeImageVersions: [{ version: image.replace('27', '13') }] }), ...images },
    [
      unlisted(
        'UpdateRun k8s',
        'spec.managedClusterUpdate.nodeImageSelection.customNodeImageVersions.0.version',
        `the node image ${image}`,
      ),
    ],
  ],
  [
    'the minor of a profile',
    {
      ...catalog(listed),
      ...own('AutoUpgradeProfile', 'patches', { channel: 'TargetKubernetesVersion', targetKubernetesVersion: '1.33' }),
    },
    [unlisted('AutoUpgradeProfile patches', 'spec.targetKubernetesVersion', 'a patch of Kubernetes 1.33')],
  ],
  [
    'a region that is listed twice',
    catalog(listed, listed),
    ['warning duplicate spec.regions.1.name: VersionCatalog aks: region west is listed twice (write one entry)'],
  ],
])('%s', async (_, files, expected) => {
  expect(await problems(files)).toEqual(expected);
});

it.each([
  ['is over', 'Completed', []],
  // A second plan would take back what the first one warned of.
  ['has just started', 'Pending', [unlisted('UpdateRun k8s', ofRun, 'Kubernetes 1.28.3')]],
])('a version that no catalog lists, of a run that %s', async (_, state, expected) => {
  const [[path, text]] = Object.entries(to('1.28.3')) as [[string, string]];
  const status = { status: { state, startTime: '2025-01-01T00:00:00Z' }, attempt: 1, failureCount: 0, stages: [] };
  const recorded = { [path]: JSON.stringify({ ...JSON.parse(text), status }) };
  expect(await problems({ ...catalog(listed), [path]: text }, recorded)).toEqual(expected);
});

it('an approval for a run that does not exist', async () => {
  const gate = own('Gate', 'k8s-before-one', {
    gateType: 'Approval',
    target: { updateRunProperties: { name: 'k9s', stage: 'one', timing: 'Before' } },
    state: 'Completed',
  });
  expect(await problems({ ...upgradeRun({}), ...gate })).toEqual([
    'warning dangling-reference spec.target.updateRunProperties.name: Gate k8s-before-one: there is no UpdateRun k9s in this repo, so the approval is for nothing (did you mean k8s?)',
  ]);
});

it.each<[string, object, boolean]>([
  ['that opens', {}, false],
  ['before its startDate', { startDate: '2027-01-01' }, false],
  ['of which all days are blocked for years', { notAllowedDates: [{ start: '2026-01-01', end: '2036-01-01' }] }, true],
  ['with a startDate far ahead', { startDate: '2036-01-01' }, true],
])('a window %s', async (_, window, isIdle) => {
  const maintenance = own('MaintenanceConfiguration', 'nights', {
    clusterName: 'eu-1',
    maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime: '02:00', ...window },
  });
  expect(await problems(maintenance)).toEqual(
    isIdle
      ? [
          'warning idle-window spec.maintenanceWindow: MaintenanceConfiguration nights: the window does not open within three years: no member that it is for is upgraded until then (check startDate, schedule and notAllowedDates)',
        ]
      : [],
  );
});

it('clusters of a run without an upgrade provider, and none that it does not select', async () => {
  const without = (name: string, labels: object) => ({
    [`clusters/${name}.yaml`]: JSON.stringify({
      apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
      kind: 'MemberCluster',
      metadata: { name, labels },
      spec: {},
    }),
  });
  const stages = [{ name: 'one', groups: [{ name: 'x', memberSelector: { byLabel: 'env=prod' } }] }];
  const files = { ...without('a', { env: 'prod' }), ...without('b', {}), ...without('c', { env: 'prod' }) };
  const run = upgradeRun({ strategy: { stages } });
  expect(await problems({ ...files, ...run })).toEqual([
    'warning no-upgrade-provider spec: UpdateRun k8s: nothing can upgrade a, c: no annotation gitfleet.dev/upgrade-provider says how (add the annotation to the MemberCluster, or leave the cluster out)',
  ]);
  expect(await problems(run)).toEqual([
    'warning idle-selector spec.strategy.stages.0.groups.0.memberSelector.byLabel: UpdateRun k8s: it selects no cluster of this repo (undefined)',
  ]);
});

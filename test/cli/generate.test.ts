import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { upgradeMember, upgradeStrategy } from '../support/cluster-upgrades.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { cli } from '../support/run-cli.ts';

afterAll(removeFolders);

const files = {
  ...upgradeMember('a', { 'topology.kubernetes.io/region': 'westeurope' }),
  'profile.yaml': `apiVersion: gitfleet.dev/v1alpha1
kind: AutoUpgradeProfile
metadata: {name: stable}
spec: {channel: Rapid, updateStrategyId: one}
`,
  'catalog.yaml': `apiVersion: gitfleet.dev/v1alpha1
kind: VersionCatalog
metadata: {name: aks}
spec: {regions: [{name: westeurope, kubernetesVersions: [{version: 1.31.5}]}]}
`,
};

const observation = (name: string, controlPlane: string): string =>
  JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'ClusterObservation',
    metadata: { name },
    reachable: true,
    versions: { controlPlane, pools: [] },
  });

const generated = (repo: string, profile: string) =>
  cli('generate', 'run', '--profile', profile, '--repo', repo, '--recorded', 'none', '--now', '2026-11-20T10:00:00Z');

it('prints the file of the run that a profile would propose, stopped', async () => {
  const { code, out } = await generated(folder(files), 'stable');
  expect(code).toBe(0);
  expect(out.trim()).toBe(`apiVersion: gitfleet.dev/v1alpha1
kind: UpdateRun
metadata:
  name: stable-1-31-5
spec:
  updateStrategyId: one
  managedClusterUpdate:
    upgrade:
      type: Full
      kubernetesVersion: 1.31.5
    nodeImageSelection:
      type: Latest
  autoUpgradeProfileId: stable
  state: Stopped`);
});

it('where there is nothing to propose it says what is missing; a mistyped profile is named', async () => {
  const { 'catalog.yaml': catalog, ...without } = files;
  const reported = async (of: Readonly<Record<string, string>>) => {
    const { code, err } = await generated(folder(of), 'stable');
    return `${code} ${err.trim()}`;
  };
  const as = (spec: string) => ({ 'profile.yaml': files['profile.yaml'].replace(/spec: .*/, `spec: ${spec}`) });
  expect([
    await reported(without),
    await reported({ ...files, ...upgradeMember('a', {}) }),
    await reported({ ...files, ...as('{channel: TargetKubernetesVersion, targetKubernetesVersion: "1.33"}') }),
    await reported({ ...files, ...as('{channel: Stable}') }),
    await reported({ ...files, ...as('{channel: NodeImage}') }),
    await reported({ 'profile.yaml': files['profile.yaml'], 'catalog.yaml': catalog }),
  ]).toMatchInlineSnapshot(`
    [
      "1 gitfleet: profile stable has no target of channel Rapid: no VersionCatalog is for a region of a member and for its upgrade provider; regions: westeurope",
      "1 gitfleet: profile stable has no target of channel Rapid: the regions of its members are not known: set the label topology.kubernetes.io/region, or give observations (--observed FILE, as gitfleet observe writes it, or the status branch of a daemon)",
      "1 gitfleet: profile stable has no target of channel TargetKubernetesVersion: no VersionCatalog of a region with members lists a generally available version of 1.33",
      "1 gitfleet: profile stable has no target of channel Stable: no VersionCatalog of a region with members lists a generally available version, of the minor before the newest one",
      "1 gitfleet: profile stable has no target of channel NodeImage: the node images of its members are not known: give observations (--observed FILE, as gitfleet observe writes it, or the status branch of a daemon)",
      "1 gitfleet: profile stable has no target of channel Rapid: the fleet has no members",
    ]
  `);
  expect((await generated(folder(without), 'stabel')).err).toContain('stable');
});

it('notes that the run would upgrade no cluster', async () => {
  const strategy = upgradeStrategy(
    [{ name: 'one', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'x' }] }],
    'one',
  );
  const noted = async (version: string, label: string) => {
    const labels = { 'topology.kubernetes.io/region': 'westeurope', 'gitfleet.dev/update-group': label };
    const dir = folder({ ...files, ...strategy, ...upgradeMember('a', labels) });
    const observed = join(folder({ 'a.yaml': observation('a', version) }), 'a.yaml');
    const asked = ['generate', 'run', '--profile', 'stable', '--repo', dir, '--observed', observed];
    const { code, out, err } = await cli(...asked, '--now', '2026-11-20T10:00:00Z');
    expect([code, out]).toEqual([0, expect.stringContaining('name: stable-1-31-5')]);
    return err;
  };
  expect([await noted('v1.30.9', 'x'), await noted('v1.31.5', 'x'), await noted('v1.30.9', 'y')]).toEqual([
    '',
    'note: this run would upgrade no cluster: a: control plane and pools are at or ahead of 1.31.5\n',
    'note: this run would upgrade no cluster: no member cluster is selected\n',
  ]);
});

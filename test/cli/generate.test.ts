import { afterAll, expect, it } from 'vitest';
import { upgradeMember } from '../support/cluster-upgrades.ts';
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

it('without a catalog there is nothing to propose; a mistyped profile is named', async () => {
  const { 'catalog.yaml': _, ...without } = files;
  const repo = folder(without);
  expect(await generated(repo, 'stable')).toMatchObject({ code: 1, err: expect.stringContaining('no VersionCatalog') });
  expect((await generated(repo, 'stabel')).err).toContain('stable');
});

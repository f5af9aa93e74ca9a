import { afterEach, expect, it } from 'vitest';
import { memoryHost } from '../../forge/git-host.ts';
import { TestForge } from '../../forge/test-forge.ts';
import { upgradeMember, upgradeRun, upgradeStrategy } from '../../support/cluster-upgrades.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { names, simulatedMember, stagedFiles } from '../upgrades/upgrade-stages.ts';
import { config } from './forge-fleet.ts';

let fleet: VirtualFleet;
let forge: TestForge;
afterEach(() => fleet.close());

async function open(files: Readonly<Record<string, string>>, ...members: readonly string[]): Promise<void> {
  fleet = await VirtualFleet.open(
    { 'fleet.yaml': config('github'), ...files },
    ...members.map((name) => simulatedMember(name)),
  );
  forge = new TestForge('github', memoryHost(fleet.repo), () => fleet.clock.now());
  fleet.start({ forge });
}

/** Opens at night for one production cluster. */
const night = JSON.stringify({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'MaintenanceConfiguration',
  metadata: { name: 'night' },
  spec: {
    clusterName: 'prod-2',
    maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime: '20:00', durationHours: 4 },
  },
});

it('the request of a gate of a cluster update run says which clusters it upgrades, from what to what, and when', async () => {
  await open({ ...stagedFiles, 'windows.yaml': night }, ...names);
  await fleet.until('a pull request is open', () => forge.pulls.length === 1, 3_600);
  await fleet.run(120);
  const { title, body } = forge.pull(1);
  await expect(`${title}\n\n${body}\n`).toMatchFileSnapshot('upgrade-gate.golden.md');
});

it.each([
  [{ afterGates: [{ type: 'Approval' }] }, {}, 'Approve k8s: two (1 cluster) after stage one'],
  [{}, { afterGates: [{ type: 'Approval' }] }, 'Approve k8s: the end of the run after stage two'],
] as const)('its title counts the clusters of the next stage: %j %j', async (first, second, title) => {
  const groups = (name: string) => [{ name }];
  await open(
    {
      ...upgradeMember('a', { 'gitfleet.dev/update-group': 'one' }),
      ...upgradeMember('b', { 'gitfleet.dev/update-group': 'two' }),
      ...upgradeStrategy([
        { name: 'one', groups: groups('one'), ...first },
        { name: 'two', groups: groups('two'), ...second },
      ]),
      ...upgradeRun({ updateStrategyId: 'test-then-prod' }),
    },
    'a',
    'b',
  );
  await fleet.until('a pull request is open', () => forge.pulls.length === 1, 7_200);
  expect(forge.pull(1).title).toBe(title);
  const { head } = forge.pull(1);
  const [path, text] = Object.entries(await fleet.repo.files(head)).find(([it]) => it.startsWith('approvals/'))!;
  fleet.commit({ [path]: text.replace('state: Completed', 'state: Rejected') }, 'Reject');
  const said = /^❌ Approval k8s-after-\w+ was rejected on main by Ann in commit \w{7}, 2026-/;
  await fleet.until('it says who rejected it', () => said.test(forge.pull(1).body), 300);
});

it('the request of a run that a profile proposes says what merging it starts, and why', async () => {
  const own = (kind: string, name: string, spec: object) =>
    JSON.stringify({ apiVersion: 'gitfleet.dev/v1alpha1', kind, metadata: { name }, spec });
  const catalog = (...versions: readonly string[]) => ({
    'catalog.yaml': own('VersionCatalog', 'all', {
      regions: [{ name: 'eu', kubernetesVersions: versions.map((version) => ({ version })) }],
    }),
  });
  await open(
    {
      ...upgradeMember('a', { 'topology.kubernetes.io/region': 'eu' }),
      ...catalog('1.31.5'),
      'profile.yaml': own('AutoUpgradeProfile', 'rapid', { channel: 'Rapid' }),
    },
    'a',
  );
  await fleet.run(60);
  fleet.commit(catalog('1.31.5', '1.32.1'));
  await fleet.until('a pull request is open', () => forge.pulls.length === 1, 3_600);
  const { title, body } = forge.pull(1);
  expect(title).toBe('Approve rapid-1-32-1: Kubernetes 1.32.1, control plane and nodes');
  expect(body).toContain(
    'Merging starts cluster update run rapid-1-32-1: Kubernetes 1.32.1, control plane and nodes; strategy: one by one.',
  );
  expect(body).toContain('Profile rapid proposes it: Kubernetes 1.32.1 appeared; run rapid-1-32-1 was proposed; ');
  await fleet.until(
    'the status links it',
    async () => (await fleet.repo.files('fleet-status'))['summary.yaml']?.includes('pullRequests:') === true,
    120,
  );
  await forge.merge(1, 'squash');
  await fleet.run(300);
  expect(forge.pull(1).body).not.toContain('No longer requested');
});

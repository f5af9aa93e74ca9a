import { parse } from 'yaml';
import type { UpgradeRunStatus } from '../../../src/api/upgrade-status.ts';
import { upgradeMember, upgradeRun, upgradeStrategy } from '../../support/cluster-upgrades.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';

/** Two test clusters one after another, an approval, and two production clusters. */
export const names = ['test-1', 'test-2', 'prod-1', 'prod-2'] as const;

export const gate = 'gitfleet/approve/k8s-before-prod';

export const stagedFiles: Readonly<Record<string, string>> = {
  ...Object.assign(
    {},
    ...names.map((name) => upgradeMember(name, { 'gitfleet.dev/update-group': name.split('-')[0]! })),
  ),
  ...upgradeStrategy([
    { name: 'test', groups: [{ name: 'test' }], afterStageWaitInSeconds: 60 },
    { name: 'prod', groups: [{ name: 'prod', maxConcurrency: '2' }], beforeGates: [{ type: 'Approval' }] },
  ]),
  ...upgradeRun({ updateStrategyId: 'test-then-prod' }),
};

/** A simulated cluster of Kubernetes 1.30.9 with two nodes in one pool. */
export const simulatedMember = (name: string, more: object = {}) => ({
  name,
  kubernetesVersion: '1.30.9',
  ...more,
});

/** The control plane and the kubelets of each member. */
export const versionsOf = (fleet: VirtualFleet): Record<string, string> =>
  Object.fromEntries(
    [...fleet.members].map(([name, { cluster }]) => {
      const nodes = cluster.store
        .list('/nodes')
        .map(
          (node) =>
            (node as unknown as { status: { nodeInfo: { kubeletVersion: string } } }).status.nodeInfo.kubeletVersion,
        );
      return [name, [cluster.kubernetesVersion, ...new Set(nodes)].join(' ')];
    }),
  );

export async function runStatus(fleet: VirtualFleet, name = 'k8s'): Promise<UpgradeRunStatus | undefined> {
  const text = (await fleet.repo.files('fleet-status'))[`upgrades/${name}.yaml`];
  return text === undefined ? undefined : (parse(text) as { status?: UpgradeRunStatus }).status;
}

/** States of the run and of its members, as the status branch has them. */
export async function states(fleet: VirtualFleet, name = 'k8s'): Promise<Record<string, string>> {
  const status = await runStatus(fleet, name);
  const members = status?.stages.flatMap(({ groups }) => groups.flatMap(({ members }) => members)) ?? [];
  return Object.fromEntries([
    ['run', status?.status.state ?? 'none'],
    ...members.map(({ name, status: { state, error } }) => [name, error ? `${state} ${error.code}` : state]),
  ]);
}

/** Upgrades that were requested of members. */
export const requested = (fleet: VirtualFleet): string[] =>
  fleet.requests.filter((line) => line.includes('PUT /simulator/upgrade')).map((line) => line.split(' ')[0]!);

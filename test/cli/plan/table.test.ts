import { afterEach, expect, it } from 'vitest';
import { folder, removeFolders } from '../../support/folders.ts';
import { placement, shop } from '../../support/plan-command.ts';
import { cli } from '../../support/run-cli.ts';

afterEach(removeFolders);

const cluster = (name: string) => `apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata: {name: ${name}}
spec: {identity: {kind: User, name: agent}}
`;

async function repoOf(count: number): Promise<string> {
  const names = Array.from({ length: count }, (_, at) => `c-${String(at).padStart(3, '0')}`);
  return folder({
    'clusters.yaml': names.map(cluster).join('---\n'),
    'web.yaml': placement('placementType: PickAll'),
    'resources/shop.yaml': shop,
  });
}

async function planned(...flags: readonly string[]): Promise<string> {
  const { out } = await cli('plan', '--now', '2026-11-20T10:00:00Z', ...flags);
  return out;
}

it('a plan lists every binding that moves; notes on the repo are counted', async () => {
  expect(await planned('--repo', await repoOf(2))).toBe(`MOVE   PLACEMENT   CLUSTER   SNAPSHOT   STATE   STATUS
add    web         c-000     0          Bound   RolloutStarted
add    web         c-001     0          Bound   RolloutStarted

2 notes on the repo: gitfleet validate prints them.

Plan: 2 to add, 0 to update, 0 to remove, 0 waiting, 0 unchanged. Commit none: these are the files of a folder.
`);
});

it('a plan lists what moves and counts what stays, which --all lists too', async () => {
  const [repo, out] = [await repoOf(2), folder()];
  await planned('--repo', repo, '--out-recorded', out);
  expect(await planned('--repo', repo, '--recorded', out)).toBe(`2 notes on the repo: gitfleet validate prints them.

Plan: 0 to add, 0 to update, 0 to remove, 0 waiting, 2 unchanged (--all lists them). Commit none: these are the files of a folder.
`);
  const all = await planned('--repo', repo, '--recorded', out, '--all');
  expect(all).toMatch(/^MOVE .*\nkeep +web +c-000 .*\nkeep +web +c-001 /);
  expect(all).toContain(' 2 unchanged. Commit none');
});

it('a plan that lacks clusters tells which of them were never observed', async () => {
  const property =
    '{matchExpressions: [{name: resources.kubernetes-fleet.io/available-cpu, operator: Ge, values: ["4"]}]}';
  const affinity = `{clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{propertySelector: ${property}}]}}}`;
  const repo = folder({
    'clusters.yaml': ['a', 'b'].map(cluster).join('---\n'),
    'web.yaml': placement(`{placementType: PickN, numberOfClusters: 1, affinity: ${affinity}}`),
    'resources/shop.yaml': shop,
  });
  expect(await planned('--repo', repo)).toContain(
    '\nNote: 2 of the clusters were never observed, so CPU, memory, cost and version count as absent there.\n',
  );
});

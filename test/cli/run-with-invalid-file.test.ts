import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { removeFolders } from '../support/folders.ts';
import { deployment } from '../support/paper-fleet.ts';
import { cli } from '../support/run-cli.ts';
import { shop } from '../support/shop.ts';

const run2 = shop['rollouts/pay-1.yaml']!.replace('name: pay-1', 'name: pay-2');
const text =
  'resources/pay.yaml was not valid when the run was initialized: the run has the last good version of Deployment pay/pay';

let fleet: FleetOnGit;
const page = async (...args: string[]) => (await cli('describe', ...args, '--repo', fleet.dir)).out;
afterAll(removeFolders);
beforeAll(async () => {
  fleet = await FleetOnGit.open({
    ...shop,
    'rollouts/pay-1.yaml': shop['rollouts/pay-1.yaml']!.replace('careful', 'at-once'),
    'rollouts/at-once.yaml': shop['rollouts/careful.yaml']!.replace('name: careful', 'name: at-once').replaceAll(
      / +afterStageTasks:\n +- type: Approval\n/g,
      '',
    ),
  });
  await fleet.settle();
  fleet.git('rm', '-q', 'rollouts/pay-1.yaml');
  fleet.git('commit', '-qm', 'Remove pay-1');
  fleet.look();
  fleet.commit(
    {
      'resources/pay.yaml': deployment('pay', 'pay', 'pay:2').replace('replicas:', 'replica:'),
      'rollouts/pay-2.yaml': run2,
    },
    'Bring pay 2 with a mistake',
  );
  await fleet.settle();
});

describe('a run that comes with an invalid file', () => {
  it('brings the last good version, which its page and that of its approval say', async () => {
    expect(await page('run', 'pay-2')).toContain(`Not in this run:\n  ${text}\n`);
    const approval = await page('approval', 'pay-2-after-dev');
    expect(approval).toContain(`⚠️ Not in this run:\n  ${text}\n`);
    expect(approval).toContain('On the clusters:\n  nothing changes\n');
  });

  it('still says so once the file is valid, and what is missing needs another run', async () => {
    fleet.commit({ 'resources/pay.yaml': deployment('pay', 'pay', 'pay:2') }, 'Fix pay 2');
    await fleet.settle();
    expect(await page('run', 'pay-2')).toContain(`Not in this run:\n  ${text}\n`);
    expect(await page('placement', 'pay')).toContain('needs a staged update run: the repo holds other resources than');
  });
});

describe('a run that comes with other invalid files', () => {
  const override = (selector: string): string => `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: own, namespace: pay}
spec:
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: pay}]
  policy:
    overrideRules:
      - clusterSelector: {${selector}: []}
        jsonPatchOverrides: [{op: replace, path: /spec/replicas, value: 5}]
`;
  const invalid = {
    'overrides/own.yaml': override('clusterSelectorTerm'),
    'placements/pay.yaml': shop['placements/pay.yaml']!.replace('policy:', 'police:'),
    'resources/new.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new, namespace: pay}\ndatas: {a: b}\n',
    'resources/else.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new, namespace: web}\ndatas: {a: b}\n',
  };
  const notInRun = async (before: Record<string, string>): Promise<string[] | undefined> => {
    const other = await FleetOnGit.open({ ...shop, ...before });
    await other.settle();
    other.look();
    other.commit(
      { ...invalid, 'resources/pay.yaml': deployment('pay', 'pay', 'pay:2'), 'rollouts/pay-2.yaml': run2 },
      'Bring pay 2',
    );
    await other.settle();
    const text = (await cli('describe', 'run', 'pay-2', '--repo', other.dir)).out;
    return /Not in this run:\n(.*?)\n\n/s.exec(text)?.[1]?.split('\n').sort();
  };
  const { 'rollouts/pay-1.yaml': _, ...without } = shop;
  const ended = { ...without, 'rollouts/pay-1.yaml': '' };

  const lines = (own: string): string[] => [
    `  overrides/own.yaml was not valid when the run was initialized: the run ${own} ResourceOverride pay/own`,
    '  placements/pay.yaml was not valid when the run was initialized: the run has the last good version of ClusterResourcePlacement pay',
    '  resources/new.yaml was not valid when the run was initialized: the run does not have ConfigMap pay/new',
  ];

  it('names overrides and the placement that it has in their last good version, and what it lacks', async () => {
    const before = { ...ended, 'overrides/own.yaml': override('clusterSelectorTerms') };
    expect(await notInRun(before)).toEqual(lines('has the last good version of'));
    expect(await notInRun(ended)).toEqual(lines('does not have'));
  });
});

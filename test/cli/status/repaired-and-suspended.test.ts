import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PatchDetail } from '../../../src/api/placement.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { bringDriftedVersion2, place, shop } from '../../support/shop.ts';

let fleet: FleetOnGit;
beforeAll(async () => {
  fleet = await FleetOnGit.open(shop);
  await bringDriftedVersion2(fleet, 'web 2');
});
afterAll(removeFolders);

const rows = async () =>
  (await cli('get', 'drift', '--no-headers', '--repo', fleet.dir)).out
    .trim()
    .split('\n')
    .map((row) => row.split(/\s{2,}/).slice(4, 9));

/** What is told of the only object that drifted: its page on the cluster, and where it came from. */
const pages = async () => {
  const { out: page } = await cli('describe', 'placement', 'web', '--repo', fleet.dir);
  const { out: trace } = await cli('trace', 'deployment/web', '-n', 'web', '--cluster', 'us-1', '--repo', fleet.dir);
  const told = /(≠|✓) Deployment|\/spec\/replicas|^State/;
  return [...page.split('\nEvents:')[0]!.split('\n'), ...trace.split('\n')]
    .map((line) => line.trim())
    .filter((line) => told.test(line));
};

const applied = (details: PatchDetail[]) =>
  fleet.paper.results.set('us-1/web', [{ ...fleet.paper.results.get('us-1/web')![0]!, result: 'Applied', details }]);

const change = { path: '/spec/replicas', valueInMember: '5', valueInHub: '2' };

it('a present difference is reported as such', async () => {
  expect(await rows()).toEqual([['/spec/replicas', '5', '2', '<none>', 'differs']]);
  expect((await pages()).map((line) => line.replace(/\S+Z/, 'then'))).toEqual([
    '≠ Deployment web/web drifted since then',
    '/spec/replicas: 5, should be 2',
    'State:      drifted: FoundDrifts',
    '/spec/replicas: 5, should be 2',
  ]);
});

it('a recent repair is reported as past, with the field manager that made the change', async () => {
  applied([{ ...change, manager: 'kubectl-edit', repaired: true }]);
  await fleet.settle();
  expect(await rows()).toEqual([['/spec/replicas', '5', '2', 'kubectl-edit', 'repaired']]);
  expect((await pages()).map((line) => line.replace(/\S+Z/, 'then'))).toEqual([
    '✓ Deployment web/web drifted at then and was repaired',
    '/spec/replicas: was 5 (by kubectl-edit), repaired to 2',
    'State:      available',
    '/spec/replicas: was 5 (by kubectl-edit), repaired to 2',
  ]);
});

it('a cluster whose drift was repaired counts as desired, with what was repaired', async () => {
  const { out } = await cli('describe', 'placement', 'web', '--repo', fleet.dir);
  const [, part = ''] = /\n(As desired on [\s\S]*?)\n\n/.exec(out) ?? [];
  expect(part.replace(/\S+Z/, 'then').split('\n')).toEqual([
    'As desired on 2 of 2 clusters:',
    expect.stringMatching(/CLUSTER +SNAPSHOT/),
    expect.stringMatching(/eu-1 +1 +available/),
    expect.stringMatching(/us-1 +1 +available/),
    '  us-1:',
    '    ✓ Deployment web/web drifted at then and was repaired',
    '        /spec/replicas: was 5 (by kubectl-edit), repaired to 2',
  ]);
});

it('a difference that an apply keeps under FullComparison is not reported as repaired', async () => {
  applied([change, { path: '/data/b', valueInMember: 'x', repaired: true }]);
  await fleet.settle();
  expect(await rows()).toEqual([
    ['/data/b', 'x', '<none>', '<none>', 'repaired'],
    ['/spec/replicas', '5', '2', '<none>', 'differs'],
  ]);
  expect((await pages())[0]).toMatch(/^≠ Deployment web\/web drifted since/);
});

it('describe reports that a placement is suspended, and why', async () => {
  await cli('suspend', 'placement', 'web', '--reason', 'incident 42', '--repo', fleet.dir);
  fleet.look();
  await fleet.settle();
  const { out } = await cli('describe', 'placement', 'web', '--repo', fleet.dir);
  expect(out.split('\n').filter((line) => line.startsWith('Suspended'))).toEqual(['Suspended:   incident 42']);
});

it('describe shows that objects of a placement stay when it is deleted', async () => {
  const lines = async () => {
    const { out } = await cli('describe', 'placement', 'web', '--repo', fleet.dir);
    return out.split('\n').filter((line) => line.startsWith('Deletion'));
  };
  expect(await lines()).toEqual([]);
  const strategy = { deleteStrategy: { propagationPolicy: 'Abandon' } };
  const policy = { placementType: 'PickFixed', clusterNames: ['eu-1', 'us-1'] };
  fleet.commit({ 'placements/web.yaml': place('web', { policy, strategy }) }, 'Keep what web holds');
  await fleet.settle();
  expect(await lines()).toEqual(['Deletion:    keeps its objects on the clusters (Abandon)']);
});

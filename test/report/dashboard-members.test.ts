import { afterAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { ObjectOutcome } from '../../src/api/observation.ts';
import type { PatchDetail } from '../../src/api/placement.ts';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { removeFolders } from '../support/folders.ts';
import { deployment, member } from '../support/paper-fleet.ts';
import { cli } from '../support/run-cli.ts';
import { place, shop } from '../support/shop.ts';

afterAll(removeFolders);

const sectionOf = (fleet: FleetOnGit, title: string): string[] | undefined =>
  fleet
    .git('show', 'fleet-status:README.md')
    .split('\n## ')
    .find((part) => part.startsWith(`${title}\n`))
    ?.trim()
    .split('\n')
    .slice(2);

const image: PatchDetail = {
  path: '/spec/image',
  valueInMember: 'web:9',
  valueInHub: 'web:1',
  manager: 'kubectl-edit',
};
const outcome = (result: string, ...details: PatchDetail[]): ObjectOutcome => ({
  object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'web', name: 'web' },
  result,
  details,
});

it.each<[string, object, ObjectOutcome, string[] | undefined]>([
  ['what a comparison found', { type: 'ReportDiff' }, outcome('FoundDiff', image), ['(/spec/image by kubectl-edit)']],
  [
    'an object that is missing where members are only compared',
    { type: 'ReportDiff' },
    outcome('FoundDiff', { path: '/', valueInHub: '(the whole object)' }),
    ['(missing)'],
  ],
  [
    'drift that is not repaired',
    { whenToApply: 'IfNotDrifted' },
    outcome('FoundDrifts', image),
    ['(/spec/image by kubectl-edit)'],
  ],
  [
    'drift that waits for its repair, since another writer reverts it again and again',
    {},
    outcome('Applied', image, { ...image, path: '/spec/replicas', repaired: true }),
    ['(/spec/image by kubectl-edit)'],
  ],
  ['nothing of drift that was repaired', {}, outcome('Applied', { ...image, repaired: true }), undefined],
])('the dashboard lists %s, with cluster, time and writer', async (_, applyStrategy, found, listed) => {
  const policy = { placementType: 'PickFixed', clusterNames: ['eu-1', 'us-1'] };
  const fleet = await FleetOnGit.open({
    ...shop,
    'placements/web.yaml': place('web', { policy, strategy: { applyStrategy } }),
  });
  await fleet.settle();
  expect(sectionOf(fleet, 'Differs from the repo')).toBeUndefined();
  fleet.paper.results.set('us-1/web', [found]);
  await fleet.settle();
  expect(sectionOf(fleet, 'Differs from the repo')?.map((row) => row.replace(/\S+Z/, 'then'))).toEqual(
    listed?.map((what) => `- **web** on us-1, since then: Deployment web/web ${what}`),
  );
});

it('what differs of a removed placement is not listed any more', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  fleet.paper.results.set('us-1/web', [outcome('FoundDrifts', image)]);
  await fleet.settle();
  expect(sectionOf(fleet, 'Differs from the repo')).toHaveLength(1);
  fleet.paper.down.add('us-1');
  fleet.git('rm', '-q', 'placements/web.yaml');
  fleet.git('commit', '-qm', 'Remove web');
  fleet.look();
  await fleet.settle();
  expect(sectionOf(fleet, 'Being removed')).toEqual(['- **web** from us-1']);
  expect(sectionOf(fleet, 'Differs from the repo')).toBeUndefined();
});

const cordoned = (name: string) =>
  member(name, { env: 'prod' }, 'taints: [{key: cordon-key, value: cordon-value, effect: NoSchedule}]');

it('a cordoned cluster is listed as cordoned, with what it still runs', async () => {
  const fleet = await FleetOnGit.open({
    ...shop,
    'clusters/spare-1.yaml': cordoned('spare-1'),
    'clusters/spare-2.yaml': member('spare-2', {}, 'taints: [{key: other, effect: NoSchedule}]'),
  });
  await fleet.settle();
  fleet.commit({ 'clusters/us-1.yaml': cordoned('us-1') }, 'Cordon us-1');
  await fleet.settle();
  expect(sectionOf(fleet, 'Clusters')?.slice(2)).toEqual([
    '| 🔄 | [us-1](clusters/us-1.yaml) | healthy, cordoned |  |  | web (0), web/settings (0) |',
    '| ✅ | [dev-1](clusters/dev-1.yaml) | healthy | eu |  | pay (0), web/settings (0) |',
    '| ✅ | [eu-1](clusters/eu-1.yaml) | healthy | eu |  | web (0), web/settings (0) |',
    '| ✅ | [spare-1](clusters/spare-1.yaml) | healthy, cordoned |  |  | nothing |',
    '| ✅ | [spare-2](clusters/spare-2.yaml) | healthy |  |  | nothing |',
  ]);
});

it('a refused plan shows neither cordons nor their end', async () => {
  const fleet = await FleetOnGit.open({ ...shop, 'clusters/us-1.yaml': cordoned('us-1') });
  await fleet.settle();
  const before = sectionOf(fleet, 'Clusters');
  expect(before?.filter((row) => row.includes('cordoned'))).toEqual([
    '| 🔄 | [us-1](clusters/us-1.yaml) | healthy, cordoned |  |  | web (0) |',
  ]);
  fleet.commit(
    {
      'fleet.yaml': 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: 0}}\n',
      'placements/settings.yaml': '# nothing',
      'clusters/eu-1.yaml': cordoned('eu-1'),
      'clusters/us-1.yaml': member('us-1', { env: 'prod' }),
    },
    'Cordon eu-1 instead',
  );
  await fleet.pass({ refused: true });
  expect(sectionOf(fleet, 'Clusters')).toEqual(before);
});

it('the dashboard lists objects that are not available, with cluster, time and reason', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  expect(sectionOf(fleet, 'Not available')).toBeUndefined();
  fleet.paper.broken.add('us-1/Deployment/web');
  fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2') }, 'web 2');
  await fleet.settle();
  expect(sectionOf(fleet, 'Not available')?.map((row) => row.replace(/\d\S+Z/, 'then'))).toEqual([
    '- **web** on us-1, since then: Deployment web/web: ManifestNotAvailableYet: not all 2 replicas are updated and available yet',
  ]);
});

it.each([
  ['ImagePullBackOff web:2', /^# ⚠️ 2 things need you · 2 of 3/],
  ['Unschedulable', /^# ⚠️ 1 thing needs you · 2 of 3/],
])('%s: beside an approval the title counts what does not end by itself', async (cause, title) => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  fleet.paper.broken.add('us-1/Deployment/web');
  fleet.paper.podCauses.set('us-1', [{ object: outcome('').object, cause }]);
  fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2') }, 'web 2');
  await fleet.settle();
  expect(fleet.git('show', 'fleet-status:README.md')).toMatch(title);
  expect(sectionOf(fleet, 'Not available')?.join()).toContain(`yet: ${cause}`);
});

it('the cause that pods show is reported though nothing else changed', async () => {
  const fleet = await FleetOnGit.open(shop);
  fleet.paper.broken.add('us-1/Deployment/web');
  await fleet.settle();
  const shown = () => sectionOf(fleet, 'Not available')?.map((row) => /yet(.*)$/.exec(row)?.[1]);
  expect(shown()).toEqual(['']);
  const waits = (cause: string) => fleet.paper.podCauses.set('us-1', [{ object: outcome('').object, cause }]);
  waits('CrashLoopBackOff web:1');
  await fleet.settle();
  expect(shown()).toEqual([': CrashLoopBackOff web:1']);
  waits('Unschedulable');
  await fleet.settle();
  expect(shown()).toEqual([': Unschedulable']);
  fleet.paper.podCauses.clear();
  await fleet.settle();
  expect(shown()).toEqual(['']);
});

it('beside an approval the title counts an object that clusters refuse, once for all of them', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  for (const cluster of ['us-1', 'eu-1'])
    fleet.paper.results.set(`${cluster}/web`, [{ ...outcome('FailedToApply'), message: 'spec: Forbidden' }]);
  await fleet.settle();
  expect(fleet.git('show', 'fleet-status:README.md')).toMatch(/^# ⚠️ 2 things need you · 1 of 3/);
});

it('the dashboard lists what differs in the same way on several clusters once', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'web', name: 'web' };
  const details = [{ path: '/spec/replicas', valueInMember: '5', valueInHub: '2' }];
  for (const cluster of ['us-1', 'eu-1'])
    fleet.paper.results.set(`${cluster}/web`, [{ object, result: 'FoundDrifts', details }]);
  await fleet.settle();
  expect(sectionOf(fleet, 'Differs from the repo')?.map((row) => row.replace(/\d{4}\S+Z/, 'then'))).toEqual([
    '- **web** on 2 clusters (eu-1, us-1), since then: Deployment web/web (/spec/replicas)',
  ]);
});

it('the dashboard lists an eviction that a budget blocks until its file or the placement is removed', async () => {
  const eviction = (name: string) =>
    stringify({
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
      kind: 'ClusterResourcePlacementEviction',
      metadata: { name },
      spec: { placementName: 'all', clusterName: 'eu-1' },
    });
  const budget = (minAvailable: number) =>
    stringify({
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
      kind: 'ClusterResourcePlacementDisruptionBudget',
      metadata: { name: 'all' },
      spec: { minAvailable },
    });
  const fleet = await FleetOnGit.open({
    ...shop,
    'placements/web.yaml': place('web', { policy: { placementType: 'PickFixed', clusterNames: ['us-1'] } }),
    'placements/all.yaml': place('all', { policy: { placementType: 'PickAll' } }),
    'resources/all.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: all}\n',
    'budget.yaml': budget(3),
  });
  await fleet.settle();
  fleet.commit({ 'evictions/a.yaml': eviction('a'), 'evictions/b.yaml': eviction('b') }, 'Evict');
  await fleet.settle();
  const row = (name: string) =>
    `- **${name}**: all stays on eu-1, since then: Eviction is blocked by specified ClusterResourcePlacementDisruptionBudget, availablePlacements: 3, totalPlacements: 3`;
  const listed = () => sectionOf(fleet, 'Not evicted')?.map((line) => line.replace(/\d\S+Z/, 'then'));
  expect(listed()).toEqual(['To retry, commit an eviction with another name.', '', row('a'), row('b')]);
  // Of a plan that is refused nothing is judged.
  const strict = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: 0}}\n';
  const gone = { 'placements/web.yaml': '# gone\n', 'fleet.yaml': strict };
  fleet.commit({ ...gone, 'evictions/d.yaml': eviction('d') }, 'Evict d');
  const { evictions } = await fleet.pass({ refused: true });
  expect(evictions.map(({ name }) => name)).toEqual(['a', 'b', 'd']);
  expect(listed()?.slice(2)).toEqual([row('a'), row('b')]);
  const back = place('web', { policy: { placementType: 'PickFixed', clusterNames: ['us-1'] } });
  const asBefore = { 'placements/web.yaml': back, 'fleet.yaml': '# none\n', 'evictions/d.yaml': '# none\n' };
  fleet.commit(asBefore, 'Take it back');
  await fleet.settle();
  fleet.commit({ 'evictions/b.yaml': '# given up\n' }, 'Give up b');
  await fleet.settle();
  expect(listed()?.slice(2)).toEqual([row('a')]);
  const tainted = member('eu-1', {}, 'taints: [{key: a, effect: NoSchedule}]');
  fleet.commit(
    { 'budget.yaml': budget(2), 'evictions/c.yaml': eviction('c'), 'clusters/eu-1.yaml': tainted },
    'Evict c',
  );
  await fleet.settle();
  expect(listed()).toBeUndefined();
});

it('approvals that wait say that none counts while fleet.yaml is not in effect', async () => {
  const config = (text: string): string => `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {${text}}\n`;
  const fleet = await FleetOnGit.open({ ...shop, 'fleet.yaml': config('guard: {maxClusters: 3}') });
  await fleet.settle();
  const waiting = () =>
    fleet
      .git('show', 'fleet-status:README.md')
      .split('\n## ')
      .find((part) => part.startsWith('Waiting for approval'));
  const note = 'No approval counts while fleet.yaml is not valid: correct what is reported for it first.';
  expect(waiting()).toBeDefined();
  expect(waiting()).not.toContain(note);
  fleet.commit({ 'fleet.yaml': config('gard: {maxClusters: 3}') }, 'Break it');
  await fleet.settle();
  expect(waiting()).toContain(note);
  const [name] = (await fleet.pass()).approvals.map(({ planned }) => planned.name);
  const described = await cli('describe', 'approval', name!, '--repo', fleet.dir);
  expect(described.out).toContain(`How to approve or reject:\n  ${note}\n`);
  fleet.commit({ 'fleet.yaml': `${config('guard: {maxClusters: 3}')}---\n${member('5X_')}` }, 'Break another document');
  await fleet.settle();
  expect(waiting()).not.toContain(note);
  expect((await cli('describe', 'approval', name!, '--repo', fleet.dir)).out).not.toContain(note);
});

import { afterEach, expect, it } from 'vitest';
import { placementTargets } from '../../../src/engine/target-kinds.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { settles } from '../../support/small-fleet.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const whole = placement('web', '{placementType: PickAll}');
const namespaceOnly = whole.replace('name: web}]', 'name: web, selectionScope: NamespaceOnly}]');
const tools = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: tools, namespace: web}
spec:
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy: {placementType: PickAll, tolerations: [{operator: Exists}]}
`;
const drained = {
  'clusters/b.yaml': member('b', {}, 'taints: [{key: cordon-key, value: cordon-value, effect: NoSchedule}]'),
  'evict.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacementEviction
metadata: {name: drain-eviction-web-b}
spec: {placementName: web, clusterName: b}
`,
};
const uncordoned = { 'clusters/b.yaml': member('b'), 'evict.yaml': undefined };

const world = (more: Record<string, string>) =>
  VirtualFleet.open(
    {
      'clusters/a.yaml': member('a'),
      'clusters/b.yaml': member('b'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
      ...more,
    },
    'a',
    'b',
  );
const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' } };
const uidOf = (plural: string, namespace: string, name: string) =>
  fleet.stored('b', plural, namespace, name)?.metadata.uid;

it('a cluster that is drained and takes placements again holds what it did, and what others have in a namespace stays as it was', async () => {
  fleet = await world({ 'web.yaml': whole });
  const one = fleet.start();
  await settles(fleet, one);
  await fleet.ask('b', 'POST', '/api/v1/namespaces/web/configmaps', theirs);
  const others = () => [uidOf('/namespaces', '', 'web'), uidOf('/configmaps', 'web', 'theirs')];
  const before = others();
  expect(before).not.toContain(undefined);

  fleet.commit(drained);
  const held = () => one.plan().holds.find(({ reason }) => reason === 'ContainsForeignObjects');
  await fleet.until('the removal is held', () => held() !== undefined);
  const branch = `gitfleet/approve/removal-${held()?.removalDigest?.slice('sha256:'.length, 'sha256:'.length + 12)}`;
  await fleet.until('a branch asks', () => fleet.repo.tip(branch) !== undefined);
  expect(fleet.stored('b', 'apps/deployments', 'web', 'web')).toBeUndefined();

  fleet.commit(uncordoned);
  await settles(fleet, one);
  expect(one.plan().holds).toEqual([]);
  expect(
    placementTargets(one.plan().targets).map(({ clusterName, remove }) => `${clusterName} ${remove}`),
  ).not.toContain('b true');
  expect(fleet.stored('b', 'apps/deployments', 'web', 'web')).toBeDefined();
  expect(others()).toEqual(before);
  await fleet.until('nobody is asked any more', () => fleet.repo.tip(branch) === undefined);
});

it('a cluster that is drained keeps the namespace in which another placement stays, and its placement takes it back', async () => {
  fleet = await world({ 'web.yaml': namespaceOnly, 'tools.yaml': tools });
  const one = fleet.start();
  await settles(fleet, one);
  const uids = () => [uidOf('/namespaces', '', 'web'), uidOf('apps/deployments', 'web', 'web')];
  const before = uids();
  expect(before).not.toContain(undefined);
  const owner = () => fleet.stored('b', '/namespaces', '', 'web')?.metadata.labels?.['gitfleet.dev/placement'];

  fleet.commit(drained);
  await fleet.until('the namespace is released', () => owner() === undefined);
  await settles(fleet, one);
  expect(one.plan().holds).toEqual([]);
  expect(uids()).toEqual(before);

  fleet.commit(uncordoned);
  await fleet.until('it is taken back', () => owner() === 'web');
  await settles(fleet, one);
  expect(uids()).toEqual(before);
});

import { afterEach, expect, it } from 'vitest';
import { placementTargets } from '../../src/engine/target-kinds.ts';
import { deployment, member, placement } from '../support/paper-fleet.ts';
import { settles } from '../support/small-fleet.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const all = '{placementType: PickAll}';
const named = (name: string) => placement(name, all, undefined, 'web');
const namespaceOn = (clusters: string) =>
  placement('one', `{placementType: PickFixed, clusterNames: [${clusters}]}`, undefined, 'web').replace(
    'name: web}]',
    'name: web, selectionScope: NamespaceOnly}]',
  );
const inside = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: inside, namespace: web}
spec:
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy: ${all}
`;
const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' } };

it.each([
  ['a placement beside another of the same namespace', { 'two.yaml': named('two') }, {}],
  ['a placement that is renamed', {}, { 'two.yaml': named('two') }],
])('%s is removed: its objects pass to the other placement unchanged', async (_, before, after) => {
  const files = { 'clusters/a.yaml': member('a'), 'resources/web.yaml': deployment('web', 'web', 'web:1') };
  fleet = await VirtualFleet.open({ ...files, 'one.yaml': named('one') }, 'a');
  const one = fleet.start();
  const owned = () => fleet.stored('a', '/namespaces', '', 'web')?.metadata.labels?.['gitfleet.dev/placement'];
  await fleet.until('the first holds the namespace', () => owned() === 'one');
  fleet.commit(before);
  await fleet.run(60);
  await fleet.ask('a', 'POST', '/api/v1/namespaces/web/configmaps', theirs);
  const uids = () => [
    fleet.stored('a', '/namespaces', '', 'web')?.metadata['uid'],
    fleet.stored('a', 'apps/deployments', 'web', 'web')?.metadata['uid'],
  ];
  const first = uids();

  fleet.commit({ 'one.yaml': undefined, ...after });
  await fleet.until('the second holds it', () => owned() === 'two');
  await settles(fleet, one);
  expect(uids()).toEqual(first);
  expect(one.plan().holds).toEqual([]);
  expect(placementTargets(one.plan().targets).map((target) => [target.placement.name, target.remove])).toEqual([
    ['two', false],
  ]);
});

it.each([
  ['is deleted', undefined],
  ['leaves the cluster', namespaceOn('b')],
])('the placement of a namespace %s: the namespace stays, with what another placement has in it', async (_, after) => {
  fleet = await VirtualFleet.open(
    {
      'clusters/a.yaml': member('a'),
      'clusters/b.yaml': member('b'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
      'one.yaml': namespaceOn('a, b'),
      'inside.yaml': inside,
    },
    'a',
    'b',
  );
  const one = fleet.start();
  await settles(fleet, one);
  const uids = () => [
    fleet.stored('a', '/namespaces', '', 'web')?.metadata['uid'],
    fleet.stored('a', 'apps/deployments', 'web', 'web')?.metadata['uid'],
  ];
  const first = uids();
  expect(first).not.toContain(undefined);

  fleet.commit({ 'one.yaml': after });
  await fleet.run(60);
  await settles(fleet, one);
  expect(uids()).toEqual(first);
  expect(fleet.stored('a', '/namespaces', '', 'web')?.metadata.labels).not.toHaveProperty('gitfleet.dev/placement');
  expect(one.plan().holds).toEqual([]);
  expect(placementTargets(one.plan().targets).filter(({ remove }) => remove)).toEqual([]);
});

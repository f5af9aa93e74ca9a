import { describe, expect, it } from 'vitest';
import { memoryCache } from '../../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { member, treeOf } from '../../support/paper-fleet.ts';

const listOf = (kind: string, apiVersion: string, items: readonly object[]): string =>
  JSON.stringify({ apiVersion, kind, metadata: { resourceVersion: '7' }, items });
const whole = {
  apiVersion: 'cluster.kubernetes-fleet.io/v1',
  kind: 'MemberCluster',
  metadata: { name: 'b' },
  spec: {},
};
const bare = { metadata: { name: 'a' }, spec: {} };

it.each<[how: string, text: string]>([
  [
    'of the API server, whose items name no kind',
    listOf('MemberClusterList', 'cluster.kubernetes-fleet.io/v1', [bare, whole]),
  ],
  ['of anything', listOf('List', 'v1', [{ ...whole, ...bare }, whole])],
])('the items of a list %s are taken one by one', async (_how, text) => {
  const { members, problems } = await loadFleet(treeOf({ 'clusters/all.json': text }));
  expect([members.map(({ metadata }) => metadata.name), problems]).toEqual([['a', 'b'], []]);
});

it('a list of resources is what its items are', async () => {
  const text = listOf('ConfigMapList', 'v1', [{ metadata: { name: 'one', namespace: 'shop' }, data: {} }]);
  const { resources, problems } = await loadFleet(
    treeOf({ 'clusters/a.yaml': member('a'), 'resources/maps.json': text }),
  );
  expect([resources.map(({ manifest: { apiVersion, kind } }) => `${apiVersion} ${kind}`), problems]).toEqual([
    ['v1 ConfigMap'],
    [],
  ]);
});

it.each(['List', 'ConfigMapList'])('the items of a %s that did not change keep their identity', async (kind) => {
  const item = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'shop' } };
  const cache = memoryCache();
  const load = (commit: string) =>
    loadFleet(treeOf({ 'note.md': commit, 'resources/maps.json': listOf(kind, 'v1', [item]) }), cache);
  const [first, second] = [await load('a'), await load('b')];
  expect(first.resources.length).toBe(1);
  expect(second.resources[0]).toBe(first.resources[0]);
});

it('a problem of an item has the position of the item', async () => {
  const text = listOf('MemberClusterList', 'cluster.kubernetes-fleet.io/v1', [
    bare,
    { metadata: { name: 'B' }, spec: {} },
  ]);
  const { problems, refused } = await loadFleet(treeOf({ 'clusters/all.json': text }));
  expect(problems.map(({ file, path }) => `${file} ${path}`)).toEqual(['clusters/all.json metadata.name']);
  expect(refused.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['MemberCluster B']);
});

it('a kind whose own name ends in List is not a list', async () => {
  const text = `apiVersion: gitfleet.dev/v1alpha1
kind: PriceList
metadata: {name: prices}
spec: {currency: USD, prices: [{instanceType: m5, capacityType: spot, perHour: 1}]}
`;
  const { priceLists, problems } = await loadFleet(treeOf({ 'clusters/a.yaml': member('a'), 'prices.yaml': text }));
  expect([priceLists.length, problems]).toEqual([1, []]);
});

describe('objects in a plain list, which kubectl refuses', () => {
  const list = (apiVersion: string, kind: string) =>
    `# two of them\n- apiVersion: ${apiVersion}\n  kind: ${kind}\n  metadata: {name: one}\n- apiVersion: ${apiVersion}\n  kind: ${kind}\n  metadata: {name: two}\n`;
  const reported = {
    code: 'not-an-object',
    line: 2,
    column: 1,
    message: 'a list is not a Kubernetes object, and nothing in it is placed',
    fix: 'write each object as a document of its own, with --- between them',
  };
  it.each([
    ['resources/all.yaml', 'v1', 'Namespace'],
    ['clusters/all.yaml', 'cluster.kubernetes-fleet.io/v1', 'MemberCluster'],
  ])('are refused in %s, and known to be meant', async (path, apiVersion, kind) => {
    const { problems, refused, unreadable, members } = await loadFleet(treeOf({ [path]: list(apiVersion, kind) }));
    expect(problems).toEqual([{ severity: 'error', file: path, ...reported }]);
    expect(refused).toEqual(['one', 'two'].map((name) => ({ apiVersion, kind, name })));
    expect([unreadable, members]).toEqual([[], []]);
  });

  it.each([
    ['playbook.yaml', list('v1', 'Namespace'), 'outside of resources/'],
    ['resources/names.yaml', '- one\n- {two: 2}\n', 'in a list of other things'],
  ])('are no concern in %s, %s', async (path, text) => {
    expect((await loadFleet(treeOf({ [path]: text }))).problems).toEqual([]);
  });
});

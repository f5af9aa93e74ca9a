import { expect, it } from 'vitest';
import { contentsOf, itemsOf } from '../../../src/repo/yaml/items-of.ts';

const bare = { metadata: { name: 'a' } };
const whole = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } };

it.each<[what: string, document: unknown, items: readonly unknown[] | undefined]>([
  ['a List of anything', { apiVersion: 'v1', kind: 'List', items: [bare, whole, 3] }, [bare, whole, 3]],
  ['an empty List', { apiVersion: 'v1', kind: 'List', items: [] }, []],
  ['a List of another group', { apiVersion: 'apps/v1', kind: 'List', items: [bare] }, undefined],
  [
    'a list of one kind, which its items leave out or name',
    { apiVersion: 'apps/v1', kind: 'DeploymentList', metadata: { resourceVersion: '7' }, items: [bare, whole, null] },
    [{ apiVersion: 'apps/v1', kind: 'Deployment', ...bare }, whole, null],
  ],
  ['a list without its items', { apiVersion: 'apps/v1', kind: 'DeploymentList' }, undefined],
  ['what names no apiVersion', { kind: 'List', items: [bare] }, undefined],
  [
    'an object whose kind ends in List',
    { apiVersion: 'example.com/v1', kind: 'AllowList', metadata: { name: 'office' }, items: ['10.0.0.0/8'] },
    undefined,
  ],
  ['a text', 'List', undefined],
])('%s has these items', (_, document, items) => {
  expect(itemsOf(document)).toEqual(items);
  expect(contentsOf(document)).toEqual(items ?? [document]);
});

it('an empty document has no items', () => {
  expect([contentsOf(null), contentsOf(undefined)]).toEqual([[], []]);
});

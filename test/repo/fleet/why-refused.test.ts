import { expect, it } from 'vitest';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { treeOf } from '../../support/paper-fleet.ts';

const placement = (name: string, spec: string) =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourcePlacement\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

it('an object that is refused has the first of its errors, also where another name begins alike', async () => {
  const { refused, whyRefused } = await loadFleet(
    treeOf({
      'placements/web.yaml': [
        placement('web-2', '{resourceSelectors: 5}'),
        placement('web', '{revisionHistoryLimit: many, resourceSelectors: none}'),
      ].join('---\n'),
    }),
  );
  expect(refused.map(({ name }) => name)).toEqual(['web', 'web-2']);
  expect([...whyRefused].map(([key, { line, path }]) => [key, line, path]).sort()).toEqual([
    ['ClusterResourcePlacement//web', 9, 'spec.revisionHistoryLimit'],
    ['ClusterResourcePlacement//web-2', 4, 'spec.resourceSelectors'],
  ]);
});

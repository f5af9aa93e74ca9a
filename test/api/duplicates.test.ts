import { expect, it } from 'vitest';
import { duplicates } from '../../src/api/duplicates.ts';
import type { FleetObject } from '../../src/api/kinds.ts';

/** `kind name` or `kind namespace/name`. */
const object = (title: string): FleetObject => {
  const [kind, full] = title.split(' ') as [string, string];
  const [name, namespace] = full.split('/').reverse();
  return { kind, metadata: { name, ...(namespace && { namespace }) } } as unknown as FleetObject;
};
const found = (...titles: readonly string[]): string[] =>
  duplicates(titles.map(object)).map(({ index, other, issue }) => `${index} ${other} ${issue.code} ${issue.message}`);

it.each<[rule: string, titles: readonly string[], expected: readonly string[]]>([
  ['names differ', ['MemberCluster a', 'MemberCluster b', 'ResourcePlacement x/a', 'ResourcePlacement y/a'], []],
  ['one name in two kinds', ['ClusterResourcePlacement a', 'ClusterStagedUpdateRun a', 'MemberCluster a'], []],
  [
    'one object twice',
    ['MemberCluster a', 'MemberCluster a'],
    ['1 0 duplicate-object MemberCluster a is defined in two places'],
  ],
  [
    'one object three times',
    ['ResourceOverride x/a', 'ResourceOverride x/a', 'ResourceOverride x/a'],
    [1, 2].map((at) => `${at} 0 duplicate-object ResourceOverride x/a is defined in two places`),
  ],
  [
    'a FleetConfig under another name',
    ['FleetConfig a', 'FleetConfig b'],
    ['1 0 duplicate-object a fleet has one FleetConfig'],
  ],
  [
    'a dot in a name is a namespace elsewhere: placements',
    ['ResourcePlacement shop/web', 'ClusterResourcePlacement shop.web'],
    [
      '1 0 duplicate-object ClusterResourcePlacement shop.web and ResourcePlacement shop/web are both shop.web on the status branch and in labels',
    ],
  ],
  [
    'a dot in a name is a namespace elsewhere: runs and approvals',
    [
      'ClusterStagedUpdateRun shop.r',
      'StagedUpdateRun shop/r',
      'ClusterApprovalRequest shop.r-after-x',
      'ApprovalRequest shop/r-after-x',
    ],
    [
      '1 0 duplicate-object StagedUpdateRun shop/r and ClusterStagedUpdateRun shop.r are both shop.r on the status branch and in labels',
      '3 2 duplicate-object ApprovalRequest shop/r-after-x and ClusterApprovalRequest shop.r-after-x are both shop.r-after-x on the status branch and in labels',
    ],
  ],
  [
    'overrides of both scopes are told apart by their snapshots',
    ['ClusterResourceOverride shop.o', 'ResourceOverride shop/o'],
    [],
  ],
])('%s', (_, titles, expected) => {
  expect(found(...titles)).toEqual(expected);
});

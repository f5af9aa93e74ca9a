import { describe, expect, it } from 'vitest';
import { assignedObjects } from '../../../src/cli/status/assigned-objects.ts';
import { knownPlacements } from '../../../src/cli/status/known-placements.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { member } from '../../support/paper-fleet.ts';

const override = (patch: string) => `apiVersion: gitfleet.dev/v1alpha1
kind: ClusterResourceOverrideSnapshot
metadata: {name: o-0}
index: 0
hash: abc
overrideSpec:
  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: []}, ${patch}}]}
`;
const held = (patch: string) => {
  const { record } = readRecord(
    new Map([
      [
        'placements/web/state.yaml',
        'apiVersion: gitfleet.dev/v1alpha1\nkind: PlacementState\nmetadata: {name: web}\nresourceSnapshots: [{index: 0, latest: true}]\nbindings: [{targetCluster: a, state: Bound, resourceSnapshotIndex: 0, clusterResourceOverrideSnapshots: [o-0]}]\n',
      ],
      [
        'placements/web/snapshots/0.yaml',
        'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n',
      ],
      ['overrides/o/0.yaml', override(patch)],
      ['clusters/a.yaml', member('a')],
    ]),
  );
  const [placement] = knownPlacements(record);
  return assignedObjects(placement!, placement!.state.bindings[0]!, record).map(({ manifest, overrides, dropped }) => [
    manifest.metadata.name,
    overrides,
    dropped,
  ]);
};

describe('what a cluster is given', () => {
  it.each<[string, string, [string, string[], boolean][]]>([
    [
      'an override changes it',
      'jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {a: b}}]',
      [
        ['web', ['o-0'], false],
        ['b', [], false],
      ],
    ],
    [
      'an override leaves it out',
      'overrideType: Delete',
      [
        ['b', [], false],
        ['web', ['o-0'], true],
      ],
    ],
    [
      'an override fails, which leaves nothing out',
      'jsonPatchOverrides: [{op: replace, path: /spec/nope, value: 1}]',
      [
        ['web', [], false],
        ['b', [], false],
      ],
    ],
  ])('%s', (_, patch, expected) => {
    expect(held(patch)).toEqual(expected);
  });
});

import { expect, it } from 'vitest';
import type { PlacementKey } from '../../../src/api/meta.ts';
import { forgottenBy } from '../../../src/daemon/record/forgotten-by.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { member } from '../../support/paper-fleet.ts';

const web = { kind: 'placement', key: 'web' as PlacementKey } as const;
const stateOf = (binding: string): string =>
  `apiVersion: gitfleet.dev/v1alpha1\nkind: PlacementState\nmetadata: {name: web}\nbindings: [${binding}]\n`;
const shop = { 'placements/shop/state.yaml': stateOf('').replace('web', 'shop') };
const bound = '{targetCluster: a, state: Bound, resourceSnapshotIndex: 0}';
const leaving = member('a').replace('name: a\n', 'name: a\n  deletionTimestamp: "2026-11-20T10:00:00Z"\n');
const having = (binding: string) => ({ ...shop, 'placements/web/state.yaml': stateOf(binding) });

it.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['no longer in the record is', shop, true],
  ['no longer on the cluster is', having(bound.replace('a,', 'b,')), true],
  ['on the cluster is not', having(bound), false],
  ['leaving the cluster is not', having(bound.replace('}', ', deleting: true}')), false],
  ['picked for the cluster again, but not assigned, is', having('{targetCluster: a, state: Scheduled}'), true],
  ['on a cluster that leaves is not', { ...shop, 'clusters/a.yaml': leaving }, false],
  ['in a record that is lost is not', {}, false],
])('a placement that is %s forgotten', (_, files, is) => {
  const { record } = readRecord(new Map(Object.entries(files)));
  expect(forgottenBy(record, new Set())('a', web)).toBe(is);
});

it('an abandoned placement is not forgotten', () => {
  const { record } = readRecord(new Map(Object.entries(shop)));
  expect(forgottenBy(record, new Set([web.key]))('a', web)).toBe(false);
});

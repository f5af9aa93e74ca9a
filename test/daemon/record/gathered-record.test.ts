import { expect, it } from 'vitest';
import { gatheredRecord } from '../../../src/daemon/record/gathered-record.ts';
import { readRecord } from '../../../src/repo/record/read.ts';

const recordOf = (placements: Readonly<Record<string, string>>) =>
  readRecord(
    new Map(
      Object.entries(placements).map(([name, state]) => [
        `placements/${name}/state.yaml`,
        `apiVersion: gitfleet.dev/v1alpha1\nkind: PlacementState\nmetadata: {name: ${name}}\n${state}`,
      ]),
    ),
  ).record;

const bound = '{targetCluster: a, state: Bound, resourceSnapshotIndex: 0}';
const leaving = '{targetCluster: b, state: Unscheduled, resourceSnapshotIndex: 0, deleting: true}';
const snapshots = 'resourceSnapshots: [{index: 0, latest: true}]';
const bindings = (...list: readonly string[]): string => `${snapshots}\nbindings: [${list.join(', ')}]\n`;
const available = bound.replace('}', ', conditions: [{type: Available, status: "True"}]}');

it.each<[string, string, string | undefined, 'published' | 'next']>([
  ['a placement', bindings(leaving), undefined, 'published'],
  ['a cluster that a placement was taken off', bindings(bound, leaving), bindings(available), 'published'],
  [
    'a snapshot',
    'resourceSnapshots: [{index: 0}, {index: 1, latest: true}]\n',
    'resourceSnapshots: [{index: 1, latest: true}]\n',
    'published',
  ],
  ['nothing', bindings(bound, leaving), bindings(available, leaving), 'next'],
])('of a plan that waits for its push and forgets %s the next goes by what is %s', (_, web, next, stands) => {
  const published = recordOf({ web, shop: bindings(bound) });
  const would = recordOf({ ...(next === undefined ? {} : { web: next }), shop: bindings(available) });
  const { placements } = gatheredRecord({ published, next: would });
  expect(Object.fromEntries(placements)).toEqual({
    shop: would.placements.get('shop' as never),
    web: (stands === 'next' ? would : published).placements.get('web' as never),
  });
});

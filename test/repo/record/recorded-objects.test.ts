import { expect, it } from 'vitest';
import type { RecordDocument } from '../../../src/engine/plan-document.ts';
import { recordedObjects } from '../../../src/repo/record/recorded-objects.ts';
import { sha256 } from '../../../src/repo/sha256.ts';

const shard = (name: string): string => sha256(name).slice(0, 2);
const paths = [
  'clusters/state.yaml',
  `clusters/${shard('eu-1')}/eu-1.yaml`,
  'placements/web/status.yaml',
  'placements/web/namespace-status.yaml',
  'placements/web/state.yaml',
  'placements/web/mirrored/state.yaml',
  'placements/web/mirrored/status.yaml',
  `placements/${shard('team.shop')}/team.shop/state.yaml`,
  'runs/web-1.yaml',
  'approvals/web-1-after-dev.yaml',
];
const record = new Map(paths.map((path): [string, RecordDocument] => [path, { kind: 'object', value: { path } }]));

it.each([
  ['clusters', { state: paths[0], 'eu-1': paths[1] }],
  ['statuses', { web: paths[2] }],
  ['states', { web: paths[4], 'team.shop': paths[7] }],
  ['runs', { 'web-1': paths[8] }],
] as const)('%s are found by name, in folders of two digits too, whatever clusters are called', (kind, expected) => {
  const found = [...recordedObjects(kind, { record })].map(([name, { path, value }]) => {
    expect(value).toEqual({ path });
    return [name, path];
  });
  expect(Object.fromEntries(found)).toEqual(expected);
});

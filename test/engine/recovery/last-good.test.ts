import { expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import { emptyFleet, type Fleet, type FleetRecord, type RecordedPlacement } from '../../../src/engine/input.ts';
import { withLastGoodResources } from '../../../src/engine/recovery/last-good.ts';
import { rebuiltHash } from '../../../src/engine/selection/content-hash.ts';

const scaler = (apiVersion: string): Manifest => ({
  apiVersion,
  kind: 'HorizontalPodAutoscaler',
  metadata: { namespace: 'shop', name: 'web' },
});

const recordOf = (hash: string): FleetRecord => {
  const recorded = {
    state: { resourceSnapshots: [{ index: 0, latest: true, hash }] },
    snapshots: new Map([[0, [scaler('autoscaling/v1')]]]),
  } as unknown as RecordedPlacement;
  return { placements: new Map([['web', recorded]]) } as unknown as FleetRecord;
};
const record = recordOf('a'.repeat(64));
const broken: Fleet = { ...emptyFleet, unreadable: ['resources/other.yaml'] };

it('what no file names while one cannot be read is there as it was last', () => {
  expect(withLastGoodResources(broken, record)).toEqual({
    resources: [{ manifest: scaler('autoscaling/v1'), scope: 'Namespaced', file: '' }],
    restored: [{ apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', namespace: 'shop', name: 'web' }],
  });
});

it('what a file names in another version of its API is not there twice', () => {
  const now = { manifest: scaler('autoscaling/v2'), scope: 'Namespaced', file: 'resources/web.yaml' } as const;
  expect(withLastGoodResources({ ...broken, resources: [now] }, record)).toEqual({ resources: [now], restored: [] });
});

it('what was only read from members after the record was lost is not taken for the last good version', () => {
  expect(withLastGoodResources(broken, recordOf(rebuiltHash))).toEqual({ resources: [], restored: [] });
});

import { expect, it } from 'vitest';
import type { ClusterName, Manifest } from '../../../src/api/meta.ts';
import { placementState } from '../../../src/api/placement-state.ts';
import { placedInOldApis } from '../../../src/engine/upgrade/placed-objects.ts';

const cron = (name: string, apiVersion = 'batch/v1beta1'): Manifest => ({
  apiVersion,
  kind: 'CronJob',
  metadata: { name, namespace: 'shop' },
});

const placed = (...bindings: readonly object[]) =>
  placedInOldApis(
    'eu-1' as ClusterName,
    {
      placements: new Map([
        [
          'web' as never,
          {
            object: undefined,
            state: placementState.parse({
              apiVersion: 'gitfleet.dev/v1alpha1',
              kind: 'PlacementState',
              metadata: { name: 'web' },
              bindings,
            }),
            snapshots: new Map([
              [0, [cron('old'), cron('new', 'batch/v1')]],
              [1, [cron('new', 'batch/v1')]],
            ]),
          },
        ],
      ]),
    },
    undefined,
  ).map(({ metadata }) => metadata.name);

it('are those of the snapshot that the cluster runs', () => {
  const bound = { targetCluster: 'eu-1', state: 'Bound', policySnapshotIndex: 0 };
  expect(placed({ ...bound, resourceSnapshotIndex: 0 })).toEqual(['old']);
  expect(placed({ ...bound, resourceSnapshotIndex: 1 })).toEqual([]);
  expect(placed({ ...bound, resourceSnapshotIndex: 0, targetCluster: 'eu-2' })).toEqual([]);
  expect(placed({ ...bound, resourceSnapshotIndex: 0, state: 'Scheduled' })).toEqual([]);
  expect(placed({ ...bound, resourceSnapshotIndex: 0, deleting: true })).toEqual([]);
});

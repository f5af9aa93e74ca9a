import { expect, it } from 'vitest';
import type { Eviction } from '../../src/api/eviction.ts';
import type { ClusterName } from '../../src/api/meta.ts';
import { type PlacementRef, placementKey, type refOf } from '../../src/api/placement.ts';
import type { Binding } from '../../src/api/placement-state.ts';

const eviction: Eviction['spec'] = { placementName: 'web', clusterName: 'eu-1' };
const ref: PlacementRef = { kind: 'ClusterResourcePlacement', name: 'web' };

it('the name of a placement is not taken for that of a cluster, nor the other way round', () => {
  // @ts-expect-error: the name of a placement is not a cluster.
  const cluster: ClusterName = eviction.placementName;
  // @ts-expect-error: neither is its key.
  const key: Binding['targetCluster'] = placementKey(ref);
  // @ts-expect-error: a cluster is not a placement.
  const placement: ReturnType<typeof refOf>['name'] = eviction.clusterName;
  expect([cluster, key, placement]).toEqual(['web', 'web', 'eu-1']);
});

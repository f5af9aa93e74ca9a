import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { placementKey } from '../../../api/placement.ts';
import { memoize } from '../../kernel/memoize.ts';
import { placementOf } from '../evidence/snapshot-objects.ts';

/** Objects with our label, by placement and cluster. */
export type Shown = ReadonlyMap<PlacementKey, ReadonlyMap<ClusterName, readonly Manifest[]>>;

type Observations = ReadonlyMap<ClusterName, ClusterObservation>;

export const shownPlacements = (observations: Observations | undefined): Shown => shownBy(observations ?? none);

const shownBy = memoize((observations: Observations): Shown => {
  const shown = new Map<PlacementKey, Map<ClusterName, Manifest[]>>();
  for (const [cluster, { objects }] of observations)
    for (const object of objects) {
      const key = placementOf(object);
      if (key === undefined) continue;
      const clusters = shown.get(key) ?? new Map<ClusterName, Manifest[]>();
      shown.set(key, clusters);
      const list = clusters.get(cluster);
      if (list) list.push(object);
      else clusters.set(cluster, [object]);
    }
  return shown;
});

const none: Observations = new Map();

/** What an actor reported of a placement on a cluster. */
export const reportOf = (observations: Observations | undefined, key: PlacementKey, cluster: ClusterName) =>
  observations?.get(cluster)?.placements.find(({ placement }) => placementKey(placement) === key);

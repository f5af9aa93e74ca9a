import type { ClusterName, Manifest } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { FleetRecord } from '../input.ts';
import { memoize } from '../kernel/memoize.ts';
import { removedApiOf } from '../kernel/removed-apis.ts';

/**
 * Objects that placements put on a cluster in an API that Kubernetes serves no longer, or will not: of the snapshots that it runs, and
 * as they were observed there. Overrides change no API.
 */
export function placedInOldApis(
  cluster: ClusterName,
  { placements }: Pick<FleetRecord, 'placements'>,
  observation: ClusterObservation | undefined,
): readonly Manifest[] {
  const recorded = (snapshotsOf(placements).get(cluster) ?? []).flatMap(inOldApis);
  const observed = observation === undefined ? [] : inOldApis(observation.objects);
  return [...recorded, ...observed];
}

/** What each cluster runs. */
const snapshotsOf = memoize((placements: FleetRecord['placements']) => {
  const found = new Map<ClusterName, (readonly Manifest[])[]>();
  for (const { state, snapshots } of placements.values())
    for (const { targetCluster, state: binding, resourceSnapshotIndex, deleting } of state.bindings) {
      const manifests = resourceSnapshotIndex === undefined ? undefined : snapshots.get(resourceSnapshotIndex);
      if (manifests === undefined || binding !== 'Bound' || deleting) continue;
      const known = found.get(targetCluster);
      if (known) known.push(manifests);
      else found.set(targetCluster, [manifests]);
    }
  return found;
});

const inOldApis = memoize((manifests: readonly Manifest[]) =>
  manifests.filter((manifest) => removedApiOf(manifest) !== undefined),
);

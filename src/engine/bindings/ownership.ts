import type { ClusterName } from '../../api/meta.ts';
import { type PlacementRef, placementKey, refOf } from '../../api/placement.ts';
import { placementLabelValue } from '../overrides/ownership.ts';
import { boundByCluster } from '../placement/bindings.ts';
import type { LoadedPlacement } from '../placement-work.ts';
import { listedObjects, refsIn } from '../selection/listed-objects.ts';
import { objectKey } from '../selection/object-key.ts';
import type { World } from '../world.ts';
import { isApplied } from './delivered-objects.ts';
import { type IsOwn, ownObjects } from './own-objects.ts';

/** Which live objects are of a placement. */
export function ownershipOf({ placement, contents, selection }: LoadedPlacement, world: World): IsOwn {
  const { keys } = listedObjects(contents);
  let selected: ReadonlySet<string> | undefined;
  return ownObjects({
    label: placementLabelValue(refOf(placement), world.input.digest),
    isListed(key) {
      selected ??= new Set(selection.ok ? refsIn(selection.manifests).map(objectKey) : []);
      return keys.has(key) || selected.has(key);
    },
    isOfAnother: (key, cluster) => anotherPlacementHas(refOf(placement), { key, cluster }, world),
  });
}

/** Results of a placement that took over an object which another one releases count before an observation without labels. */
function anotherPlacementHas(
  ref: PlacementRef,
  { key, cluster }: { readonly key: string; readonly cluster: ClusterName },
  { record, observationOf }: World,
): boolean {
  return (observationOf(cluster)?.placements ?? []).some(({ placement, results }) => {
    if (placementKey(placement) === placementKey(ref)) return false;
    const recorded = record.placements.get(placementKey(placement));
    if (
      !recorded ||
      !boundByCluster(recorded.state.bindings).has(cluster) ||
      !listedObjects(recorded.snapshots).keys.has(key)
    )
      return false;
    const outcome = results.find(({ object }) => objectKey(object) === key);
    return outcome === undefined || isApplied(outcome);
  });
}

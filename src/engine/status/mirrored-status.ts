import type { ClusterName } from '../../api/meta.ts';
import type { MirroredStatus } from '../../api/mirrored-status.ts';
import { isOfOneCluster, type Placement, type PlacementRef, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { type Delivered, deliveredObjects } from '../bindings/delivered-objects.ts';
import { by } from '../kernel/ordering.ts';
import { placementObservationOf } from '../observed.ts';
import type { PlacementWork } from '../placement-work.ts';
import { objectKey, refOfManifest } from '../selection/object-key.ts';
import type { World } from '../world.ts';

/**
 * The statuses of a placement's objects on its members, one document per cluster, with `reportBackStrategy: Mirror`. Only
 * applied objects are reported (KubeFleet workapplier/status.go). A document of a member that cannot be observed stays as
 * recorded, until its binding is gone.
 */
export function mirroredStatuses(work: PlacementWork, world: World, recorded: Recorded): MirroredStatus[] {
  const { placement } = work;
  if (!isMirrored(placement)) return [];
  return work.bindings
    .filter(({ binding }) => !binding.deleting)
    .flatMap(({ binding }) => {
      const before = recorded?.get(binding.targetCluster);
      return seen(work, binding, world, before) ?? before ?? [];
    })
    .sort(by(({ clusterName }) => clusterName));
}

type Recorded = ReadonlyMap<ClusterName, MirroredStatus> | undefined;

/** Reporting to the original resource is possible only with a single member. */
function isMirrored({ spec: { policy, strategy } }: Placement): boolean {
  const { type, destination } = strategy.reportBackStrategy ?? { type: 'Disabled' };
  if (type !== 'Mirror') return false;
  return destination === 'WorkAPI' || isOfOneCluster(policy);
}

/** Empty when no object has a status; undefined = unknown. */
function seen(
  { placement, contents }: PlacementWork,
  binding: Binding,
  world: World,
  before: MirroredStatus | undefined,
): MirroredStatus[] | undefined {
  const { targetCluster: cluster, resourceSnapshotIndex: index } = binding;
  const observation = world.observationOf(cluster);
  const manifests = index === undefined ? undefined : contents.get(index);
  const ref = refOf(placement);
  const shown = observation?.reachable ? placementObservationOf(observation, ref, index) : undefined;
  if (!observation || !shown || !manifests) return undefined;
  const rendered = world.render({ placement: ref, manifests, lists: binding, cluster });
  if (!rendered.ok) return undefined;
  const objects = deliveredObjects(rendered, shown, observation)
    .filter(({ applied }) => applied)
    .flatMap((object) => statusOf(object, observation.complete ? undefined : before));
  return objects.length === 0 ? [] : [documentOf(ref, cluster, objects)];
}

/** Objects that an incomplete observation does not show keep the status in `before`. */
function statusOf({ item, live }: Delivered, before: MirroredStatus | undefined): MirroredStatus['objects'] {
  const ref = refOfManifest(item.manifest);
  if (live) return live['status'] === undefined ? [] : [{ ...ref, status: live['status'] }];
  return before?.objects.filter((object) => objectKey(object) === objectKey(ref)) ?? [];
}

const documentOf = (
  { name, namespace }: PlacementRef,
  clusterName: ClusterName,
  objects: MirroredStatus['objects'],
): MirroredStatus => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'MirroredStatus',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  clusterName,
  objects,
});

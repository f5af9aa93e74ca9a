import type { ClusterName, Manifest, ObjectRef } from '../../api/meta.ts';
import { refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { wasGiven } from '../bindings/cleanup.ts';
import { memoize } from '../kernel/memoize.ts';
import { by, sortKey } from '../kernel/ordering.ts';
import type { RenderedManifest, RenderOn } from '../overrides/render.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { PlacementTarget } from '../plan-document.ts';
import { isRebuilt } from '../recovery/rebuilt-snapshot.ts';
import { refOfManifest } from '../selection/object-key.ts';

interface TargetContext {
  readonly render: RenderOn;
  /** Members that are in the fleet: a cluster that left keeps what it has and gets no target. */
  readonly present: (cluster: ClusterName) => boolean;
}

/**
 * What every cluster should run of a placement now: bindings with a snapshot, and removals until they are done. Where the
 * manifests cannot be rendered (a failing override) there is no target, so that the actor changes nothing on the cluster.
 * Where they are unknown (a lost record) the target has no digest, and the actor changes nothing either.
 */
export function targetsOf(work: PlacementWork, { render, present }: TargetContext): PlacementTarget[] {
  const placement = refOf(work.placement);
  return onePerCluster(work).flatMap((binding): PlacementTarget[] => {
    const { targetCluster: clusterName, resourceSnapshotIndex } = binding;
    if (!present(clusterName)) return [];
    // Without the index: a report on a removal must never count as one on a later binding.
    if (binding.deleting) return [{ clusterName, placement, remove: true, objects: [] }];
    if (resourceSnapshotIndex === undefined) return [];
    const contents = work.contents.get(resourceSnapshotIndex);
    const unknown = { clusterName, placement, resourceSnapshotIndex, remove: false };
    if (contents === undefined) return [{ ...unknown, objects: [] }];
    if (isRebuilt(work.resourceSnapshots, resourceSnapshotIndex)) return [{ ...unknown, objects: refsOf(contents) }];
    const rendered = render({ placement, manifests: contents, lists: binding, cluster: clusterName });
    if (!rendered.ok) return [];
    return [
      {
        clusterName,
        placement,
        resourceSnapshotIndex,
        digest: rendered.digest,
        remove: false,
        objects: objectsOf(rendered.manifests),
      },
    ];
  });
}

/**
 * The binding that counts for each cluster. Two on one cluster are a conflict in which nothing moves: one that stays comes
 * before one that is being removed, and Bound before Unscheduled. Bindings that never got resources do not count.
 */
function onePerCluster({ bindings }: PlacementWork): Binding[] {
  const chosen = new Map<ClusterName, Binding>();
  for (const { binding } of bindings) {
    if (!wasGiven(binding)) continue;
    const rival = chosen.get(binding.targetCluster);
    if (!rival || rank(binding) < rank(rival)) chosen.set(binding.targetCluster, binding);
  }
  return [...chosen.values()];
}

const rank = ({ deleting, state }: Binding): number => (deleting ? 2 : state === 'Bound' ? 0 : 1);

/** Clusters that get the same rendering share one list. */
const objectsOf = memoize((manifests: readonly RenderedManifest[]): readonly ObjectRef[] =>
  refsOf(manifests.map(({ manifest }) => manifest)),
);

const refsOf = (manifests: readonly Manifest[]): ObjectRef[] => manifests.map(refOfManifest).sort(by(textOf));

const textOf = ({ apiVersion, kind, namespace = '', name }: ObjectRef): string =>
  sortKey(apiVersion, kind, namespace, name);

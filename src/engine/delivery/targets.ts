import type { ClusterName, Manifest, ObjectRef } from '../../api/meta.ts';
import { type PlacementRef, refOf } from '../../api/placement.ts';
import { by } from '../kernel/ordering.ts';
import type { Rendered } from '../overrides/render.ts';
import type { RecordedLists } from '../overrides/snapshot-id.ts';
import type { Target } from '../plan-document.ts';
import type { PlacementWork } from '../working.ts';

interface TargetContext {
  readonly render: (what: {
    readonly placement: PlacementRef;
    readonly manifests: readonly Manifest[];
    readonly lists: RecordedLists;
    readonly cluster: ClusterName;
  }) => Rendered;
  /** Members that are in the fleet: a cluster that left keeps what it has and gets no target. */
  readonly present: (cluster: ClusterName) => boolean;
}

/**
 * What every cluster should run of a placement now: bindings that hold a snapshot, and removals until they are done. Where
 * the manifests cannot be rendered (a failing override) there is no target, so that the actor leaves the cluster as it is.
 */
export function targetsOf(work: PlacementWork, { render, present }: TargetContext): Target[] {
  const placement = refOf(work.placement);
  return work.bindings.flatMap(({ binding }): Target[] => {
    const { targetCluster: clusterName, resourceSnapshotIndex } = binding;
    if (!present(clusterName)) return [];
    if (binding.deleting) {
      const liveBeside = work.bindings.some(
        (other) =>
          other.binding !== binding &&
          other.binding.targetCluster === clusterName &&
          other.binding.state === 'Bound' &&
          !other.binding.deleting,
      );
      return liveBeside ? [] : [{ clusterName, placement, remove: true, objects: [] }];
    }
    if (binding.state === 'Scheduled' || resourceSnapshotIndex === undefined) return [];
    const contents = work.contents.get(resourceSnapshotIndex);
    if (contents === undefined) return [{ clusterName, placement, resourceSnapshotIndex, remove: false, objects: [] }];
    const rendered = render({ placement, manifests: contents, lists: binding, cluster: clusterName });
    if (!rendered.ok) return [];
    const objects = rendered.manifests.map(({ manifest }) => refOfManifest(manifest));
    return [
      {
        clusterName,
        placement,
        resourceSnapshotIndex,
        digest: rendered.digest,
        remove: false,
        objects: objects.sort(by(textOf)),
      },
    ];
  });
}

const refOfManifest = ({ apiVersion, kind, metadata }: Manifest): ObjectRef => ({
  apiVersion,
  kind,
  ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  name: metadata.name,
});

const textOf = ({ apiVersion, kind, namespace, name }: ObjectRef): string =>
  [apiVersion, kind, namespace ?? '', name].join('/');

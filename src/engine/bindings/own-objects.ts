import type { ClusterName, Manifest } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import { placementLabel } from '../overrides/ownership.ts';
import { apiVersionOf } from '../selection/group-version.ts';
import { keyOfManifest, objectKey } from '../selection/object-key.ts';

/** Whether a live object is of the placement that a binding belongs to. */
export type IsOwn = (object: Manifest, binding: Binding) => boolean;

/**
 * A placement's objects have its label. Observations written by hand may leave our labels out (the daemon's never do): an
 * object without a label counts as the placement's when the placement lists it and no other placement has it.
 */
export function ownObjects(of: {
  /** Value of the ownership label of the placement. */
  readonly label: string;
  readonly isListed: (key: string) => boolean;
  /** Whether another placement that lists the object has applied it on this cluster. */
  readonly isOfAnother: (key: string, cluster: ClusterName) => boolean;
}): IsOwn {
  return (object, binding) => {
    const label = object.metadata.labels?.[placementLabel];
    if (label !== undefined) return label === of.label;
    const key = keyOfManifest(object);
    return of.isListed(key) && !wasNotTakenOver(key, binding) && !of.isOfAnother(key, binding.targetCluster);
  };
}

/** An object that could not be taken over was never ours. */
const wasNotTakenOver = (key: string, { failedPlacements }: Binding): boolean =>
  failedPlacements?.some(
    ({ group, version, kind, namespace, name, condition }) =>
      (condition.reason === 'FailedToTakeOver' || condition.reason === 'NotTakenOver') &&
      key === objectKey({ apiVersion: apiVersionOf(group ?? '', version), kind, namespace, name }),
  ) ?? false;

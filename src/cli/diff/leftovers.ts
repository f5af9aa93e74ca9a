import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { keyOfManifest, objectKey } from '../../engine/selection/object-key.ts';

/** Objects that a placement may have left on a member and that it does not want any more, in whatever version they are named. */
export function leftovers(prunable: readonly ObjectRef[], wanted: readonly Manifest[]): Manifest[] {
  const kept = new Set(wanted.map(keyOfManifest));
  return prunable
    .filter((ref) => !kept.has(objectKey(ref)))
    .map(({ apiVersion, kind, name, namespace }) => ({
      apiVersion,
      kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    }));
}

import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { keyOfManifest, objectKey } from '../../engine/selection/object-key.ts';

/** Objects that a placement may have applied to a member and no longer has, in any API version. */
export function orphanedObjects(prunable: readonly ObjectRef[], wanted: readonly Manifest[]): Manifest[] {
  const kept = new Set(wanted.map(keyOfManifest));
  return prunable
    .filter((ref) => !kept.has(objectKey(ref)))
    .map(({ apiVersion, kind, name, namespace }) => ({
      apiVersion,
      kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    }));
}

import type { ObjectRef } from '../../api/meta.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { PlacementAssignment } from '../assignment.ts';
import type { Connection } from '../connection.ts';
import { eachOf } from '../pool.ts';
import { kindKey } from './watches.ts';

/** The objects that an assignment applies or may remove. */
export const objectsNamed = ({ manifests, prunable }: PlacementAssignment): readonly ObjectRef[] => [
  ...prunable,
  ...manifests.map(({ manifest }) => refOfManifest(manifest)),
];

/**
 * Watches every kind of an assignment, so that existing objects are known before anything is sent. A kind that is not served has no
 * watch. False when discovery of a group failed, which affects only objects of its kinds. Rejects with UnreachableError.
 */
export async function followKinds(
  { discovery, watches, client }: Connection,
  assignment: PlacementAssignment,
): Promise<boolean> {
  const kinds = new Map(objectsNamed(assignment).map((ref) => [kindKey(ref), ref]));
  let complete = true;
  await eachOf([...kinds.values()], client.concurrency, async ({ apiVersion, kind }) => {
    try {
      const served = await discovery.find(apiVersion, kind);
      if (served) await watches.follow(served);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      complete = false;
    }
  });
  return complete;
}

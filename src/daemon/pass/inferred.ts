import type { ClusterObservation, PlacementSighting } from '../../api/observation.ts';
import { digestAnnotation } from '../../engine/overrides/ownership.ts';
import { keyOfManifest, objectKey } from '../../engine/selection/object-key.ts';
import type { Assignment } from '../../members/assignment.ts';

/**
 * What a daemon's actors must have done on a member, told from its objects alone: a placement whose every object carries
 * the digest of its recorded manifest has been applied. For looking from outside, where no actor remembers anything.
 */
export function inferPlacements(
  observation: ClusterObservation,
  assignments: readonly Assignment[],
): ClusterObservation {
  if (!observation.reachable) return observation;
  const digests = new Map(
    observation.objects.map((object) => [
      objectKey({ ...object, ...object.metadata }),
      object.metadata.annotations?.[digestAnnotation],
    ]),
  );
  const placements = assignments
    .filter(({ remove }) => !remove)
    .map(({ placement, resourceSnapshotIndex, digest, manifests }): PlacementSighting => {
      const done = manifests.every(
        ({ manifest }) => digests.get(keyOfManifest(manifest)) === manifest.metadata.annotations?.[digestAnnotation],
      );
      return {
        placement: { ...placement },
        ...(resourceSnapshotIndex === undefined ? {} : { resourceSnapshotIndex }),
        ...(digest === undefined ? {} : { digest }),
        done,
        results: [],
      };
    });
  return { ...observation, placements };
}

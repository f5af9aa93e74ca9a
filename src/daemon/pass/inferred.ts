import type { ClusterObservation, PlacementObservation } from '../../api/observation.ts';
import { digestAnnotation } from '../../engine/overrides/ownership.ts';
import { keyOfManifest, objectKey } from '../../engine/selection/object-key.ts';
import type { Assignment } from '../../members/assignment.ts';

/**
 * The placements that a daemon must have applied on a member, inferred from its objects: all of them have the digest of the
 * recorded manifest. For commands that observe without a running actor.
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
    .filter((it) => it.kind === 'placement')
    .filter(({ remove }) => !remove)
    .map(({ placement, resourceSnapshotIndex, digest, manifests }): PlacementObservation => {
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

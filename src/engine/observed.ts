import type { ClusterObservation, PlacementObservation } from '../api/observation.ts';
import type { PlacementRef } from '../api/placement.ts';
import { memoize } from './kernel/memoize.ts';

/** Whether a member was reached and showed all that is ours: only then does what is not shown not exist. */
export const isWholeLook = (observation: ClusterObservation | undefined): observation is ClusterObservation =>
  observation?.reachable === true && observation.complete;

/**
 * What our actor last did for a placement on a member, at a snapshot index or at any; undefined when the member shows no
 * sign of it.
 */
export function sightingOf(
  observation: ClusterObservation | undefined,
  ref: PlacementRef,
  index?: number,
): PlacementObservation | undefined {
  const named = observation && sightingsByName(observation.placements).get(ref.name);
  return named?.find(
    ({ placement, resourceSnapshotIndex }) =>
      placement.kind === ref.kind &&
      placement.namespace === ref.namespace &&
      (index === undefined || resourceSnapshotIndex === index),
  );
}

/** Every placement asks every member. */
const sightingsByName = memoize((sightings: readonly PlacementObservation[]) =>
  Map.groupBy(sightings, ({ placement }) => placement.name),
);

import type { ClusterObservation, PlacementObservation } from '../api/observation.ts';
import type { PlacementRef } from '../api/placement.ts';
import { memoize } from './kernel/memoize.ts';

/** Whether a member was reached and listed all objects of ours. Only then an object that is not shown does not exist. */
export const isCompleteObservation = (observation: ClusterObservation | undefined): observation is ClusterObservation =>
  observation?.reachable === true && observation.complete;

/**
 * What our actor last did for a placement on a member, at a snapshot index or at any index; undefined when the member has
 * no trace of it.
 */
export function placementObservationOf(
  observation: ClusterObservation | undefined,
  ref: PlacementRef,
  index?: number,
): PlacementObservation | undefined {
  const named = observation && byPlacementName(observation.placements).get(ref.name);
  return named?.find(
    ({ placement, resourceSnapshotIndex }) =>
      placement.kind === ref.kind &&
      placement.namespace === ref.namespace &&
      (index === undefined || resourceSnapshotIndex === index),
  );
}

/** Cached, since every placement looks up every member. */
const byPlacementName = memoize((observations: readonly PlacementObservation[]) =>
  Map.groupBy(observations, ({ placement }) => placement.name),
);

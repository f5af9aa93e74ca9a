import type { ClusterObservation, PlacementObservation } from '../api/observation.ts';
import type { PlacementRef } from '../api/placement.ts';
import type { Binding } from '../api/placement-state.ts';
import type { PlanInput } from './input.ts';
import type { Instant } from './kernel/instant.ts';
import { memoize } from './kernel/memoize.ts';
import { heartbeatToleranceMs } from './placement/eligibility.ts';

/** Whether a member was reached and listed all objects of ours. Only then an object that is not shown does not exist. */
export const isCompleteObservation = (observation: ClusterObservation | undefined): observation is ClusterObservation =>
  observation?.reachable === true && observation.complete;

/**
 * What our actor last did for a placement on a member, at a snapshot index or at any index; undefined when the member has
 * no trace of it.
 */
export function placementObservationOf(
  observation: Pick<ClusterObservation, 'placements'> | undefined,
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

/**
 * A binding may have become available while no daemon was running. Until when this is waited to be seen, milliseconds: a cluster has
 * the same five minutes as one that stops responding. Undefined: it has been seen, or there was no break.
 */
export function unseenUntil(
  { targetCluster, resourceSnapshotIndex }: Binding,
  ref: PlacementRef,
  { observations, askedSince }: Pick<PlanInput, 'observations' | 'askedSince'>,
): Instant | undefined {
  const since = askedSince?.get(targetCluster);
  if (since === undefined || observations === undefined) return undefined;
  const seen = observations.get(targetCluster);
  const isSeen = isCompleteObservation(seen) && placementObservationOf(seen, ref, resourceSnapshotIndex)?.done === true;
  return isSeen ? undefined : since + heartbeatToleranceMs;
}

/** Cached, since every placement looks up every member. */
const byPlacementName = memoize((observations: readonly PlacementObservation[]) =>
  Map.groupBy(observations, ({ placement }) => placement.name),
);

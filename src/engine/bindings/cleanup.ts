import type { Manifest } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { PlacementRef } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { isCompleteObservation, placementObservationOf } from '../observed.ts';
import { wasBound } from '../placement/bindings.ts';

/**
 * Whether nothing of a placement remains on a cluster that is being cleaned up. Only a complete observation of a reachable
 * member shows that. A member that left the fleet keeps its resources, so there is nothing to wait for (KubeFleet: a
 * leaving cluster's works are stripped of finalizers). Without observations members hold what is recorded: objects that are
 * still being removed.
 */
export function isCleanedUp(request: {
  readonly observation: ClusterObservation | undefined;
  /** Whether a live object is the placement's. */
  readonly isOwn: (object: Manifest) => boolean;
  readonly inFleet: boolean;
  /** Absent = a binding that was given resources. */
  readonly binding?: Binding;
  /** Owner of the objects; while its actor is still at work, the cleanup is not done. */
  readonly placement?: PlacementRef;
}): boolean {
  const { observation, isOwn, inFleet, binding, placement } = request;
  if (!inFleet) return true;
  // Objects that are there nevertheless are from before the cluster came back to the fleet. They stay, as if it had not been picked.
  if (binding && !wasGiven(binding)) return true;
  if (!isCompleteObservation(observation)) return false;
  if (placement && placementObservationOf(observation, placement)?.done === false) return false;
  return !observation.objects.some(isOwn);
}

/** Whether resources may ever have been sent for a binding. */
export const wasGiven = (binding: Binding): boolean => binding.resourceSnapshotIndex !== undefined || wasBound(binding);

import type { Manifest } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { PlacementRef } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { isWholeLook, sightingOf } from '../observed.ts';
import { wasBound } from '../placement/bindings.ts';

/**
 * Whether nothing of a placement is left on a cluster that is being cleaned up. Only a complete look at a reachable
 * member shows that. A member that left the fleet keeps its resources, so there is nothing to wait for (KubeFleet: a
 * leaving cluster's works are stripped of finalizers). Without any observation members hold what the record says, and the
 * record says that the objects are still being removed.
 */
export function isCleanedUp(request: {
  readonly observation: ClusterObservation | undefined;
  /** Whether a live object is the placement's. */
  readonly isOwn: (object: Manifest) => boolean;
  readonly inFleet: boolean;
  /** Absent = taken as one that was given resources. */
  readonly binding?: Binding;
  /** Whose objects they are; an actor that is still busy with them has the last word. */
  readonly placement?: PlacementRef;
}): boolean {
  const { observation, isOwn, inFleet, binding, placement } = request;
  if (!inFleet) return true;
  // What is there all the same it had before it came back to the fleet: that stays as if it had not been picked.
  if (binding && !wasGiven(binding)) return true;
  if (!isWholeLook(observation)) return false;
  if (placement && sightingOf(observation, placement)?.done === false) return false;
  return !observation.objects.some(isOwn);
}

/** Whether resources may ever have been sent for a binding. */
export const wasGiven = (binding: Binding): boolean => binding.resourceSnapshotIndex !== undefined || wasBound(binding);

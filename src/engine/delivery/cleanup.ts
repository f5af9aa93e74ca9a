import type { ClusterObservation } from '../../api/observation.ts';

const placementLabel = 'gitfleet.dev/placement';

/**
 * Whether nothing of a placement is left on a cluster that is being cleaned up. Only a complete look at a reachable
 * member shows that. A member that left the fleet keeps its resources, so there is nothing to wait for (KubeFleet: a
 * leaving cluster's works are stripped of finalizers). Without any observation members hold what the record says, and the
 * record says that the objects are still being removed.
 */
export function isCleanedUp(request: {
  readonly observation: ClusterObservation | undefined;
  /** Value of the ownership label of the placement. */
  readonly label: string;
  readonly inFleet: boolean;
}): boolean {
  const { observation, label, inFleet } = request;
  if (!inFleet) return true;
  if (!observation?.reachable || !observation.complete) return false;
  return !observation.objects.some(({ metadata }) => metadata.labels?.[placementLabel] === label);
}

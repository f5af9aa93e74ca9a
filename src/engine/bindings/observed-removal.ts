import type { ClusterName, Timestamp } from '../../api/meta.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { parseInstant } from '../kernel/instant.ts';
import { sightingOf } from '../observed.ts';
import { type LoadedPlacement, leavingSteps, type PlacementWork } from '../placement-work.ts';
import { inFleet, type World } from '../world.ts';
import { isCleanedUp } from './cleanup.ts';
import type { IsOwn } from './own-objects.ts';
import { ownershipOf } from './ownership.ts';

/** On its way out, and a look at its cluster made since that was decided shows nothing of it. */
export const isSeenGone = (loaded: LoadedPlacement, binding: Binding, world: World, isOwn: IsOwn): boolean =>
  isGone(loaded, binding, world, isOwn) && binding.deletionTimestamp !== lookedAt(binding.targetCluster, world);

/**
 * Removals decided by this plan from clusters that show nothing already, or that tell of an earlier removal. The look that shows
 * it is older than the decision, and something may be on its way there still: only the next one, planned with or made at a
 * later instant, lets the binding go. So planning again at once says the same.
 */
export function awaitObservation(work: PlacementWork, world: World): PlacementWork {
  if (leavingSteps(work.bindings).length === 0) return work;
  const isOwn = ownershipOf(work, world);
  return {
    ...work,
    bindings: work.bindings.map((step) =>
      isGone(work, step.binding, world, isOwn) || isReportedTooEarly(work, step.binding, world)
        ? { ...step, binding: { ...step.binding, deletionTimestamp: lookedAt(step.binding.targetCluster, world) } }
        : step,
    ),
  };
}

/** Whether the actor has told what came of the removal of a binding that is on its way out, in a look made since it was decided. */
export function isRemovalOver(work: PlacementWork, cluster: ClusterName, world: World): boolean {
  const leaving = recordedLeaving(work, cluster, world);
  return (
    leaving !== undefined &&
    leaving.deletionTimestamp !== lookedAt(cluster, world) &&
    isRemovalReported(work, cluster, world)
  );
}

const isReportedTooEarly = (work: PlacementWork, binding: Binding, world: World): boolean =>
  binding.deleting === true &&
  isRemovalReported(work, binding.targetCluster, world) &&
  recordedLeaving(work, binding.targetCluster, world) === undefined;

/** On its way out, and nothing is left on its cluster. */
function isGone({ placement }: LoadedPlacement, binding: Binding, world: World, isOwn: IsOwn): boolean {
  const { targetCluster } = binding;
  return (
    binding.deleting === true &&
    isCleanedUp({
      observation: world.observationOf(targetCluster),
      isOwn: (object) => isOwn(object, binding),
      inFleet: inFleet(targetCluster, world),
      binding,
      placement: refOf(placement),
    })
  );
}

/** What the actor of a placement said last is what came of a removal: of anything else it says which snapshot. */
function isRemovalReported({ placement }: PlacementWork, cluster: ClusterName, { observationOf }: World): boolean {
  const sighting = sightingOf(observationOf(cluster), refOf(placement));
  return sighting?.done === true && sighting.resourceSnapshotIndex === undefined;
}

const recordedLeaving = ({ placement }: PlacementWork, cluster: ClusterName, { record }: World): Binding | undefined =>
  record.placements
    .get(placementKey(refOf(placement)))
    ?.state.bindings.find((binding) => binding.deleting && binding.targetCluster === cluster);

/** The present, or when the cluster was looked at where that is later: a chain of plans may stand still and be shown new looks. */
function lookedAt(cluster: ClusterName, { input: { now }, observationOf }: World): Timestamp {
  const seen = observationOf(cluster)?.observedAt;
  return seen !== undefined && (parseInstant(seen) ?? 0) > (parseInstant(now) ?? 0) ? seen : now;
}

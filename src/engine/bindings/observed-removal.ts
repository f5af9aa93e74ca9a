import type { ClusterName, Timestamp } from '../../api/meta.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { parseInstant } from '../kernel/instant.ts';
import { placementObservationOf } from '../observed.ts';
import { type LoadedPlacement, leavingSteps, type PlacementWork } from '../placement-work.ts';
import { inFleet, type World } from '../world.ts';
import { isCleanedUp } from './cleanup.ts';
import type { IsOwn } from './own-objects.ts';
import { ownershipOf } from './ownership.ts';

/** The binding is being removed, and an observation made since then shows no objects of it. */
export const isRemovalObserved = (loaded: LoadedPlacement, binding: Binding, world: World, isOwn: IsOwn): boolean =>
  isGone(loaded, binding, world, isOwn) && binding.deletionTimestamp !== lookedAt(binding.targetCluster, world);

/**
 * Keeps the bindings that this plan removes from clusters that already show nothing, or that report an earlier removal. That
 * observation is older than the decision, and something may still be on its way there. Only an observation of a later
 * instant ends the binding, so planning again at once gives the same plan.
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

/** Whether the actor has reported the result of a binding's removal since that was decided. */
export function isRemovalFinished(work: PlacementWork, cluster: ClusterName, world: World): boolean {
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

/** The binding is being removed, and nothing of it remains on its cluster. */
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

/** Whether the actor's last report is about a removal: any other report names a snapshot. */
function isRemovalReported({ placement }: PlacementWork, cluster: ClusterName, { observationOf }: World): boolean {
  const shown = placementObservationOf(observationOf(cluster), refOf(placement));
  return shown?.done === true && shown.resourceSnapshotIndex === undefined;
}

const recordedLeaving = ({ placement }: PlacementWork, cluster: ClusterName, { record }: World): Binding | undefined =>
  record.placements
    .get(placementKey(refOf(placement)))
    ?.state.bindings.find((binding) => binding.deleting && binding.targetCluster === cluster);

/** `now`, or the time of the observation where that is later: plans of one instant may see newer observations. */
function lookedAt(cluster: ClusterName, { input: { now }, observationOf }: World): Timestamp {
  const seen = observationOf(cluster)?.observedAt;
  return seen !== undefined && (parseInstant(seen) ?? 0) > (parseInstant(now) ?? 0) ? seen : now;
}

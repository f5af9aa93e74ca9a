import type { ClusterName, ObjectRef } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import { type AskedRemoval, askRemoval, type RemovalAnswers } from '../gate/removal-approval.ts';
import type { PlanInput } from '../input.ts';
import { removalDigestOf, removedObject } from '../kernel/removal-digest.ts';
import { placementObservationOf } from '../observed.ts';
import type { PlacementTarget } from '../plan-document.ts';
import { objectKey } from '../selection/object-key.ts';

export type Asking = Pick<PlanInput, 'digest'> & RemovalAnswers;
export type Seen = Pick<PlanInput, 'observations'> & Asking;

/** A placement on a cluster, and its objects that are to stay there. */
type Removing = Pick<PlacementTarget, 'clusterName' | 'placement' | 'objects'>;

/** Objects that a merged RemovalApproval allows to remove with everything in them. */
export const approvedRemovals = (of: Removing, seen: Seen): readonly ObjectRef[] =>
  // Called for each of the million targets of a large fleet.
  seen.fleet.removalApprovals.length === 0 ? [] : foreignObjects(of, seen, true);

/**
 * Objects whose removal is blocked: they contain objects of others, and no RemovalApproval covers those.
 */
export const blockedRemovals = (of: Removing, seen: Seen): readonly ObjectRef[] => foreignObjects(of, seen, false);

function foreignObjects(of: Removing, seen: Seen, approved: boolean): readonly ObjectRef[] {
  const foreign = foreignOf(of, seen);
  if (foreign.length === 0 || askForeign({ ...of, foreign }, seen).approved !== approved) return [];
  return foreign.map(({ object }) => object);
}

function foreignOf(of: Removing, { observations }: Seen): readonly ObjectOutcome[] {
  const results = placementObservationOf(observations?.get(of.clusterName), of.placement)?.results ?? [];
  return stillToGo(results.filter(containsForeign), of);
}

export function stillToGo(outcomes: readonly ObjectOutcome[], { objects }: Removing): readonly ObjectOutcome[] {
  if (outcomes.length === 0 || objects.length === 0) return outcomes;
  const stays = new Set(objects.map(objectKey));
  return outcomes.filter(({ object }) => !stays.has(objectKey(object)));
}

export const containsForeign = ({ result }: ObjectOutcome): boolean => result === 'ContainsForeignObjects';

/**
 * The approval that the removal requires. It is not that of a removal that the guard refuses: who approves that one did not approve
 * to remove what is not ours.
 */
export const askForeign = (
  of: {
    readonly clusterName: ClusterName;
    readonly placement: PlacementRef;
    readonly foreign: readonly ObjectOutcome[];
  },
  seen: Asking,
): AskedRemoval => {
  const removals = of.foreign.map(({ object }) => ({
    clusterName: of.clusterName,
    placement: placementKey(of.placement),
    object: removedObject(object),
  }));
  const purpose = 'remove with foreign contents';
  return askRemoval((used) => removalDigestOf(removals, seen.digest, { purpose, used }), seen);
};

import type { ClusterName, ObjectRef } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import { isRemovalApproved } from '../gate/removal-approval.ts';
import type { PlanInput } from '../input.ts';
import { removalDigestOf } from '../kernel/removal-digest.ts';
import { sightingOf } from '../observed.ts';
import type { PlacementTarget } from '../plan-document.ts';
import { objectKey } from '../selection/object-key.ts';

export type Seen = Pick<PlanInput, 'observations' | 'digest'> & {
  readonly fleet: Pick<PlanInput['fleet'], 'removalApprovals'>;
};

/** Whose objects are looked at where, and which of them are to stay. */
type Removing = Pick<PlacementTarget, 'clusterName' | 'placement' | 'objects'>;

/** Objects that a merged RemovalApproval lets go with everything in them. */
export const approvedRemovals = (of: Removing, seen: Seen): readonly ObjectRef[] =>
  // Of the million targets of a large fleet each asks.
  seen.fleet.removalApprovals.length === 0 ? [] : foreignObjects(of, seen, true);

/**
 * Objects that stay on a cluster although they are to be removed: objects of others are in them, and no approval covers
 * those.
 */
export const heldBack = (of: Removing, seen: Seen): readonly ObjectRef[] => foreignObjects(of, seen, false);

function foreignObjects(of: Removing, seen: Seen, approved: boolean): readonly ObjectRef[] {
  const foreign = foreignOf(of, seen);
  if (foreign.length === 0 || isRemovalApproved(foreignDigest({ ...of, foreign }, seen), seen.fleet) !== approved)
    return [];
  return foreign.map(({ object }) => object);
}

function foreignOf(of: Removing, { observations }: Seen): readonly ObjectOutcome[] {
  const results = sightingOf(observations?.get(of.clusterName), of.placement)?.results ?? [];
  return stillToGo(results.filter(containsForeign), of);
}

export function stillToGo(outcomes: readonly ObjectOutcome[], { objects }: Removing): readonly ObjectOutcome[] {
  if (outcomes.length === 0 || objects.length === 0) return outcomes;
  const stays = new Set(objects.map(objectKey));
  return outcomes.filter(({ object }) => !stays.has(objectKey(object)));
}

export const containsForeign = ({ result }: ObjectOutcome): boolean => result === 'ContainsForeignObjects';

export const foreignDigest = (
  of: {
    readonly clusterName: ClusterName;
    readonly placement: PlacementRef;
    readonly foreign: readonly ObjectOutcome[];
  },
  { digest }: Seen,
): string =>
  removalDigestOf(
    of.foreign.map(({ object: { apiVersion, kind, namespace, name } }) => ({
      clusterName: of.clusterName,
      placement: placementKey(of.placement),
      object: `${apiVersion}/${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    })),
    digest,
  );

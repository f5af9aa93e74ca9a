import type { ClusterName, ObjectRef } from '../../api/meta.ts';
import type { ObjectOutcome, PlacementSighting } from '../../api/observation.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import { sightingOf } from '../bindings/delivered-objects.ts';
import type { PlanInput } from '../input.ts';
import { onceFor } from '../kernel/once-for.ts';
import { removalDigestOf } from '../kernel/removal-digest.ts';
import { someOf } from '../kernel/some-of.ts';
import type { Hold, Target } from '../plan-document.ts';
import { describeRef, objectKey } from '../selection/object-key.ts';

type Seen = Pick<PlanInput, 'observations' | 'digest'> & {
  readonly fleet: Pick<PlanInput['fleet'], 'removalApprovals'>;
};

/** Whose objects are looked at where, and which of them are to stay. */
type Removing = Pick<Target, 'clusterName' | 'placement' | 'objects'>;

/**
 * Removals that an actor does not carry out: since what is to be removed holds objects that are not ours, until they go or
 * a RemovalApproval names the digest (decided once for a placement on a cluster), or since the member refuses. What the
 * cluster is to hold again since the actor spoke is no removal any more.
 */
export function removalHolds(
  seen: Seen,
  targetOf: (clusterName: ClusterName, placement: PlacementRef) => Target | undefined,
): Hold[] {
  const holds: Hold[] = [];
  for (const [clusterName, observation] of seen.observations ?? []) {
    for (const { placement, results } of withLeftovers(observation.placements)) {
      const { kind, name, namespace } = placement;
      const subject = { kind, name, ...(namespace === undefined ? {} : { namespace }), clusterName };
      const of = targetOf(clusterName, placement) ?? { clusterName, placement, objects: [] };
      const foreign = stillToGo(results.filter(containsForeign), of);
      if (foreign.length > 0) {
        const removalDigest = foreignDigest({ clusterName, placement, foreign }, seen);
        const message = `${told(foreign)}; it stays on ${clusterName} until they are gone, or until a RemovalApproval of ${removalDigest} is merged`;
        if (!isApproved(removalDigest, seen))
          holds.push({ subject, reason: 'ContainsForeignObjects', message, removalDigest });
      }
      const refused = stillToGo(results.filter(isRefused), of);
      if (refused.length > 0)
        holds.push({
          subject,
          reason: 'RemovalRefused',
          message: `${told(refused)}; it is tried again until ${clusterName} lets it go`,
        });
    }
  }
  return holds;
}

/** Few of what a member shows: elsewhere all that was to go went. */
const withLeftovers = onceFor((sightings: readonly PlacementSighting[]) =>
  sightings.filter(({ results }) => results.some((outcome) => containsForeign(outcome) || isRefused(outcome))),
);

/** Objects that a merged RemovalApproval lets go with everything in them. */
export const approvedRemovals = (of: Removing, seen: Seen): readonly ObjectRef[] =>
  // Of the million targets of a large fleet each asks.
  seen.fleet.removalApprovals.length === 0 ? [] : foreignObjects(of, seen, true);

/**
 * Objects that stay on a cluster although they are to go, since objects of others are in them and nobody has approved that
 * those go too.
 */
export const heldBack = (of: Removing, seen: Seen): readonly ObjectRef[] => foreignObjects(of, seen, false);

function foreignObjects(of: Removing, seen: Seen, approved: boolean): readonly ObjectRef[] {
  const foreign = foreignOf(of, seen);
  if (foreign.length === 0 || isApproved(foreignDigest({ ...of, foreign }, seen), seen) !== approved) return [];
  return foreign.map(({ object }) => object);
}

function foreignOf(of: Removing, { observations }: Seen): readonly ObjectOutcome[] {
  const results = sightingOf(observations?.get(of.clusterName), of.placement)?.results ?? [];
  return stillToGo(results.filter(containsForeign), of);
}

function stillToGo(outcomes: readonly ObjectOutcome[], { objects }: Removing): readonly ObjectOutcome[] {
  if (outcomes.length === 0 || objects.length === 0) return outcomes;
  const stays = new Set(objects.map(objectKey));
  return outcomes.filter(({ object }) => !stays.has(objectKey(object)));
}

const containsForeign = ({ result }: ObjectOutcome): boolean => result === 'ContainsForeignObjects';
const isRefused = ({ result }: ObjectOutcome): boolean => result === 'ManifestDeleteFailed';

const isApproved = (digest: string, { fleet }: Seen): boolean =>
  fleet.removalApprovals.some(({ spec }) => spec.removalDigest === digest);

const foreignDigest = (
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

/** What the actor said of at most three objects. */
const told = (outcomes: readonly ObjectOutcome[]): string =>
  someOf(
    outcomes.map(({ message, object, result }) => message ?? `${describeRef(object)}: ${result}`),
    3,
    '; ',
  );

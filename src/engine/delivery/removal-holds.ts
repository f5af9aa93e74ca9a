import type { ClusterName } from '../../api/meta.ts';
import type { ObjectOutcome, PlacementObservation } from '../../api/observation.ts';
import type { PlacementRef } from '../../api/placement.ts';
import { containsForeign, foreignDigest, type Seen, stillToGo } from '../bindings/foreign-objects.ts';
import { isRemovalApproved } from '../gate/removal-approval.ts';
import { memoize } from '../kernel/memoize.ts';
import { listUpTo } from '../kernel/short-list.ts';
import type { Hold, PlacementTarget } from '../plan-document.ts';
import { describeRef } from '../selection/object-key.ts';

/**
 * Removals that an actor does not carry out: since what is to be removed holds objects that are not ours, until they go or
 * a RemovalApproval names the digest (decided once for a placement on a cluster), or since the member refuses. What the
 * cluster is to hold again since the actor spoke is no removal any more.
 */
export function removalHolds(
  seen: Seen,
  targetOf: (clusterName: ClusterName, placement: PlacementRef) => PlacementTarget | undefined,
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
        if (!isRemovalApproved(removalDigest, seen.fleet))
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
const withLeftovers = memoize((sightings: readonly PlacementObservation[]) =>
  sightings.filter(({ results }) => results.some((outcome) => containsForeign(outcome) || isRefused(outcome))),
);

const isRefused = ({ result }: ObjectOutcome): boolean => result === 'ManifestDeleteFailed';

/** What the actor said of at most three objects. */
const told = (outcomes: readonly ObjectOutcome[]): string =>
  listUpTo(
    outcomes.map(({ message, object, result }) => message ?? `${describeRef(object)}: ${result}`),
    3,
    '; ',
  );

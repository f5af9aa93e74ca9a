import type { ClusterName } from '../../api/meta.ts';
import type { ClusterObservation, ObjectOutcome, PlacementObservation } from '../../api/observation.ts';
import type { PlacementKind, PlacementRef } from '../../api/placement.ts';
import { type Asking, askForeign, containsForeign, stillToGo } from '../bindings/foreign-objects.ts';
import { isRemovalApproved } from '../gate/removal-approval.ts';
import type { PlanInput } from '../input.ts';
import { memoize } from '../kernel/memoize.ts';
import { listUpTo } from '../kernel/short-list.ts';
import { placementObservationOf } from '../observed.ts';
import type { Hold, HoldReason, PlacementTarget } from '../plan-document.ts';
import { describeRef } from '../selection/object-key.ts';

/**
 * Removals that an actor does not carry out. Either an object contains objects that are not ours: it stays until they are gone
 * or a RemovalApproval names the digest (one for a placement on a cluster). Or the member refuses. Objects that the target has
 * again since the actor's report do not count.
 */
export function removalHolds(
  seen: Asking &
    Pick<PlanInput, 'recordedHolds'> & {
      readonly observations: ReadonlyMap<ClusterName, Pick<ClusterObservation, 'placements'>> | undefined;
    },
  targetOf: (clusterName: ClusterName, placement: PlacementRef) => PlacementTarget | undefined,
): Hold[] {
  const holds = (seen.recordedHolds ?? []).filter((hold) => stillHeld(hold, seen, targetOf));
  for (const [clusterName, observation] of seen.observations ?? []) {
    for (const { placement, results } of withUnremoved(observation.placements)) {
      const { kind, name, namespace } = placement;
      const subject = { kind, name, ...(namespace === undefined ? {} : { namespace }), clusterName };
      const of = targetOf(clusterName, placement) ?? { clusterName, placement, objects: [] };
      const foreign = stillToGo(results.filter(containsForeign), of);
      if (foreign.length > 0) {
        const { digest: removalDigest, approved } = askForeign({ clusterName, placement, foreign }, seen);
        const named = foreign.slice(0, mostNamed);
        const message = `${outcomesText(foreign)}; it stays on ${clusterName} until they are gone, or until a RemovalApproval of ${removalDigest} is merged`;
        const removes = { objects: named.map(nameOf), contents: named.map(textOf), count: foreign.length };
        if (!approved) holds.push({ subject, reason: 'ContainsForeignObjects', message, removalDigest, removes });
      }
      const refused = stillToGo(results.filter(isRefused), of);
      if (refused.length > 0)
        holds.push({
          subject,
          reason: 'RemovalRefused',
          message: `${outcomesText(refused)}; the removal is retried until ${clusterName} accepts it`,
        });
    }
  }
  return holds;
}

/** Whether a recorded removal continues that no actor reports on, and that has no approval. */
function stillHeld(
  { subject: { kind, name, namespace, clusterName }, reason, removalDigest }: Hold,
  { observations, fleet }: Parameters<typeof removalHolds>[0],
  targetOf: Parameters<typeof removalHolds>[1],
): boolean {
  if (clusterName === undefined || !removalReasons.has(reason)) return false;
  const placement = { kind: kind as PlacementKind, name, ...(namespace === undefined ? {} : { namespace }) };
  const isReported = placementObservationOf(observations?.get(clusterName), placement) !== undefined;
  if (isReported || targetOf(clusterName, placement)?.remove !== true) return false;
  return removalDigest === undefined || !isRemovalApproved(removalDigest, fleet);
}

const removalReasons: ReadonlySet<HoldReason> = new Set(['ContainsForeignObjects', 'RemovalRefused']);

/** Cached, since only few placements of a member have such results. */
export const withUnremoved = memoize((placements: readonly PlacementObservation[]) =>
  placements.filter(({ results }) => results.some((outcome) => containsForeign(outcome) || isRefused(outcome))),
);

export const isRefused = ({ result }: ObjectOutcome): boolean => result === 'ManifestDeleteFailed';

/** Objects that a request for an approval names. */
const mostNamed = 20;

/** Messages of at most three objects. */
const outcomesText = (outcomes: readonly ObjectOutcome[]): string => listUpTo(outcomes.map(textOf), 3, '; ');

const textOf = ({ message, object, result }: ObjectOutcome): string => message ?? `${describeRef(object)}: ${result}`;

const nameOf = ({ object }: ObjectOutcome): string => `${object.apiVersion}/${describeRef(object)}`;

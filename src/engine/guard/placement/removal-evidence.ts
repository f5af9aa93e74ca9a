import { placementKey } from '../../../api/placement.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { removalRequests } from '../evidence/moves.ts';

/**
 * A removal needs a recorded binding, objects of ours that were observed there, or a request of its own that was not carried
 * out before. A request may name a cluster that is picked in the same plan.
 */
export function unsupportedRemovals({ record, fleet, observations, changes }: Evidence): GuardFinding[] {
  const isRequested = removalRequests({ record, fleet });
  return changes.flatMap(({ key, pairs }) =>
    pairs
      .filter(({ removedNow, before }) => removedNow && before === undefined)
      .filter(({ clusterName }) => !isRequested(key, clusterName))
      .filter(({ clusterName }) => {
        const seen = observations?.get(clusterName);
        return !seen?.placements.some(({ placement }) => placementKey(placement) === key);
      })
      .map(({ clusterName }) => ({
        rule: 'removal-without-binding',
        message: `placement ${key} would be removed from ${clusterName}, but neither the record nor observations show it there`,
      })),
  );
}

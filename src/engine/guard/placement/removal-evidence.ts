import type { ClusterName, PlacementKey } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';

/**
 * A removal needs a recorded binding, objects of ours that were observed there, or an eviction that was not carried out
 * before. An eviction may name a cluster that is picked in the same plan.
 */
export function unsupportedRemovals({ record, fleet, observations, changes }: Evidence): GuardFinding[] {
  const isDone = (eviction: string): boolean =>
    (record.evictions.get(eviction)?.status?.conditions ?? []).some(({ type }) => type === 'Executed');
  const isEvicted = (key: PlacementKey, cluster: ClusterName): boolean =>
    fleet.evictions.some(
      ({ metadata, spec }) =>
        placementKey({ name: spec.placementName }) === key && spec.clusterName === cluster && !isDone(metadata.name),
    );
  return changes.flatMap(({ key, pairs }) =>
    pairs
      .filter(({ removedNow, before }) => removedNow && before === undefined)
      .filter(({ clusterName }) => !isEvicted(key, clusterName))
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

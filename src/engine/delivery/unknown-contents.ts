import { placementKey, refOf } from '../../api/placement.ts';
import type { Hold } from '../plan-document.ts';
import { isRebuilt } from '../selection/rebuilt.ts';
import type { PlacementWork } from '../working.ts';

/** Placements that only an update run moves, on clusters of which nobody knows any more what they should hold. */
export function unknownContentHolds(works: readonly PlacementWork[]): Hold[] {
  return works.flatMap(({ placement, bindings, resourceSnapshots }): Hold[] => {
    if (placement.spec.strategy.type !== 'External') return [];
    const clusters = bindings
      .filter(({ binding: { deleting, resourceSnapshotIndex: index } }) => {
        return !deleting && index !== undefined && isRebuilt(resourceSnapshots, index);
      })
      .map(({ binding }) => binding.targetCluster);
    if (clusters.length === 0) return [];
    const message = `the record was lost, so nobody knows what ${placementKey(refOf(placement))} should be on ${clusters.join(', ')}: it stays there as it is, and drift is not put right, until an update run comes to them`;
    return [{ subject: refOf(placement), reason: 'RecordLost', message }];
  });
}

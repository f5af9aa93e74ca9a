import { placementKey, refOf } from '../../api/placement.ts';
import type { Fleet } from '../input.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { Hold } from '../plan-document.ts';
import { lostLastGood } from '../recovery/lost-last-good.ts';
import { isLostSnapshot } from '../recovery/lost-snapshot.ts';
import { isRebuilt } from '../recovery/rebuilt-snapshot.ts';

/** Holds of placements whose contents on some clusters are unknown until a file changes. */
export function unknownContentHolds(works: readonly PlacementWork[], fleet: Fleet): Hold[] {
  return works.flatMap((work): Hold[] => {
    const { placement, bindings, resourceSnapshots } = work;
    const until = untilWhat(work, fleet);
    if (until === undefined) return [];
    const clusters = bindings
      .filter(({ binding: { deleting, resourceSnapshotIndex: index } }) => {
        const isUnknown = isLostSnapshot(work, index) || (index !== undefined && isRebuilt(resourceSnapshots, index));
        return !deleting && isUnknown;
      })
      .map(({ binding }) => binding.targetCluster);
    if (clusters.length === 0) return [];
    const message = `the record was lost, so it is unknown what ${placementKey(refOf(placement))} should be on ${clusters.join(', ')}: nothing is changed there, and drift is not repaired, until ${until}`;
    return [{ subject: refOf(placement), reason: 'RecordLost', message }];
  });
}

/** What must be changed; undefined where the next snapshot comes by itself. */
function untilWhat(work: PlacementWork, fleet: Fleet): string | undefined {
  const broken = lostLastGood(work, fleet);
  if (broken !== undefined) return `${broken} is fixed`;
  return work.placement.spec.strategy.type === 'External' ? 'an update run updates them' : undefined;
}

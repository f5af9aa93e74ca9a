import type { PlacementKey } from '../../../api/meta.ts';
import { isPlacementKind, placementKey, refOf } from '../../../api/placement.ts';
import type { PlanInput, RecordedPlacement } from '../../input.ts';
import { isRebuiltSnapshot } from '../evidence/rebuilt-snapshot.ts';

/** Whether the recorded state of a placement was rebuilt from the members. */
export const isRebuilt = ({ object, state: { resourceSnapshots } }: RecordedPlacement): boolean =>
  object === undefined && resourceSnapshots.length > 0 && resourceSnapshots.every(isRebuiltSnapshot);

/** Whether a placement has a valid file. */
export const isWritten = ({ fleet: { placements, beingDeleted } }: PlanInput, key: PlacementKey): boolean =>
  [...placements, ...beingDeleted].some((placement) => placementKey(refOf(placement)) === key);

/**
 * Whether the repo names a placement, or may name it in an unreadable file. Others are not changed when the record is lost: their
 * objects on members may belong to another fleet.
 */
export function isNamed(input: PlanInput, key: PlacementKey): boolean {
  const { refused, unreadable } = input.fleet;
  return (
    unreadable.length > 0 ||
    refused.some((ref) => isPlacementKind(ref.kind) && placementKey(ref) === key) ||
    isWritten(input, key) ||
    // A placement that was deleted while its state was unreadable still has to be removed.
    input.record.unread?.placements.get(key)?.object !== undefined
  );
}

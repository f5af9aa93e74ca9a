import type { PlacementKey } from '../../../api/meta.ts';
import { isPlacementKind, placementKey, refOf } from '../../../api/placement.ts';
import type { ResourceSnapshotEntry } from '../../../api/placement-state.ts';
import type { PlanInput, RecordedPlacement } from '../../input.ts';

/** The hash of snapshots that were put together from what members show: no contents have it, so none is ever applied. */
export const isRebuiltSnapshot = ({ hash }: ResourceSnapshotEntry): boolean => hash === 'lost';

/** Whether the recorded state of a placement was rebuilt from the members. */
export const isRebuilt = ({ object, state: { resourceSnapshots } }: RecordedPlacement): boolean =>
  object === undefined && resourceSnapshots.length > 0 && resourceSnapshots.every(isRebuiltSnapshot);

/** Whether a placement has a valid file. */
export const isWritten = ({ fleet: { placements, beingDeleted } }: PlanInput, key: PlacementKey): boolean =>
  [...placements, ...beingDeleted].some((placement) => placementKey(refOf(placement)) === key);

/**
 * Whether the repo names a placement, or may name it in a file that cannot be read. Others are left alone when the record is
 * lost: what members hold of them may belong to another fleet.
 */
export function isNamed(input: PlanInput, key: PlacementKey): boolean {
  const { refused, unreadable } = input.fleet;
  return (
    unreadable.length > 0 ||
    refused.some((ref) => isPlacementKind(ref.kind) && placementKey(ref) === key) ||
    isWritten(input, key) ||
    // A placement that was deleted while its state could not be read still is to be removed.
    input.record.unread?.placements.get(key)?.object !== undefined
  );
}

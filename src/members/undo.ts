import type { ObjectRef } from '../api/meta.ts';
import { placementLabel } from '../engine/overrides/ownership.ts';
import { objectKey } from '../engine/selection/object-key.ts';
import type { PlacementAssignment } from './assignment.ts';
import type { Connection } from './connection.ts';

/**
 * A daemon that is behind and sees something removed puts it back, each time after a longer pause: at most five minutes
 * (apply/repairs.ts), and a slow member may take a while longer.
 */
const comesBackMs = 600_000;

/**
 * What takes back what was made on a member for a placement that the record no longer knows there: nothing else of it, and
 * nothing that was there before. Whoever removed it there goes on for a while: another daemon that is behind may put it back and
 * die before it reads that nobody asks for it. Undefined when there is nothing to take back, or no longer.
 * @param quietMs How long the member has told nothing of its objects, milliseconds.
 */
export function undoOf(
  wanted: PlacementAssignment,
  { unrecorded, watches, quietMs }: Pick<Connection, 'unrecorded' | 'watches'> & { readonly quietMs: number },
): PlacementAssignment | undefined {
  if (wanted.abandons) return undefined;
  if (wanted.remove && !wanted.adopted && quietMs < comesBackMs) return goingOn(wanted, unrecorded.of(wanted.label));
  const { digest: _digest, resourceSnapshotIndex: _index, adopted: _adopted, leaveAlone: _alone, ...rest } = wanted;
  const mayStand = (ref: ObjectRef): boolean =>
    !watches.shows(ref) || watches.inAnyVersion(ref)?.metadata.labels?.[placementLabel] === wanted.label;
  const made = new Map(
    [...unrecorded.of(wanted.label), ...(wanted.undoes ? wanted.prunable.filter(mayStand) : [])].map((ref) => [
      objectKey(ref),
      ref,
    ]),
  );
  if (made.size === 0) return undefined;
  return {
    ...rest,
    undoes: true,
    remove: true,
    manifests: [],
    prunable: [...made.keys()].sort().map((key) => made.get(key)!),
    approvedRemovals: [],
  };
}

/** The same removal, so that what is known of its objects holds: what has come since may be of a daemon that knows a newer plan. */
function goingOn(wanted: PlacementAssignment, made: readonly ObjectRef[]): PlacementAssignment {
  const listed = new Set(wanted.prunable.map(objectKey));
  const more = made.filter((ref) => !listed.has(objectKey(ref)));
  const prunable = more.length === 0 ? wanted.prunable : [...wanted.prunable, ...more];
  return { ...wanted, undoes: true, prunable, approvedRemovals: [] };
}

import type { ObjectRef } from '../api/meta.ts';
import { placementLabel } from '../engine/overrides/ownership.ts';
import { objectKey } from '../engine/selection/object-key.ts';
import type { PlacementAssignment } from './assignment.ts';
import type { Connection } from './connection.ts';

/**
 * Time in which a removed object may still be created again by a daemon that is behind: it repairs with pauses of at most five
 * minutes (apply/repairs.ts), and a slow member may add some.
 */
const comesBackMs = 600_000;

/**
 * An assignment that removes what was created on a member for a placement that the record no longer has there. It removes nothing
 * else of the placement, and nothing that existed before. The removal stays active for a while, because another daemon that is
 * behind may create the objects again and stop before it reads the newer record. Undefined when nothing is to be removed.
 * @param quietMs Time without changes of the placement's objects on the member, milliseconds.
 */
export function undoOf(
  wanted: PlacementAssignment,
  { unrecorded, watches, quietMs }: Pick<Connection, 'unrecorded' | 'watches'> & { readonly quietMs: number },
): PlacementAssignment | undefined {
  if (wanted.abandons) return undefined;
  if (wanted.remove && !wanted.adopted && quietMs < comesBackMs)
    return continuedRemoval(wanted, unrecorded.of(wanted.label));
  const { digest: _digest, resourceSnapshotIndex: _index, ...rest } = wanted;
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
    adopted: false,
    leaveAlone: false,
    undoes: true,
    remove: true,
    manifests: [],
    prunable: [...made.keys()].sort().map((key) => made.get(key)!),
    approvedRemovals: [],
  };
}

/** The same removal with newly created objects added, so that the state of its objects is kept. */
function continuedRemoval(wanted: PlacementAssignment, made: readonly ObjectRef[]): PlacementAssignment {
  const listed = new Set(wanted.prunable.map(objectKey));
  const more = made.filter((ref) => !listed.has(objectKey(ref)));
  const prunable = more.length === 0 ? wanted.prunable : [...wanted.prunable, ...more];
  return { ...wanted, undoes: true, prunable, approvedRemovals: [] };
}

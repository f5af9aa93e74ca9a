import type { ObjectRef } from '../api/meta.ts';
import { placementLabel } from '../engine/overrides/ownership.ts';
import { objectKey } from '../engine/selection/object-key.ts';
import type { Assignment } from './assignment.ts';
import type { Connection } from './connection.ts';

/**
 * What takes back what was made on a member for a placement that the record no longer knows there: nothing else of it, and
 * nothing that was there before. Undefined when there is nothing to take back, or no longer.
 */
export function undoOf(
  wanted: Assignment,
  { ventures, watches }: Pick<Connection, 'ventures' | 'watches'>,
): Assignment | undefined {
  if (wanted.abandons) return undefined;
  const { digest: _digest, resourceSnapshotIndex: _index, adopted: _adopted, leaveAlone: _alone, ...rest } = wanted;
  const mayStand = (ref: ObjectRef): boolean =>
    !watches.shows(ref) || watches.inAnyVersion(ref)?.metadata.labels?.[placementLabel] === wanted.label;
  const made = new Map(
    [...ventures.of(wanted.label), ...(wanted.undoes ? wanted.prunable.filter(mayStand) : [])].map((ref) => [
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

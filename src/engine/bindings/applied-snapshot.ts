import type { Binding } from '../../api/placement-state.ts';
import { conditionIs } from '../kernel/condition.ts';

/**
 * The binding with the index that was last applied completely, as far as its version `before` shows it. It stays until the
 * assigned snapshot is applied, also where the cluster does not respond.
 */
export function withAppliedSnapshot(before: Binding, after: Binding): Binding {
  const applied = conditionIs(after.conditions, 'Applied', 'True') ? undefined : appliedIn(before);
  if (applied === after.appliedResourceSnapshotIndex) return after;
  const { appliedResourceSnapshotIndex: _, ...rest } = after;
  return applied === undefined ? rest : { ...rest, appliedResourceSnapshotIndex: applied };
}

/** The index that was last applied completely. */
export const appliedIn = ({
  conditions,
  resourceSnapshotIndex,
  appliedResourceSnapshotIndex,
}: Binding): number | undefined =>
  conditionIs(conditions, 'Applied', 'True') ? resourceSnapshotIndex : appliedResourceSnapshotIndex;

import type { Condition } from '../api/meta.ts';
import type { Binding } from '../api/placement-state.ts';
import { isInProgress } from '../engine/bindings/health.ts';
import { findCondition } from '../engine/kernel/condition.ts';

interface Assigned extends Pick<Binding, 'resourceSnapshotIndex' | 'appliedResourceSnapshotIndex'> {
  readonly conditions?: readonly Condition[] | undefined;
}

/**
 * The snapshot that a cluster runs: `1` where it is applied. Otherwise what is wanted, behind what was applied last if that is
 * known, and how far it is: `0 → 1, not reached`, `→ 1, apply failed`. Undefined where none is assigned.
 */
export function snapshotText(binding: Assigned, isUnreachable: boolean): string | undefined {
  const { resourceSnapshotIndex: wanted, appliedResourceSnapshotIndex: applied, conditions } = binding;
  if (wanted === undefined) return undefined;
  const progress = progressOf(conditions, isUnreachable);
  if (progress === undefined) return `${wanted}`;
  if (applied === wanted) return `${wanted}, ${progress}`;
  return `${applied === undefined ? '' : `${applied} `}→ ${wanted}, ${progress}`;
}

/** Undefined: it is applied. */
function progressOf(conditions: Assigned['conditions'], isUnreachable: boolean): string | undefined {
  const applied = findCondition(conditions, 'Applied');
  const compared = findCondition(conditions, 'DiffReported');
  if (applied?.status === 'True') return undefined;
  if (compared?.status === 'True') return 'only compared';
  if (isUnreachable) return 'not reached';
  if (applied) return isInProgress(applied) ? 'being applied' : 'apply failed';
  if (compared) return isInProgress(compared) ? 'being compared' : 'comparison failed';
  return 'not applied';
}

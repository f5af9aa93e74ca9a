import type { Condition } from '../../api/meta.ts';
import { isInProgress } from '../../engine/bindings/health.ts';
import { findCondition } from '../../engine/kernel/condition.ts';

/**
 * The reason of a condition of a placement. Where it is False only since clusters are being worked on it is theirs: `ApplyInProgress`,
 * not KubeFleet's `ApplyFailed`, which covers both. `clusters`: the conditions of each cluster that the placement requires.
 */
export function deliveryReason(
  { type, status, reason }: Condition,
  clusters: readonly (readonly Condition[] | undefined)[],
): string {
  const own = ['Applied', 'DiffReported'].find((each) => type.endsWith(each));
  if (own === undefined || status !== 'False') return reason;
  const unmet = clusters.flatMap((conditions) => {
    const condition = findCondition(conditions, own);
    return condition?.status === 'False' ? [condition] : [];
  });
  return unmet.length > 0 && unmet.every(isInProgress) ? unmet[0]!.reason : reason;
}

import type { Condition, ConditionStatus, Timestamp } from '../../api/meta.ts';

/** The condition of a type; there is at most one. */
export const findCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

/** A missing condition has no status: false for each. */
export const conditionIs = (
  conditions: readonly Condition[] | undefined,
  type: string,
  status: ConditionStatus,
): boolean => findCondition(conditions, type)?.status === status;

/** Whether a cluster has what its placement requires: all resources are available or, under ReportDiff, compared. */
export const isFulfilled = (conditions: readonly Condition[] | undefined): boolean =>
  conditionIs(conditions, 'Available', 'True') || conditionIs(conditions, 'DiffReported', 'True');

/** The condition with its `lastTransitionTime`: `now` if the status changed, otherwise the previous one. */
export function withTransitionTime(
  previous: readonly Condition[] | undefined,
  next: Omit<Condition, 'lastTransitionTime'> & {
    readonly type: string;
    readonly status: ConditionStatus;
    readonly reason: string;
  },
  now: Timestamp,
): Condition {
  const before = findCondition(previous, next.type);
  const kept = before?.status === next.status ? before.lastTransitionTime : undefined;
  return { ...next, lastTransitionTime: kept ?? now };
}

/** `conditions` with `condition` in place of the one of its type, or at the end. */
export function withCondition(conditions: readonly Condition[] | undefined, condition: Condition): Condition[] {
  const list = [...(conditions ?? [])];
  const at = list.findIndex((existing) => existing.type === condition.type);
  if (at < 0) list.push(condition);
  else list[at] = condition;
  return list;
}

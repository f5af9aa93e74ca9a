import type { Condition, ConditionStatus, Timestamp } from '../../api/meta.ts';

/** The condition of a type; there is at most one. */
export const findCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

/** A condition that is not there has no status. */
export const conditionIs = (
  conditions: readonly Condition[] | undefined,
  type: string,
  status: ConditionStatus,
): boolean => findCondition(conditions, type)?.status === status;

/** A cluster has come to what its placement wants there: all is available or, under ReportDiff, compared. */
export const isFulfilled = (conditions: readonly Condition[] | undefined): boolean =>
  conditionIs(conditions, 'Available', 'True') || conditionIs(conditions, 'DiffReported', 'True');

/** The condition to publish: `lastTransitionTime` is `now` when the status changed and what it was otherwise. */
export function settle(
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

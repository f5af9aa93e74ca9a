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

/** A condition before the time of its status is known. */
type NewCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message' | 'observedGeneration'>;

/**
 * The condition with its `lastTransitionTime`: `now` if the status changed, otherwise the previous one. Where nothing changed it is the
 * same object: record and plan hold a million conditions each.
 */
export function withTransitionTime(
  previous: readonly Condition[] | undefined,
  next: NewCondition,
  now: Timestamp,
): Condition {
  const before = findCondition(previous, next.type);
  if (before && isUnchanged(before, next)) return before;
  const kept = before?.status === next.status ? before.lastTransitionTime : undefined;
  const { observedGeneration, ...others } = next;
  return {
    ...others,
    lastTransitionTime: kept ?? now,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

function isUnchanged(before: Condition, { status, reason, message, observedGeneration }: NewCondition): boolean {
  return (
    before.lastTransitionTime !== undefined &&
    before.status === status &&
    before.reason === reason &&
    before.message === message &&
    before.observedGeneration === observedGeneration &&
    Object.keys(before).every((key) => fields.has(key))
  );
}

/** A record from a hub may have more. */
const fields = new Set(['type', 'status', 'reason', 'message', 'lastTransitionTime', 'observedGeneration']);

/** `conditions` with `condition` in place of the one of its type, or at the end. */
export function withCondition(conditions: readonly Condition[] | undefined, condition: Condition): Condition[] {
  const list = [...(conditions ?? [])];
  const at = list.findIndex((existing) => existing.type === condition.type);
  if (at < 0) list.push(condition);
  else list[at] = condition;
  return list;
}

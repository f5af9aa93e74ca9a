import type { Timestamp } from '../../../api/meta.ts';
import type { DriftedPlacement, PatchDetail } from '../../../api/placement.ts';
import { formatInstant, type Instant, parseInstant } from '../../kernel/instant.ts';
import type { BindingStep } from '../../placement-work.ts';

/** What was put right is told for so long, milliseconds. */
export const repairToldMs = 600_000;

/** When repairs of an object are told no more; undefined where none is told. */
function endOf({ observationTime, observedDrifts }: DriftedPlacement): Instant | undefined {
  if (observedDrifts?.some(isRepaired) !== true) return undefined;
  return (parseInstant(observationTime ?? '') ?? 0) + repairToldMs;
}

export const isRepaired = ({ repaired }: PatchDetail): boolean => repaired === true;

/** Whether all that is told of repairs of an object is older than it may be. */
function isToldForLong(told: DriftedPlacement, now: Timestamp): boolean {
  const end = endOf(told);
  return end !== undefined && end <= (parseInstant(now) ?? 0);
}

/**
 * Details of an object, and what was put right of late by the record. Only the daemon that put it right knows of it by
 * itself: without the record two of them would tell it and take it back by turns.
 */
export function withToldRepairs(
  details: readonly PatchDetail[],
  told: DriftedPlacement | undefined,
  now: Timestamp,
): readonly PatchDetail[] {
  if (told?.observedDrifts === undefined || isToldForLong(told, now)) return details;
  const seen = new Map(details.map((detail) => [detail.path, detail]));
  if (!told.observedDrifts.some((detail) => isRepaired(detail) && !seen.has(detail.path))) return details;
  // In the order of the record, as another daemon sees others of them by itself.
  const stand = told.observedDrifts.flatMap((detail) => seen.get(detail.path) ?? (isRepaired(detail) ? detail : []));
  const known = new Set(stand.map(({ path }) => path));
  return [...stand, ...details.filter(({ path }) => !known.has(path))];
}

/** When what was put right on clusters of a placement is told no more. */
export const endsOfToldRepairs = (bindings: readonly BindingStep[], now: Timestamp): Timestamp[] =>
  bindings.flatMap(({ binding: { driftedPlacements = [] } }) =>
    driftedPlacements.flatMap((told) => {
      const end = endOf(told);
      return end !== undefined && end > (parseInstant(now) ?? 0) ? formatInstant(end) : [];
    }),
  );

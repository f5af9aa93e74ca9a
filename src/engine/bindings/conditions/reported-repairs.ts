import type { Timestamp } from '../../../api/meta.ts';
import type { DriftedPlacement, PatchDetail } from '../../../api/placement.ts';
import { formatInstant, type Instant, parseInstant } from '../../kernel/instant.ts';
import type { BindingStep } from '../../placement-work.ts';

/** How long a repair is reported, milliseconds. */
export const repairReportedMs = 600_000;

/** When repairs of an object are no longer reported; undefined where none is. */
function endOf({ observationTime, observedDrifts }: DriftedPlacement): Instant | undefined {
  if (observedDrifts?.some(isRepaired) !== true) return undefined;
  return (parseInstant(observationTime ?? '') ?? 0) + repairReportedMs;
}

export const isRepaired = ({ repaired }: PatchDetail): boolean => repaired === true;

/** Whether all reported repairs of an object are too old to be reported. */
function isOutdated(reported: DriftedPlacement, now: Timestamp): boolean {
  const end = endOf(reported);
  return end !== undefined && end <= (parseInstant(now) ?? 0);
}

/**
 * Details of an object, with its recent repairs by the record. Only the daemon that made a repair knows of it by itself:
 * without the record two daemons would report and withdraw it by turns.
 */
export function withReportedRepairs(
  details: readonly PatchDetail[],
  reported: DriftedPlacement | undefined,
  now: Timestamp,
): readonly PatchDetail[] {
  if (reported?.observedDrifts === undefined || isOutdated(reported, now)) return details;
  const seen = new Map(details.map((detail) => [detail.path, detail]));
  if (!reported.observedDrifts.some((detail) => isRepaired(detail) && !seen.has(detail.path))) return details;
  // In the order of the record, as another daemon sees others of them by itself.
  const stand = reported.observedDrifts.flatMap(
    (detail) => seen.get(detail.path) ?? (isRepaired(detail) ? detail : []),
  );
  const known = new Set(stand.map(({ path }) => path));
  return [...stand, ...details.filter(({ path }) => !known.has(path))];
}

/** When repairs on clusters of a placement are no longer reported. */
export const endsOfReportedRepairs = (bindings: readonly BindingStep[], now: Timestamp): Timestamp[] =>
  bindings.flatMap(({ binding: { driftedPlacements = [] } }) =>
    driftedPlacements.flatMap((reported) => {
      const end = endOf(reported);
      return end !== undefined && end > (parseInstant(now) ?? 0) ? formatInstant(end) : [];
    }),
  );

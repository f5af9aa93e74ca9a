import type { FleetConfig } from '../../api/gitfleet.ts';
import { type Placement, placementKey } from '../../api/placement.ts';
import type { Fleet, FleetRecord, PlanInput } from '../input.ts';

/**
 * The fleet that a plan may act on, read by the guard from the files as they were written. While the FleetConfig cannot be read,
 * the recorded one stays in effect: its limits and freezes hold, and placements without a strategy keep the recorded one.
 */
export function fleetInEffect({ fleet, record }: PlanInput): Fleet {
  const config = recordedConfig(fleet, record);
  if (config === undefined) return fleet;
  return { ...fleet, config, placements: placementsUnder(config, fleet, record) };
}

/** The recorded FleetConfig, where it holds because the file of the present one is invalid or may be hidden in an unreadable one. */
function recordedConfig({ config, refused, unreadable }: Fleet, record: FleetRecord): FleetConfig | undefined {
  if (config !== undefined) return undefined;
  const isUnread = unreadable.length > 0 || refused.some(({ kind }) => kind === 'FleetConfig');
  return isUnread ? record.config : undefined;
}

function placementsUnder(
  { spec }: FleetConfig,
  { placements, withoutStrategy }: Fleet,
  record: FleetRecord,
): readonly Placement[] {
  if (spec.defaults?.strategy === undefined || withoutStrategy === undefined) return placements;
  return placements.map((placement) => {
    const key = placementKey(placement.metadata);
    return withoutStrategy.has(key) ? (record.placements.get(key)?.object ?? placement) : placement;
  });
}

import type { FleetConfig } from '../../api/gitfleet.ts';
import type { Placement } from '../../api/placement.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import type { Fleet, PlanInput } from '../input.ts';
import type { Hold } from '../plan-document.ts';
import { absenceMeansNothing, heldBecause, lastGoodHold } from './last-good.ts';

/**
 * A FleetConfig whose file is invalid stays in effect as recorded: without it freezes would end and limits widen. Done
 * before all else, so that planner and guard use the same configuration.
 */
export function withLastGoodConfig(input: PlanInput): { readonly input: PlanInput; readonly holds: readonly Hold[] } {
  const { fleet, record } = input;
  const config = configInEffect(input);
  if (config === undefined || config === fleet.config) return { input, holds: [] };
  const ref = refOfConfig(record);
  return {
    input: { ...input, fleet: { ...withoutReliant(fleet, config), config } },
    holds: [lastGoodHold(ref, heldBecause(fleet, ref))],
  };
}

/** The FleetConfig of the file; the recorded one while the file is invalid. */
export const configInEffect = ({ fleet, record }: Pick<PlanInput, 'fleet' | 'record'>): FleetConfig | undefined =>
  fleet.config ?? (absenceMeansNothing(fleet, refOfConfig(record)) ? record.config : undefined);

const refOfConfig = ({ config }: PlanInput['record']) => ({
  kind: 'FleetConfig',
  name: config?.metadata?.name ?? 'fleet',
});

/** The default strategy comes from the file: placements that rely on it are held at their last good version. */
function withoutReliant(fleet: Fleet, { spec }: FleetConfig): Fleet {
  const without = fleet.withoutStrategy;
  if (spec.defaults?.strategy === undefined || without.size === 0) return fleet;
  const relies = (placement: Placement) => without.has(placementKey(refOf(placement)));
  const reliant = fleet.placements.filter(relies);
  return {
    ...fleet,
    placements: fleet.placements.filter((placement) => !relies(placement)),
    // They are deleted all the same, by their recorded delete strategy.
    beingDeleted: fleet.beingDeleted.filter((placement) => !relies(placement)),
    refused: [
      ...fleet.refused,
      ...reliant.map((placement) => ({ apiVersion: placement.apiVersion, ...refOf(placement) })),
    ],
  };
}

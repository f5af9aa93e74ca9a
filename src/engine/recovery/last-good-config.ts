import type { FleetConfig } from '../../api/gitfleet.ts';
import type { Placement } from '../../api/placement.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import type { Fleet, PlanInput } from '../input.ts';
import type { Hold } from '../plan-document.ts';
import { absenceMeansNothing, heldBecause, lastGoodHold } from './last-good.ts';

/**
 * A FleetConfig whose file is broken stays in force as it was recorded: without it freezes would end and limits widen.
 * Held before anything else looks at the fleet, so that planner and guard go by the same one.
 */
export function withLastGoodConfig(input: PlanInput): { readonly input: PlanInput; readonly holds: readonly Hold[] } {
  const { fleet, record } = input;
  const ref = { kind: 'FleetConfig', name: record.config?.metadata?.name ?? 'fleet' };
  if (fleet.config !== undefined || record.config === undefined || !absenceMeansNothing(fleet, ref))
    return { input, holds: [] };
  return {
    input: { ...input, fleet: { ...withoutReliant(fleet, record.config), config: record.config } },
    holds: [lastGoodHold(ref, heldBecause(fleet, ref))],
  };
}

/** The usual strategy is read with the repo: placements that rely on it are held as they were. */
function withoutReliant(fleet: Fleet, { spec }: FleetConfig): Fleet {
  const without = fleet.withoutStrategy;
  if (spec.defaults?.strategy === undefined || !without) return fleet;
  const relies = (placement: Placement) => without.has(placementKey(refOf(placement)));
  const reliant = fleet.placements.filter(relies);
  return {
    ...fleet,
    placements: fleet.placements.filter((placement) => !relies(placement)),
    // What they said last of how they are to be deleted is recorded; they are deleted all the same.
    beingDeleted: fleet.beingDeleted.filter((placement) => !relies(placement)),
    refused: [
      ...fleet.refused,
      ...reliant.map((placement) => ({ apiVersion: placement.apiVersion, ...refOf(placement) })),
    ],
  };
}

import type { FleetConfig } from '../../api/gitfleet.ts';
import type { Placement } from '../../api/placement.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import type { Fleet, PlanInput } from '../input.ts';
import type { Hold } from '../plan-document.ts';
import { absenceMeansNothing, heldBecause, lastGoodHold } from './last-good.ts';

/**
 * A FleetConfig whose file is broken stays in effect as it was recorded: without it freezes would end and limits widen.
 * Held before anything else looks at the fleet, so that planner and guard go by the same one.
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

/** The FleetConfig as it is written, or while its file is broken as it was recorded. */
export const configInEffect = ({ fleet, record }: Pick<PlanInput, 'fleet' | 'record'>): FleetConfig | undefined =>
  fleet.config ?? (absenceMeansNothing(fleet, refOfConfig(record)) ? record.config : undefined);

const refOfConfig = ({ config }: PlanInput['record']) => ({
  kind: 'FleetConfig',
  name: config?.metadata?.name ?? 'fleet',
});

/** The usual strategy is read with the repo: placements that rely on it are held as they were. */
function withoutReliant(fleet: Fleet, { spec }: FleetConfig): Fleet {
  const without = fleet.withoutStrategy;
  if (spec.defaults?.strategy === undefined || without.size === 0) return fleet;
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

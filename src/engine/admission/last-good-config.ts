import type { PlanInput } from '../input.ts';
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
    input: { ...input, fleet: { ...fleet, config: record.config } },
    holds: [lastGoodHold(ref, heldBecause(fleet, ref))],
  };
}

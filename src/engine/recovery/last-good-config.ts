import type { FleetConfig } from '../../api/gitfleet.ts';
import type { Placement } from '../../api/placement.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import { type Fleet, type PlanInput, sourceKey } from '../input.ts';
import type { Hold } from '../plan-document.ts';
import { absenceMeansNothing, heldBecause, lastGoodHold } from './last-good.ts';

/**
 * A FleetConfig whose file is invalid stays in effect as recorded: without it freezes would end and limits widen. Done
 * before all else, so that planner and guard use the same configuration.
 */
export function withLastGoodConfig(input: PlanInput): { readonly input: PlanInput; readonly holds: readonly Hold[] } {
  const { fleet, record } = input;
  const config = configInEffect(input);
  if (config === undefined) return frozenUntilFixed(input);
  if (config === fleet.config) return { input, holds: [] };
  const ref = refOfConfig(record);
  return {
    input: { ...input, fleet: { ...withoutReliant(fleet, config), config } },
    holds: [lastGoodHold(ref, heldBecause(fleet, ref))],
  };
}

/** Without a last good version nothing tells which freezes and limits there are: nothing new starts until the file is fixed. */
function frozenUntilFixed(input: PlanInput): ReturnType<typeof withLastGoodConfig> {
  const { fleet } = input;
  const file = fileOfUnread(fleet);
  if (file === undefined || fleet.frozenUntil !== undefined) return { input, holds: [] };
  const frozenUntil = `${file} is fixed: its freezes and limits are unknown, since it is not valid and no earlier version of it is recorded`;
  return {
    input: { ...input, fleet: { ...fleet, frozenUntil } },
    holds: [
      {
        subject: { kind: 'FleetConfig', name: 'fleet' },
        reason: 'Freeze',
        message: `anything new starts once ${frozenUntil}`,
      },
    ],
  };
}

/** The file that holds a FleetConfig, or must be taken for one, and is not valid. */
function fileOfUnread({ unreadable, refused, whyRefused }: Fleet): string | undefined {
  const refs = refused.filter(({ kind }) => kind === 'FleetConfig');
  const faults = refs.flatMap((ref) => whyRefused.get(sourceKey(ref.kind, ref)) ?? []);
  // An object of a misspelt kind is refused as one of every kind, under its own name.
  const isMeant = unreadable.includes(configFile) || refs.some(({ name }) => name === 'fleet');
  return faults[0]?.file ?? (isMeant ? configFile : undefined);
}

const configFile = 'fleet.yaml';

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

/** Whether the files of a fleet may hold a FleetConfig that was not loaded. */
export const mayHideConfig = ({ refused, unreadable }: Pick<Fleet, 'refused' | 'unreadable'>): boolean =>
  unreadable.length > 0 || refused.some(({ kind }) => kind === 'FleetConfig');

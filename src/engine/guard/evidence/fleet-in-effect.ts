import type { FleetConfig } from '../../../api/gitfleet.ts';
import { type Placement, placementKey } from '../../../api/placement.ts';
import { type Fleet, type FleetRecord, type PlanInput, sourceKey } from '../../input.ts';
import { memoizePair } from '../../kernel/memoize.ts';

/**
 * The fleet that a plan may act on, read by the guard from the files as they were written. While the FleetConfig is unreadable,
 * the recorded one stays in effect: its limits and freezes apply, and placements without a strategy keep the recorded one. Where none is
 * recorded, what the file says may be a freeze.
 * @param recovered The record with the last good version of placements.
 */
export function fleetInEffect({ fleet, record }: PlanInput, recovered: FleetRecord): Fleet {
  const config = recordedConfig(fleet, record);
  if (config === undefined)
    return mayHaveFreeze(fleet) ? { ...fleet, frozenUntil: fleet.frozenUntil ?? 'fleet.yaml is fixed' } : fleet;
  return { ...fleet, config, placements: placementsUnder(config, fleet, recovered) };
}

/** The recorded FleetConfig, if it is in effect because the current one is invalid or may be in an unreadable file. */
function recordedConfig({ config, refused, unreadable }: Fleet, record: FleetRecord): FleetConfig | undefined {
  if (config !== undefined) return undefined;
  const isUnread = unreadable.length > 0 || refused.some(({ kind }) => kind === 'FleetConfig');
  return isUnread ? record.config : undefined;
}

/** Whether a file with a FleetConfig, or the one that should have it, is there and not valid. */
const mayHaveFreeze = ({ config, unreadable, refused, whyRefused }: Fleet): boolean =>
  config === undefined &&
  (unreadable.includes('fleet.yaml') ||
    refused.some(
      (ref) => ref.kind === 'FleetConfig' && (ref.name === 'fleet' || whyRefused.has(sourceKey(ref.kind, ref))),
    ));

function placementsUnder(
  { spec }: FleetConfig,
  { placements, withoutStrategy }: Fleet,
  record: FleetRecord,
): readonly Placement[] {
  if (spec.defaults?.strategy === undefined || withoutStrategy.size === 0) return placements;
  return placements.map((placement) => {
    const key = placementKey(placement.metadata);
    return withoutStrategy.has(key) ? (record.placements.get(key)?.object ?? placement) : placement;
  });
}

/** The version of a placement to plan: that of its file, unless it changed in a forbidden way and the recorded one stays. */
export const placementInEffect = memoizePair((written: Placement, recorded: Placement | undefined): Placement => {
  if (recorded === undefined || recorded.kind !== written.kind) return written;
  const [before, after] = [recorded.spec, written.spec];
  const kept = new Set(after.policy.tolerations?.map(textOf));
  const isForbidden =
    before.policy.placementType !== after.policy.placementType ||
    (before.strategy.type === 'External' && after.strategy.type !== 'External') ||
    (written.kind === 'ClusterResourcePlacement' && before.statusReportingScope !== after.statusReportingScope) ||
    before.policy.tolerations?.some((toleration) => !kept.has(textOf(toleration))) === true;
  return isForbidden ? recorded : written;
});

type Toleration = NonNullable<Placement['spec']['policy']['tolerations']>[number];

const textOf = ({ key = '', operator, value = '', effect = '' }: Toleration): string =>
  [key, operator, value, effect].join(' ');

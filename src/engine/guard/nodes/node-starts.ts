import { parseInstant } from '../../kernel/instant.ts';
import { type GuardFinding, plannedUpgradeRuns } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { activeFreeze } from '../fleet/freeze-windows.ts';
import { inFlightIn } from '../upgrade/upgrade-changes.ts';
import { heldableStarts, type NodeChange } from './node-changes.ts';

/** No command starts in a freeze, nor on a member that a run upgrades. */
export function startsAtTheWrongTime(changes: readonly NodeChange[], { fleet, plan, now }: Evidence): GuardFinding[] {
  const starting = changes.filter((change) => heldableStarts(change).length > 0);
  if (starting.length === 0) return [];
  const freeze = activeFreeze(fleet, parseInstant(now) ?? 0);
  const runs = new Map(
    plannedUpgradeRuns(plan).flatMap(({ name, status }) =>
      status.stages.flatMap(inFlightIn).map((member) => [member.name as string, name] as const),
    ),
  );
  return starting.flatMap((change): GuardFinding[] => {
    const { clusterName } = change.planned;
    const what = `${clusterName}: command ${heldableStarts(change)[0]!.id} would start`;
    const run = runs.get(clusterName);
    return [
      ...(freeze !== undefined
        ? [{ rule: 'frozen' as const, message: `${what} while freeze ${freeze} is active` }]
        : []),
      ...(run === undefined
        ? []
        : [{ rule: 'UpgradingClusterDisrupted' as const, message: `${what} while run ${run} upgrades the cluster` }]),
    ];
  });
}

import { placementKey } from '../../../api/placement.ts';
import type { GuardFinding } from '../../plan-document.ts';
import { placementTargets } from '../../target-kinds.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isNamed } from './rebuilt-state.ts';
import { shownPlacements } from './shown-placements.ts';

/**
 * Everything that the record lost and members show is recovered. A cluster that is left out would count as empty: it would get
 * the newest version at once, in place of one in service.
 */
export function missingRecovery(evidence: Evidence): GuardFinding[] {
  const { input, recovered, isRecordLost } = evidence;
  const findings: GuardFinding[] = [];
  if (isRecordLost !== recovered.lost)
    findings.push({
      rule: 'record-incomplete',
      message: isRecordLost
        ? 'the record is lost and members have objects of gitfleet, but the plan was made as if nothing were lost'
        : 'the plan was made as if the record were lost, but it is not',
    });
  return [...findings, ...clustersLeftOut(evidence), ...(input.record.unread ? plannedUnread(evidence) : [])];
}

function clustersLeftOut({ input, record, observations, isRecordLost }: Evidence): GuardFinding[] {
  const unread = input.record.unread?.placements;
  if (!isRecordLost && !unread?.size) return [];
  return [...shownPlacements(observations)].flatMap(([key, clusters]) => {
    if (input.record.placements.has(key) || !(isRecordLost || unread?.has(key)) || !isNamed(input, key)) return [];
    const bound = new Set(record.placements.get(key)?.state.bindings.map(({ targetCluster }) => targetCluster));
    const missing = [...clusters.keys()].filter((cluster) => !bound.has(cluster));
    if (missing.length === 0) return [];
    return [
      {
        rule: 'record-incomplete',
        message: `${missing.sort().slice(0, 5).join(', ')} show objects of placement ${key}, but the recovered record does not have it there`,
      },
    ];
  });
}

/** Placements whose state is unreadable and was not rebuilt, since nothing was observed: they are left out of the plan. */
function plannedUnread({ input, record, plan }: Evidence): GuardFinding[] {
  const unread = [...(input.record.unread?.placements.keys() ?? [])].filter((key) => !record.placements.has(key));
  if (unread.length === 0) return [];
  const planned = new Set(
    [...plan.placements, ...placementTargets(plan.targets).map(({ placement }) => placement)].map((ref) =>
      placementKey(ref),
    ),
  );
  return unread
    .filter((key) => planned.has(key))
    .map((key) => ({
      rule: 'record-incomplete',
      message: `placement ${key} is planned, but its state is unreadable and no member was observed`,
    }));
}

import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { evictionsNow } from '../evidence/moves.ts';

/**
 * An eviction is carried out for a file that names this placement and cluster, and once. While the record of it is lost it may
 * have been carried out before, so it waits until its file changes.
 */
export function unaskedEvictions(evidence: Evidence): GuardFinding[] {
  const { input, fleet, isRecordLost } = evidence;
  return evictionsNow(evidence).flatMap(({ name, placementName, clusterName }): GuardFinding[] => {
    const finding = (why: string): GuardFinding => ({
      rule: 'eviction-unasked',
      message: `eviction ${name} would remove placement ${placementName} from ${clusterName}, but ${why}`,
    });
    const file = fleet.evictions.find(({ metadata }) => metadata.name === name);
    if (file?.spec.placementName !== placementName || file.spec.clusterName !== clusterName)
      return [finding('no file requests it')];
    const recorded = input.record.evictions.get(name)?.status?.conditions ?? [];
    if (recorded.some(({ type, status }) => type === 'Executed' || (type === 'Valid' && status === 'False')))
      return [finding('it has its result already')];
    if (isRecordLost || input.record.unread?.evictions.has(name))
      return [finding('the record of whether it was carried out before is lost')];
    return [];
  });
}

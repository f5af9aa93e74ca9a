import { placementKey } from '../../../api/placement.ts';
import type { GuardFinding, Plan, Target } from '../../plan-document.ts';

/** At most one target per cluster and placement. */
export function duplicateTargets(plan: Plan): GuardFinding[] {
  if (isStrictlySorted(plan.targets)) return [];
  const seen = new Set<string>();
  const findings: GuardFinding[] = [];
  for (const { clusterName, placement } of plan.targets) {
    const id = `${clusterName} ${placementKey(placement)}`;
    if (seen.has(id))
      findings.push({
        rule: 'duplicate-target',
        message: `placement ${placementKey(placement)} has more than one target on ${clusterName}`,
      });
    seen.add(id);
  }
  return findings;
}

/** Plans are sorted, so targets are checked for duplicates without a set of a million names. */
function isStrictlySorted(targets: readonly Target[]): boolean {
  let [lastCluster, lastKey] = ['', ''];
  for (const { clusterName, placement } of targets) {
    const key = placementKey(placement);
    if (clusterName === lastCluster ? key <= lastKey : clusterName < lastCluster) return false;
    lastCluster = clusterName;
    lastKey = key;
  }
  return true;
}

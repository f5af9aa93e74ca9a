import { placementKey } from '../../../api/placement.ts';
import type { GuardFinding, PlacementTarget, Plan } from '../../plan-document.ts';
import { placementTargets } from '../../target-kinds.ts';

/** At most one target per cluster and placement. */
export function duplicateTargets(plan: Plan): GuardFinding[] {
  const targets = placementTargets(plan.targets);
  if (isStrictlySorted(targets)) return [];
  const seen = new Set<string>();
  const findings: GuardFinding[] = [];
  for (const { clusterName, placement } of targets) {
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
function isStrictlySorted(targets: readonly PlacementTarget[]): boolean {
  let [lastCluster, lastKey] = ['', ''];
  for (const { clusterName, placement } of targets) {
    const key = placementKey(placement);
    if (clusterName === lastCluster ? key <= lastKey : clusterName < lastCluster) return false;
    lastCluster = clusterName;
    lastKey = key;
  }
  return true;
}

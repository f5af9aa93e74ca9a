import type { GuardFinding, PlannedBinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { healthReader } from '../evidence/health.ts';
import { membersThatStay } from '../evidence/members.ts';
import { moveReader } from '../evidence/moves.ts';
import { clustersWanted, scaledUp } from '../evidence/numbers.ts';

/**
 * A rolling update may not take more healthy clusters out of service than maxUnavailable allows. Clusters that were not
 * healthy may always be moved; requested removals and members that leave have rules of their own.
 */
export function brokenRolloutBudgets(evidence: Evidence): GuardFinding[] {
  const stays = membersThatStay(evidence);
  const healthOf = healthReader(evidence);
  const { isMoved, isRequestedRemoval } = moveReader(evidence);
  return evidence.changes.flatMap((change): GuardFinding[] => {
    const { key, placement, isWanted } = change;
    const { strategy } = placement?.spec ?? {};
    const rolling = strategy?.type === 'RollingUpdate' ? strategy.rollingUpdate : undefined;
    if (!placement || !rolling || !isWanted) return [];
    const counted = change.pairs.filter(({ clusterName }) => stays.has(clusterName));
    const moved = counted.filter((pair) => isMoved(key, pair) && !isRequestedRemoval(key, pair));
    if (moved.length === 0) return [];
    const health = moved.map((pair) => healthOf(key, pair));
    const disturbed = health.filter((it) => it === 'healthy').length;
    const inPlace = new Set(counted).difference(new Set(moved));
    // Requested removals are decided after the rollout has used its budget, so their clusters counted as available then.
    const serving = [...inPlace].filter(
      (pair) => isRequestedRemoval(key, pair) || (!pair.removedNow && serves(pair.after)),
    );
    const ready = health.filter((it) => it !== 'unhealthy').length + serving.length;
    const wanted = clustersWanted(placement, change);
    const unavailable = scaledUp(rolling.maxUnavailable, wanted);
    const allowed = Math.max(0, ready - (wanted - unavailable));
    if (disturbed <= allowed) return [];
    const clusters = moved.filter((_, at) => health[at] === 'healthy').map(({ clusterName }) => clusterName);
    return [
      {
        rule: 'budget-broken',
        message: `placement ${key}: ${disturbed} healthy clusters would be moved at once, maxUnavailable ${rolling.maxUnavailable} of ${wanted} allows ${allowed}: ${clusters.slice(0, 5).join(', ')}`,
      },
    ];
  });
}

const serves = (binding: PlannedBinding | undefined): boolean =>
  (binding?.conditions ?? []).some(
    ({ type, status }) => (type === 'Available' || type === 'DiffReported') && status === 'True',
  );

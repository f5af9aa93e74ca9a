import type { DisruptionBudget } from '../../../api/disruption-budget.ts';
import type { IntOrPercent } from '../../../api/meta.ts';
import type { Placement } from '../../../api/placement.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Pair, PlacementChange } from '../evidence/changes.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { healthReader } from '../evidence/health.ts';
import { membersThatStay } from '../evidence/members.ts';
import { moveReader } from '../evidence/moves.ts';
import { clustersWanted, scaledUp } from '../evidence/numbers.ts';
import { returnedByRuns } from '../evidence/run-placements.ts';

/**
 * Evictions leave as many healthy clusters in service as the ClusterResourcePlacementDisruptionBudget of the placement requires;
 * where its `gitfleet.dev/budget-scope` is `all`, rollouts and update runs do too, but no rollback. Clusters that were not
 * healthy may always be moved. A budget that is unreadable or misconfigured allows nothing.
 */
export function brokenDisruptionBudgets(evidence: Evidence): GuardFinding[] {
  const budgetOf = budgetReader(evidence);
  if (budgetOf === undefined) return [];
  const stays = membersThatStay(evidence);
  const healthOf = healthReader(evidence);
  const { isMoved, isRequestedRemoval } = moveReader(evidence);
  const returned = returnedByRuns(evidence);
  return evidence.changes.flatMap((change): GuardFinding[] => {
    const { key, placement, isWanted, pairs } = change;
    if (pairs.length === 0 || !isWanted || placement?.kind !== 'ClusterResourcePlacement') return [];
    const budget = budgetOf(placement);
    if (budget === undefined) return [];
    const isReturned = ({ clusterName, removedNow }: Pair): boolean =>
      !removedNow && returned.get(key)?.has(clusterName) === true;
    const counted = pairs.filter(({ clusterName }) => stays.has(clusterName));
    const isBound = (pair: Pair): boolean =>
      isMoved(key, pair) &&
      (isRequestedRemoval(key, pair) ? pair.removedNow : budget.bindsRollouts && !isReturned(pair));
    const disturbed = counted.filter((pair) => isBound(pair) && healthOf(key, pair) === 'healthy');
    if (disturbed.length === 0) return [];
    // A cluster of unknown health counts as healthy: the guard must not stop a fleet for lack of evidence.
    const serving = counted.filter((pair) => healthOf(key, pair) !== 'unhealthy').length - disturbed.length;
    const least = leastInService(budget, placement, { ...change, pairs: counted });
    if (serving >= least) return [];
    const clusters = disturbed.map(({ clusterName }) => clusterName).slice(0, 5);
    return [
      {
        rule: 'disruption-budget-broken',
        message: `placement ${key}: ${disturbed.length} healthy clusters would be disturbed, which leaves at most ${serving} in service, but its disruption budget requires ${least === Number.POSITIVE_INFINITY ? 'that none is disturbed' : `at least ${least}`}: ${clusters.join(', ')}`,
      },
    ];
  });
}

interface Budget {
  /** Undefined if its file is not valid. */
  readonly spec: DisruptionBudget['spec'] | undefined;
  readonly bindsRollouts: boolean;
}

/** Undefined if there are no budgets, as in most fleets. */
function budgetReader({ fleet }: Evidence): ((placement: Placement) => Budget | undefined) | undefined {
  const budgets = new Map(fleet.budgets.map((budget) => [budget.metadata.name, budget]));
  const invalid = new Set(
    fleet.refused.filter(({ kind }) => kind === 'ClusterResourcePlacementDisruptionBudget').map(({ name }) => name),
  );
  if (budgets.size === 0 && invalid.size === 0) return undefined;
  return ({ metadata: { name } }) => {
    const budget = budgets.get(name);
    if (budget)
      return {
        spec: budget.spec,
        bindsRollouts: budget.metadata.annotations?.['gitfleet.dev/budget-scope'] === 'all',
      };
    // It may have been available.
    return invalid.has(name) ? { spec: undefined, bindsRollouts: true } : undefined;
  };
}

/** How many clusters must stay in service; infinite if the budget allows nothing. */
function leastInService({ spec }: Budget, placement: Placement, change: PlacementChange): number {
  const { maxUnavailable, minAvailable } = spec ?? {};
  const isPickAll = placement.spec.policy.placementType === 'PickAll';
  if ((maxUnavailable === undefined) === (minAvailable === undefined)) return Number.POSITIVE_INFINITY;
  if (minAvailable !== undefined)
    return isNumber(minAvailable) && !(isPickAll && isPercentage(minAvailable))
      ? scaledUp(minAvailable, clustersWanted(placement, change))
      : Number.POSITIVE_INFINITY;
  if (isPickAll || !isNumber(maxUnavailable)) return Number.POSITIVE_INFINITY;
  // Counts the clusters that it is on before and after: with added clusters a budget would require more.
  const total = change.pairs.filter(({ before, after }) => before && after).length;
  return total - scaledUp(maxUnavailable, clustersWanted(placement, change));
}

const isPercentage = (value: IntOrPercent): boolean => String(value).endsWith('%');

const isNumber = (value: IntOrPercent | undefined): value is IntOrPercent =>
  /^((100|\d{1,2})%|\d+)$/.test(String(value));

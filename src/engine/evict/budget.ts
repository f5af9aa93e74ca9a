import type { DisruptionBudget } from '../../api/eviction.ts';
import type { ClusterName, IntOrPercent, ObjectRef } from '../../api/meta.ts';
import type { PlacementRef } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { currentCondition, hasFailed } from '../bindings/health.ts';
import { scale } from '../kernel/int-or-percent.ts';
import { wasBound } from '../placement/bindings.ts';
import { type BindingStep, latestPolicy, type PlacementWork } from '../placement-work.ts';

/** A budget that cannot be read is no licence: it blocks like one that allows nothing. */
export type BudgetInForce = DisruptionBudget | 'invalid' | undefined;

/** The budget of a placement; only those of cluster scope have any. */
export function budgetInForce(
  { kind, name }: Pick<PlacementRef, 'kind' | 'name'>,
  of: {
    readonly budgets: readonly DisruptionBudget[];
    /** Objects whose file is invalid. */
    readonly refused: readonly ObjectRef[];
  },
): BudgetInForce {
  if (kind !== 'ClusterResourcePlacement') return undefined;
  const budget = of.budgets.find(({ metadata }) => metadata.name === name);
  if (budget) return budget;
  const isRefused = of.refused.some(
    (ref) => ref.kind === 'ClusterResourcePlacementDisruptionBudget' && ref.name === name,
  );
  return isRefused ? 'invalid' : undefined;
}

export interface BudgetVerdict {
  readonly allowed: boolean;
  /** The budget means nothing for this placement, or nothing at all: then it allows nothing. */
  readonly misconfigured: boolean;
  /** What is wrong with the budget, or how many bindings were available. */
  readonly message: string;
}

/** Bindings of a placement that a budget counts, and how many of them are available. */
export interface BindingCount {
  readonly total: number;
  readonly available: number;
}

/**
 * Whether one more available binding of a placement may be disrupted (KubeFleet
 * clusterresourceplacementeviction/controller.go, isEvictionAllowed). Percentages are of the clusters asked for and round up. A
 * budget that says nothing, or something invalid, allows nothing.
 */
export const budgetAllows = (
  work: PlacementWork,
  budget: BudgetInForce,
  isPresent?: (cluster: ClusterName) => boolean,
): BudgetVerdict => budgetVerdicts(work, budget)(countBindings(work.bindings, isPresent));

/**
 * All bindings of the fleet's clusters count, whatever their state; one on its way out is not available. On a cluster that left
 * nobody looks after what it was left with: it neither serves nor is missing.
 */
export function countBindings(
  bindings: readonly BindingStep[],
  isPresent: (cluster: ClusterName) => boolean = () => true,
): BindingCount {
  const counted = bindings.filter(({ binding }) => isPresent(binding.targetCluster));
  return { total: counted.length, available: counted.filter(({ binding }) => isAvailable(binding)).length };
}

/** The same as `budgetAllows` for bindings of the placement that change one after the other, by how many there are then. */
export function budgetVerdicts(work: PlacementWork, budget: BudgetInForce): (count: BindingCount) => BudgetVerdict {
  const always = (verdict: BudgetVerdict) => () => verdict;
  if (budget === undefined) return always({ allowed: true, misconfigured: false, message: 'no disruption budget' });
  const misconfigured = (message: string) => always({ allowed: false, misconfigured: true, message });
  if (budget === 'invalid') return misconfigured('its file is not valid and blocks until it is mended');
  const fault = budgetFault(work, budget);
  if (fault) return misconfigured(fault);
  const { maxUnavailable, minAvailable } = budget.spec;
  const desired = desiredClusters(work);
  return ({ total, available }) => {
    const room =
      maxUnavailable !== undefined
        ? scale(maxUnavailable, desired, 'up') - (total - available)
        : available - scale(minAvailable ?? 0, desired, 'up');
    return {
      allowed: room > 0,
      misconfigured: false,
      message: `availablePlacements: ${available}, totalPlacements: ${total}`,
    };
  };
}

/**
 * Whether a binding that is to go, or to change, is the budget's to allow (KubeFleet clusterresourceplacementeviction/controller.go,
 * executeEviction): not where nothing was sent, where the cluster has failed, nor where it only compares. One of which nothing is known,
 * not yet or not any more, may serve.
 */
export const asksBudget = (binding: Binding): boolean =>
  wasBound(binding) && !hasFailed(binding) && currentCondition(binding, 'DiffReported') === undefined;

/** What a budget counts. */
export const isAvailable = (binding: Binding): boolean =>
  !binding.deleting && currentCondition(binding, 'Available')?.status === 'True';

/** On a budget; `all` is the only value that means something. */
export const budgetScopeAnnotation = 'gitfleet.dev/budget-scope';

/**
 * Budgets that bind rollouts and staged runs too, not only evictions (docs/compatibility.md). One that cannot be read may
 * have said so.
 */
export const bindsRollouts = (budget: Exclude<BudgetInForce, undefined>): boolean =>
  budget === 'invalid' || budget.metadata.annotations?.[budgetScopeAnnotation] === 'all';

function budgetFault(work: PlacementWork, { spec }: DisruptionBudget): string | undefined {
  const { maxUnavailable, minAvailable } = spec;
  if (maxUnavailable === undefined && minAvailable === undefined)
    return 'it names neither maxUnavailable nor minAvailable and so allows nothing';
  if (maxUnavailable !== undefined && minAvailable !== undefined)
    return 'it names both maxUnavailable and minAvailable and allows nothing until one is left';
  const value = maxUnavailable ?? minAvailable;
  if (!isValid(value))
    return `it holds ${JSON.stringify(value)}, neither a number of 0 or more nor a percentage, and so allows nothing`;
  if (work.placement.spec.policy.placementType !== 'PickAll') return undefined;
  if (maxUnavailable !== undefined) return 'maxUnavailable has no meaning for a PickAll placement';
  return typeof minAvailable === 'string' && minAvailable.endsWith('%')
    ? 'minAvailable as a percentage has no meaning for a PickAll placement'
    : undefined;
}

const isValid = (value: IntOrPercent | undefined): boolean =>
  typeof value === 'number' ? Number.isInteger(value) && value >= 0 : /^((100|\d{1,2})%|\d+)$/.test(value ?? '');

/** numberOfClusters of PickN, the named clusters of PickFixed, 0 for PickAll. */
function desiredClusters(work: PlacementWork): number {
  const { placementType, numberOfClusters, clusterNames } = work.placement.spec.policy;
  if (placementType === 'PickFixed') return clusterNames?.length ?? 0;
  return placementType === 'PickN' ? (latestPolicy(work)?.numberOfClusters ?? numberOfClusters ?? 0) : 0;
}

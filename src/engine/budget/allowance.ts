import type { DisruptionBudget } from '../../api/disruption-budget.ts';
import type { IntOrPercent } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import { currentCondition, hasFailed } from '../bindings/health.ts';
import { scale } from '../kernel/int-or-percent.ts';
import { wasBound } from '../placement/bindings.ts';
import { type BindingStep, latestPolicy, type PlacementWork } from '../placement-work.ts';
import { type BindingCount, type Counting, countBindings } from './availability.ts';
import type { PlacementBudget } from './placement-budget.ts';

/** What a budget allows, updated after each disruption. */
export interface Allowance {
  /** Whether one more available binding may be disrupted. */
  readonly verdict: BudgetVerdict;
  /** The allowance after some bindings have changed. */
  readonly after: (before: readonly BindingStep[], after: readonly BindingStep[]) => Allowance;
}

export interface BudgetVerdict {
  readonly allowed: boolean;
  /** The budget is invalid, or not allowed for this placement: then it allows nothing. */
  readonly misconfigured: boolean;
  /** What is wrong with the budget, or how many bindings were available. */
  readonly message: string;
}

/**
 * What the budget allows while the placement has these bindings. A cluster that is not counted is not managed any more: it counts
 * neither as available nor as missing.
 */
export function allowanceOf(
  of: Counting & {
    readonly work: PlacementWork;
    readonly bindings: readonly BindingStep[];
    readonly budget: PlacementBudget;
  },
): Allowance {
  const { work, bindings, budget } = of;
  if (budget === undefined) return unlimited;
  const verdictOn = verdictsOf(work, budget);
  const at = (count: BindingCount): Allowance => ({
    verdict: verdictOn(count),
    after(before, after) {
      const [was, is] = [countBindings(before, of), countBindings(after, of)];
      return at({
        total: count.total - was.total + is.total,
        available: count.available - was.available + is.available,
      });
    },
  });
  return at(countBindings(bindings, of));
}

export const unlimited: Allowance = {
  verdict: { allowed: true, misconfigured: false, message: 'no disruption budget' },
  after: () => unlimited,
};

/** Percentages are of the desired clusters and round up. An empty or invalid budget allows nothing. */
function verdictsOf(
  work: PlacementWork,
  budget: Exclude<PlacementBudget, undefined>,
): (count: BindingCount) => BudgetVerdict {
  const always = (verdict: BudgetVerdict) => () => verdict;
  const misconfigured = (message: string) => always({ allowed: false, misconfigured: true, message });
  if (budget === 'invalid') return misconfigured('its file is not valid: the budget blocks until it is fixed');
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
 * Whether the removal or change of a binding needs the budget. It does not where nothing was sent, where the cluster has failed, or
 * under ReportDiff. A binding of unknown availability needs it, since it may be available.
 */
export const needsBudget = (binding: Binding): boolean =>
  wasBound(binding) && !hasFailed(binding) && currentCondition(binding, 'DiffReported') === undefined;

function budgetFault(work: PlacementWork, { spec }: DisruptionBudget): string | undefined {
  const { maxUnavailable, minAvailable } = spec;
  if (maxUnavailable === undefined && minAvailable === undefined)
    return 'it sets neither maxUnavailable nor minAvailable, so it allows nothing';
  if (maxUnavailable !== undefined && minAvailable !== undefined)
    return 'it sets both maxUnavailable and minAvailable; it allows nothing until one is removed';
  const value = maxUnavailable ?? minAvailable;
  if (!isValid(value))
    return `its value ${JSON.stringify(value)} is neither a number of 0 or more nor a percentage, so it allows nothing`;
  if (work.placement.spec.policy.placementType !== 'PickAll') return undefined;
  if (maxUnavailable !== undefined) return 'maxUnavailable is not allowed for a PickAll placement';
  return typeof minAvailable === 'string' && minAvailable.endsWith('%')
    ? 'minAvailable as a percentage is not allowed for a PickAll placement'
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

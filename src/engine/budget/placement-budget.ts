import type { DisruptionBudget } from '../../api/disruption-budget.ts';
import type { ObjectRef } from '../../api/meta.ts';
import type { PlacementRef } from '../../api/placement.ts';

/** Undefined = none. An invalid budget blocks, like one that allows nothing. */
export type PlacementBudget = DisruptionBudget | 'invalid' | undefined;

/** The budgets of a fleet. */
export interface Budgets {
  readonly budgets: readonly DisruptionBudget[];
  /** Objects whose file is invalid. */
  readonly refused: readonly ObjectRef[];
}

/** The disruption budget of a placement: the one with its name. Only cluster-scoped placements have one. */
export function placementBudget(
  { kind, name }: Pick<PlacementRef, 'kind' | 'name'>,
  { budgets, refused }: Budgets,
): PlacementBudget {
  if (kind !== 'ClusterResourcePlacement') return undefined;
  const budget = budgets.find(({ metadata }) => metadata.name === name);
  if (budget) return budget;
  const isRefused = refused.some((ref) => ref.kind === 'ClusterResourcePlacementDisruptionBudget' && ref.name === name);
  return isRefused ? 'invalid' : undefined;
}

/** An annotation of budgets; `all` is the only value with an effect. */
export const budgetScopeAnnotation = 'gitfleet.dev/budget-scope';

/**
 * The budget if it applies to rollouts and update runs too (docs/compatibility.md). An invalid one may have had that scope, so
 * it applies.
 */
export const budgetOfRollouts = (budget: PlacementBudget): PlacementBudget =>
  budget === 'invalid' || budget?.metadata.annotations?.[budgetScopeAnnotation] === 'all' ? budget : undefined;

import type { DisruptionBudget } from '../../api/disruption-budget.ts';
import type { ObjectRef } from '../../api/meta.ts';
import type { PlacementRef } from '../../api/placement.ts';

/** Undefined = none. One that cannot be read is no licence: it blocks like one that allows nothing. */
export type PlacementBudget = DisruptionBudget | 'invalid' | undefined;

/** Where budgets are found. */
export interface Budgets {
  readonly budgets: readonly DisruptionBudget[];
  /** Objects whose file is invalid. */
  readonly refused: readonly ObjectRef[];
}

/** The disruption budget of a placement: the one of its name; only placements of cluster scope have any. */
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

/** On a budget; `all` is the only value that means something. */
export const budgetScopeAnnotation = 'gitfleet.dev/budget-scope';

/**
 * The budget if it binds rollouts and update runs too (docs/compatibility.md). One that cannot be read may
 * have said so.
 */
export const budgetOfRollouts = (budget: PlacementBudget): PlacementBudget =>
  budget === 'invalid' || budget?.metadata.annotations?.[budgetScopeAnnotation] === 'all' ? budget : undefined;

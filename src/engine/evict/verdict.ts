import type { DisruptionBudget } from '../../api/eviction.ts';
import type { ClusterName } from '../../api/meta.ts';
import { currentCondition, hasFailed } from '../staged/binding-progress.ts';
import type { PlacementWork } from '../working.ts';
import { budgetAllows } from './budget.ts';

export type Verdict =
  /** `refusedByWebhook`: KubeFleet would not even have let the object in, so its file is at fault. */
  | { readonly kind: 'invalid'; readonly message: string; readonly refusedByWebhook: boolean }
  | { readonly kind: 'blocked'; readonly message: string }
  /** `remove`: the binding is to go; false where it is going already. */
  | { readonly kind: 'executed'; readonly message: string; readonly remove: boolean };

/** A budget that cannot be read is no licence: it blocks like one that allows nothing. */
export type BudgetInForce = DisruptionBudget | 'invalid' | undefined;

/**
 * What becomes of an eviction, in KubeFleet's order of decision
 * (clusterresourceplacementeviction/controller.go, validateEviction and executeEviction).
 */
export function judge(request: {
  readonly placementName: string;
  readonly clusterName: ClusterName;
  readonly work: PlacementWork | undefined;
  /** The placement's file is gone; `work`, where there still is one, only cleans up. */
  readonly isDeleted: boolean;
  readonly budget: BudgetInForce;
}): Verdict {
  const { placementName, clusterName, work, isDeleted, budget } = request;
  if (isDeleted) return invalid(`ClusterResourcePlacement ${placementName} is being deleted`, true);
  if (work === undefined) return invalid(`there is no ClusterResourcePlacement ${placementName}`);
  const { placement } = work;
  if (placement.metadata.deletionTimestamp != null)
    return invalid(`ClusterResourcePlacement ${placementName} is being deleted`, true);
  if (placement.spec.policy.placementType === 'PickFixed')
    return invalid(
      `ClusterResourcePlacement ${placementName} has policy PickFixed: take ${clusterName} off its list instead`,
      true,
    );
  const bindings = work.bindings.map(({ binding }) => binding).filter((it) => it.targetCluster === clusterName);
  const [binding, second] = bindings;
  if (second) return invalid(`${placementName} has more than one binding on ${clusterName}`);
  if (binding === undefined) return invalid(`${placementName} has no binding on ${clusterName}`);

  if (binding.deleting) return executed('the binding is being removed already', false);
  const { state, previousState } = binding;
  if (state === 'Scheduled' || (state === 'Unscheduled' && previousState !== 'Bound'))
    return { kind: 'blocked', message: `${placementName} has not been placed on ${clusterName}` };
  if (hasFailed(binding) || currentCondition(binding, 'DiffReported'))
    return executed(`${placementName} has failed on ${clusterName}: the disruption budget does not protect it`);
  if (budget === undefined) return executed('there is no disruption budget');
  if (budget === 'invalid')
    return { kind: 'blocked', message: 'the disruption budget is not valid: it blocks until its file is mended' };
  const { allowed, message } = budgetAllows(work, budget);
  return allowed
    ? executed(`the disruption budget allows it: ${message}`)
    : { kind: 'blocked', message: `blocked by the disruption budget: ${message}` };
}

const invalid = (message: string, refusedByWebhook = false): Verdict => ({
  kind: 'invalid',
  message,
  refusedByWebhook,
});
const executed = (message: string, remove = true): Verdict => ({ kind: 'executed', message, remove });

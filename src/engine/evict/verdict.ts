import type { ClusterName } from '../../api/meta.ts';
import { allowanceOf, needsBudget } from '../budget/allowance.ts';
import type { PlacementBudget } from '../budget/placement-budget.ts';
import { wasBound } from '../placement/bindings.ts';
import type { PlacementWork } from '../placement-work.ts';

export type Verdict =
  /** `refusedByWebhook`: KubeFleet's webhook would have rejected the object, so its file is at fault. */
  | { readonly kind: 'invalid'; readonly message: string; readonly refusedByWebhook: boolean }
  | { readonly kind: 'blocked'; readonly message: string }
  /** Nothing but the status branch claims that the placement has failed there, and only that would allow it. */
  | { readonly kind: 'unconfirmed' }
  /** `remove`: the binding is to be removed; false where its removal has started already. */
  | { readonly kind: 'executed'; readonly message: string; readonly remove: boolean };

/**
 * Decides on an eviction, in KubeFleet's order
 * (clusterresourceplacementeviction/controller.go, validateEviction, executeEviction and, for what budget/allowance.ts
 * allows, isEvictionAllowed).
 */
export function decideEviction(request: {
  readonly clusterName: ClusterName;
  readonly work: PlacementWork | undefined;
  /** The placement's file is removed; `work`, if present, only cleans up. */
  readonly isDeleted: boolean;
  readonly budget: PlacementBudget;
  readonly inFleet: (cluster: ClusterName) => boolean;
  readonly isUnavailable: (cluster: ClusterName) => boolean;
  /** The cluster does not show what its binding claims. */
  readonly isUnproven: boolean;
}): Verdict {
  const { clusterName, work, isDeleted, budget, inFleet, isUnavailable, isUnproven } = request;
  if (isDeleted) return invalid(messages.deleting, true);
  if (work === undefined) return invalid(messages.missing);
  const { placement } = work;
  if (placement.spec.policy.placementType === 'PickFixed') return invalid(messages.pickFixed, true);
  const bindings = work.bindings.map(({ binding }) => binding).filter((it) => it.targetCluster === clusterName);
  const [binding, second] = bindings;
  if (second) return invalid(messages.manyBindings);
  if (binding === undefined) return invalid(messages.noBinding);

  if (binding.deleting) return executed(messages.beingRemoved, false);
  if (!wasBound(binding)) return { kind: 'blocked', message: messages.notPlacedYet };
  if (!needsBudget(binding)) return isUnproven && budget ? { kind: 'unconfirmed' } : executed(messages.failed, true);
  if (budget === undefined) return executed(messages.noBudget, true);
  const { allowed, misconfigured, message } = allowanceOf({
    work,
    bindings: work.bindings,
    budget,
    isCounted: inFleet,
    isUnavailable,
  }).verdict;
  if (misconfigured) return { kind: 'blocked', message: `${messages.misconfigured}: ${message}` };
  return allowed
    ? executed(`${messages.allowedByBudget}, ${message}`, true)
    : { kind: 'blocked', message: `${messages.blockedByBudget}, ${message}` };
}

/** KubeFleet's messages (pkg/utils/condition/reason.go), since scripts read them. The causes are ours. */
const messages = {
  missing: 'Failed to find ClusterResourcePlacement targeted by eviction',
  deleting: 'Found deleting ClusterResourcePlacement targeted by eviction',
  pickFixed: 'Found ClusterResourcePlacement with PickFixed placement type targeted by eviction',
  noBinding: 'Failed to find scheduler decision for placement in cluster targeted by eviction',
  manyBindings: 'Found more than one scheduler decision for placement in cluster targeted by eviction',
  beingRemoved:
    'Eviction is allowed, resources propagated by placement is currently being removed from cluster targeted by eviction',
  notPlacedYet: 'Eviction is blocked, placement has not propagated resources to target cluster yet',
  failed: 'Eviction is allowed, placement has failed',
  noBudget: 'Eviction is allowed, no ClusterResourcePlacementDisruptionBudget specified',
  allowedByBudget: 'Eviction is allowed by specified ClusterResourcePlacementDisruptionBudget',
  blockedByBudget: 'Eviction is blocked by specified ClusterResourcePlacementDisruptionBudget',
  misconfigured: 'Eviction is blocked by misconfigured ClusterResourcePlacementDisruptionBudget',
} as const;

const invalid = (message: string, refusedByWebhook = false): Verdict => ({
  kind: 'invalid',
  message,
  refusedByWebhook,
});
const executed = (message: string, remove: boolean): Verdict => ({ kind: 'executed', message, remove });

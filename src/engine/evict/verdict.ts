import type { ClusterName } from '../../api/meta.ts';
import { allowanceOf, needsBudget } from '../budget/allowance.ts';
import type { PlacementBudget } from '../budget/placement-budget.ts';
import { wasBound } from '../placement/bindings.ts';
import type { PlacementWork } from '../placement-work.ts';

export type Verdict =
  /** `refusedByWebhook`: KubeFleet would not even have let the object in, so its file is at fault. */
  | { readonly kind: 'invalid'; readonly message: string; readonly refusedByWebhook: boolean }
  | { readonly kind: 'blocked'; readonly message: string }
  /** `remove`: the binding is to go; false where it is going already. */
  | { readonly kind: 'executed'; readonly message: string; readonly remove: boolean };

/**
 * What becomes of an eviction, in KubeFleet's order of decision
 * (clusterresourceplacementeviction/controller.go, validateEviction and executeEviction).
 */
export function judge(request: {
  readonly clusterName: ClusterName;
  readonly work: PlacementWork | undefined;
  /** The placement's file is gone; `work`, where there still is one, only cleans up. */
  readonly isDeleted: boolean;
  readonly budget: PlacementBudget;
  readonly inFleet: (cluster: ClusterName) => boolean;
}): Verdict {
  const { clusterName, work, isDeleted, budget, inFleet } = request;
  if (isDeleted) return invalid(said.deleting, true);
  if (work === undefined) return invalid(said.missing);
  const { placement } = work;
  if (placement.spec.policy.placementType === 'PickFixed') return invalid(said.pickFixed, true);
  const bindings = work.bindings.map(({ binding }) => binding).filter((it) => it.targetCluster === clusterName);
  const [binding, second] = bindings;
  if (second) return invalid(said.manyBindings);
  if (binding === undefined) return invalid(said.noBinding);

  if (binding.deleting) return executed(said.beingRemoved, false);
  if (!wasBound(binding)) return { kind: 'blocked', message: said.notPlacedYet };
  if (!needsBudget(binding)) return executed(said.failed);
  if (budget === undefined) return executed(said.noBudget);
  const { allowed, misconfigured, message } = allowanceOf({
    work,
    bindings: work.bindings,
    budget,
    isCounted: inFleet,
  }).verdict;
  if (misconfigured) return { kind: 'blocked', message: `${said.misconfigured}: ${message}` };
  return allowed
    ? executed(`${said.allowedByBudget}, ${message}`)
    : { kind: 'blocked', message: `${said.blockedByBudget}, ${message}` };
}

/** KubeFleet's words (pkg/utils/condition/reason.go): scripts read them. The causes are ours. */
const said = {
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
const executed = (message: string, remove = true): Verdict => ({ kind: 'executed', message, remove });

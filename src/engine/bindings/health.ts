import type { Condition } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import { findCondition } from '../kernel/condition.ts';

/** A condition of the binding's present generation; without generations every condition counts. */
export function currentCondition(binding: Binding, type: string): Condition | undefined {
  const condition = findCondition(binding.conditions, type);
  const { observedGeneration: generation } = binding;
  if (condition?.observedGeneration === undefined || generation === undefined) return condition;
  return condition.observedGeneration === generation ? condition : undefined;
}

/** Steps of a rollout on a cluster that objects are applied to, in order; a condition is False where the rollout is stuck. */
export const deliverySteps = ['Overridden', 'WorkSynchronized', 'Applied', 'Available'] as const;

/** Reasons that do not count as failure (KubeFleet pkg/utils/binding; they are a placement's, so bindings rarely have them). */
const pending: ReadonlySet<string> = new Set([
  'OverriddenPending',
  'WorkNotSynchronizedYet',
  'ApplyPending',
  'ResourceNotAvailableYet',
]);

/** KubeFleet's HasBindingFailed: one of the four conditions is False for a reason other than waiting. */
export const hasFailed = (binding: Binding): boolean =>
  deliverySteps.some((type) => {
    const condition = currentCondition(binding, type);
    return condition?.status === 'False' && !pending.has(condition.reason);
  });

/** KubeFleet's reasons with which a condition of a binding is False until the member is done with it (work generator). */
const underway: ReadonlySet<string> = new Set(['ApplyInProgress', 'DiffReportInProgress']);

/** False, but nothing failed so far: the resources are being applied or compared. */
export const isInProgress = (condition: Pick<Condition, 'status' | 'reason'> | undefined): boolean =>
  condition?.status === 'False' && underway.has(condition.reason);

/** KubeFleet's reasons of an `Available` that is True: of a binding (work generator), and of a Work that a state may quote. */
const untrackable: ReadonlySet<string> = new Set(['NotAllWorkAreAvailabilityTrackable', 'WorkNotTrackable']);

/** Whether an `Available` that is True covers resources that cannot be tracked: they were applied, and count as ready after a time. */
export const isUntrackable = ({ reason }: Condition): boolean => untrackable.has(reason);

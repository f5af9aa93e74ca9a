import type { Condition } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import { findCondition } from '../kernel/condition.ts';

/** A condition that speaks of the binding as it is now; without generations every condition does. */
export function currentCondition(binding: Binding, type: string): Condition | undefined {
  const condition = findCondition(binding.conditions, type);
  const { observedGeneration: generation } = binding;
  if (condition?.observedGeneration === undefined || generation === undefined) return condition;
  return condition.observedGeneration === generation ? condition : undefined;
}

/** What comes of a rollout on a cluster that it applies something on, in order; each is False where it got stuck. */
export const deliverySteps = ['Overridden', 'WorkSynchronized', 'Applied', 'Available'] as const;

/** Reasons that do not count as failure (KubeFleet pkg/utils/binding; they are the placement's, so bindings rarely carry them). */
const pending: ReadonlySet<string> = new Set([
  'OverriddenPending',
  'WorkNotSynchronizedYet',
  'ApplyPending',
  'ResourceNotAvailableYet',
]);

/** KubeFleet's HasBindingFailed: one of the four conditions is False for a reason that is not mere waiting. */
export const hasFailed = (binding: Binding): boolean =>
  deliverySteps.some((type) => {
    const condition = currentCondition(binding, type);
    return condition?.status === 'False' && !pending.has(condition.reason);
  });

/** KubeFleet's reasons of an `Available` that is True: of a binding (work generator), and of a Work that a state may quote. */
const untrackable: ReadonlySet<string> = new Set(['NotAllWorkAreAvailabilityTrackable', 'WorkNotTrackable']);

/** Whether an `Available` that is True says no more of some resources than that they were applied: time alone makes them ready. */
export const isUntrackable = ({ reason }: Condition): boolean => untrackable.has(reason);

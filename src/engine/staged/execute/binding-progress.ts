import type { Condition, Timestamp } from '../../../api/meta.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { findCondition } from '../../kernel/condition.ts';
import { formatInstant, parseInstant } from '../../kernel/instant.ts';

/** A condition that speaks of the binding as it is now; without generations every condition does. */
export function currentCondition(binding: Binding, type: string): Condition | undefined {
  const condition = findCondition(binding.conditions, type);
  const { observedGeneration: generation } = binding;
  if (condition?.observedGeneration === undefined || generation === undefined) return condition;
  return condition.observedGeneration === generation ? condition : undefined;
}

/** Reasons that do not count as failure (KubeFleet pkg/utils/binding; they are the placement's, so bindings rarely carry them). */
const pending = new Set(['OverriddenPending', 'WorkNotSynchronizedYet', 'ApplyPending', 'ResourceNotAvailableYet']);

/** KubeFleet's HasBindingFailed: one of the four conditions is False for a reason that is not mere waiting. */
export const hasFailed = (binding: Binding): boolean =>
  ['Overridden', 'WorkSynchronized', 'Applied', 'Available'].some((type) => {
    const condition = currentCondition(binding, type);
    return condition?.status === 'False' && !pending.has(condition.reason);
  });

export type Progress =
  | { readonly kind: 'succeeded' }
  /** Untrackable resources: taken as available at `until` (docs/compatibility.md; KubeFleet's runs do not wait). */
  | { readonly kind: 'settling'; readonly until: Timestamp }
  /** Never ends a run by itself. `failing`: some condition is False. */
  | { readonly kind: 'updating'; readonly failing: string | undefined };

const untrackable = new Set(['NotAllWorkAreAvailabilityTrackable', 'WorkNotTrackable']);

/** Whether an updated cluster is done (KubeFleet updaterun/execution.go, checkClusterUpdateResult). `periodMs`: unavailablePeriodSeconds. */
export function progressOf(binding: Binding, now: Timestamp, periodMs: number): Progress {
  const diff = currentCondition(binding, 'DiffReported');
  if (diff?.status === 'True') return { kind: 'succeeded' };
  const available = currentCondition(binding, 'Available');
  if (available?.status === 'True') {
    if (!untrackable.has(available.reason)) return { kind: 'succeeded' };
    const since = parseInstant(available.lastTransitionTime ?? '');
    if (since === undefined || since + periodMs <= (parseInstant(now) ?? 0)) return { kind: 'succeeded' };
    return { kind: 'settling', until: formatInstant(since + periodMs) };
  }
  const failing =
    diff?.status === 'False'
      ? diff
      : hasFailed(binding)
        ? ['Overridden', 'WorkSynchronized', 'Applied', 'Available']
            .map((type) => currentCondition(binding, type))
            .find((condition) => condition?.status === 'False')
        : undefined;
  return { kind: 'updating', failing: failing ? `${failing.type} is False (${failing.reason})` : undefined };
}

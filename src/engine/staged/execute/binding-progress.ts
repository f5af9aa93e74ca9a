import type { Timestamp } from '../../../api/meta.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { currentCondition, deliverySteps, hasFailed, isUntrackable } from '../../bindings/health.ts';
import { formatInstant, parseInstant } from '../../kernel/instant.ts';

export type Progress =
  | { readonly kind: 'succeeded' }
  /** Untrackable resources: taken as available at `until` (docs/compatibility.md; KubeFleet's runs do not wait). */
  | { readonly kind: 'settling'; readonly until: Timestamp }
  /** Never ends a run by itself. `failing`: some condition is False. */
  | { readonly kind: 'updating'; readonly failing: string | undefined };

/**
 * Whether an updated cluster is done (KubeFleet updaterun/execution.go, checkClusterUpdateResult). `periodMs`:
 * unavailablePeriodSeconds.
 */
export function progressOf(binding: Binding, now: Timestamp, periodMs: number): Progress {
  const diff = currentCondition(binding, 'DiffReported');
  if (diff?.status === 'True') return { kind: 'succeeded' };
  const available = currentCondition(binding, 'Available');
  if (available?.status === 'True') {
    if (!isUntrackable(available)) return { kind: 'succeeded' };
    const since = parseInstant(available.lastTransitionTime ?? '');
    if (since === undefined || since + periodMs <= (parseInstant(now) ?? 0)) return { kind: 'succeeded' };
    return { kind: 'settling', until: formatInstant(since + periodMs) };
  }
  const failing =
    diff?.status === 'False'
      ? diff
      : hasFailed(binding)
        ? deliverySteps
            .map((type) => currentCondition(binding, type))
            .find((condition) => condition?.status === 'False')
        : undefined;
  return { kind: 'updating', failing: failing ? `${failing.type} is False (${failing.reason})` : undefined };
}

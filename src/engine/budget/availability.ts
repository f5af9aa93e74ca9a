import type { ClusterName } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import { currentCondition, isUntrackable } from '../bindings/health.ts';
import { type Instant, parseInstant } from '../kernel/instant.ts';
import type { BindingStep } from '../placement-work.ts';

/**
 * What a disruption budget counts as available, as in KubeFleet (allowance.ts). Resources that cannot be tracked count from
 * the start.
 */
export const isAvailable = (binding: Binding): boolean =>
  !binding.deleting && currentCondition(binding, 'Available')?.status === 'True';

/** Bindings of a placement that a budget counts, and how many of them are available. */
export interface BindingCount {
  readonly total: number;
  readonly available: number;
}

/** Which clusters a budget counts, and which of them as unavailable whatever their bindings are. */
export interface Counting {
  readonly isCounted: (cluster: ClusterName) => boolean;
  readonly isUnavailable: (cluster: ClusterName) => boolean;
}

/** All bindings on counted clusters, whatever their state; one being removed is not available. */
export function countBindings(bindings: readonly BindingStep[], { isCounted, isUnavailable }: Counting): BindingCount {
  const counted = bindings.filter(({ binding }) => isCounted(binding.targetCluster));
  const available = counted.filter(({ binding }) => isAvailable(binding) && !isUnavailable(binding.targetCluster));
  return { total: counted.length, available: available.length };
}

export type Readiness =
  | { readonly kind: 'ready' }
  /** Resources that cannot be tracked count as available once the period since they were applied is over. */
  | { readonly kind: 'settling'; readonly until: Instant }
  /** Time alone does not make it ready. */
  | { readonly kind: 'not-ready' };

/** The unavailablePeriodSeconds, and whether it is over at its last instant (KubeFleet's rollouts compare strictly). */
export interface UnavailablePeriod {
  readonly now: Instant;
  readonly ms: number;
  readonly isOverAtItsEnd: boolean;
}

/**
 * Whether a cluster is ready after a change, for a rollout or a stage of a run (KubeFleet rollout/controller.go, isBindingReady;
 * updaterun/execution.go, checkClusterUpdateResult). Under ReportDiff a cluster is ready once it has reported.
 */
export function readinessOf(binding: Binding, { now, ms, isOverAtItsEnd }: UnavailablePeriod): Readiness {
  if (currentCondition(binding, 'DiffReported')?.status === 'True') return { kind: 'ready' };
  const available = currentCondition(binding, 'Available');
  if (available?.status !== 'True') return { kind: 'not-ready' };
  const since = isUntrackable(available) ? parseInstant(available.lastTransitionTime ?? '') : undefined;
  if (since === undefined) return { kind: 'ready' };
  const end = since + ms + (isOverAtItsEnd ? 0 : 1);
  return end <= now ? { kind: 'ready' } : { kind: 'settling', until: since + ms };
}

import type { Binding } from '../../api/placement-state.ts';
import { currentCondition, hasFailed } from '../bindings/health.ts';
import { type Readiness, readinessOf, type UnavailablePeriod } from '../budget/availability.ts';
import type { Instant } from '../kernel/instant.ts';
import type { BindingStep } from '../placement-work.ts';

/** What a rollout may do with a binding (KubeFleet rollout/controller.go, pickBindingsToRoll). */
export type Candidate =
  /** Unscheduled: to be removed. */
  | 'remove'
  /** Scheduled: to be bound. */
  | 'bind'
  /** Bound and out of date. */
  | 'update'
  /** Bound, out of date and failed on what it has: moved without spending any budget. */
  | 'updateFailed'
  /** Nothing: up to date, or on its way out. */
  | 'none';

export interface Classified {
  readonly step: BindingStep;
  readonly candidate: Candidate;
  readonly ready: boolean;
  /** Ready, or may become so: what counts against maxSurge. */
  readonly canBeReady: boolean;
  /** Ready and already being deleted. */
  readonly canBeUnavailable: boolean;
  /** When an untrackable binding becomes ready by time alone; one on its way out frees nothing by that. */
  readonly readyAt: Instant | undefined;
  /** Bindings on their way out that it takes the place of, the moment it is bound. */
  readonly replaces?: readonly BindingStep[];
}

/** Sorts one binding by what a rollout may do with it. `isOutOfDate` is asked about Bound ones. */
export function classify(
  step: BindingStep,
  isOutOfDate: (binding: Binding) => boolean,
  period: UnavailablePeriod,
): Classified {
  const { binding } = step;
  const holds = binding.state === 'Bound' || binding.state === 'Unscheduled';
  const readiness = holds ? readinessOf(binding, period) : ({ kind: 'not-ready' } satisfies Readiness);
  const ready = readiness.kind === 'ready';
  const failed = hasFailed(binding);
  return {
    step,
    candidate: candidateOf(binding, failed, isOutOfDate),
    ready,
    canBeReady: holds && !failed && currentCondition(binding, 'DiffReported') === undefined,
    canBeUnavailable: holds && binding.deleting === true && ready,
    // KubeFleet compares strictly: at the very end of the period the cluster still waits.
    readyAt: binding.deleting || readiness.kind !== 'settling' ? undefined : Math.max(readiness.until, period.now + 1),
  };
}

function candidateOf(binding: Binding, failed: boolean, isOutOfDate: (binding: Binding) => boolean): Candidate {
  if (binding.deleting) return 'none';
  if (binding.state === 'Unscheduled') return 'remove';
  if (binding.state === 'Scheduled') return 'bind';
  if (!isOutOfDate(binding)) return 'none';
  return failed ? 'updateFailed' : 'update';
}

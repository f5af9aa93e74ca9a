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
  /** Bound, out of date and failed with its present version: moved without any budget. */
  | 'updateFailed'
  /** Nothing: up to date, or being removed. */
  | 'none';

export interface Classified {
  readonly step: BindingStep;
  readonly candidate: Candidate;
  readonly ready: boolean;
  /** Ready, or may become ready: counts against maxSurge. */
  readonly canBeReady: boolean;
  /** Ready and already being deleted. */
  readonly canBeUnavailable: boolean;
  /** When an untrackable binding becomes ready by time alone; undefined for one that is being removed. */
  readonly readyAt: Instant | undefined;
  /** Bindings being removed that it replaces as soon as it is bound. */
  readonly replaces?: readonly BindingStep[];
}

/** Classifies one binding by what a rollout may do with it. `isOutOfDate` is called for Bound ones. */
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

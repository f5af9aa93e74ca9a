import { at, listAt, numberAt, textAt } from '../../../engine/kernel/at.ts';
import type { Stored } from '../../object.ts';
import { isFinished } from '../../pod-phase.ts';

/** The pods of a Job by state. */
export interface JobCount {
  readonly active: readonly Stored[];
  readonly terminating: readonly Stored[];
  readonly failed: readonly Stored[];
  readonly succeeded: number;
  /** Desired number of active pods. */
  readonly wanted: number;
}

export function countJob(job: Stored, pods: readonly Stored[]): JobCount {
  const inPhase = (phase: string) => pods.filter((pod) => textAt(pod, 'status', 'phase') === phase);
  const unfinished = pods.filter((pod) => !isFinished(pod));
  const active = unfinished.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const succeeded = inPhase('Succeeded').length;
  return {
    active,
    terminating: unfinished.filter((pod) => !active.includes(pod)),
    failed: inPhase('Failed'),
    succeeded,
    wanted: wantedOf(job, active.length, succeeded),
  };
}

function wantedOf(job: Stored, active: number, succeeded: number): number {
  if (at(job, 'spec', 'suspend') === true) return 0;
  const parallelism = numberAt(job, 'spec', 'parallelism');
  const completions = at(job, 'spec', 'completions');
  if (typeof completions === 'number') return Math.max(0, Math.min(parallelism, completions - succeeded));
  // Without completions one success completes the Job: the others finish, and none is started.
  return succeeded > 0 ? active : parallelism;
}

/** Ten seconds after the first failure, twice as long after each further one, at most ten minutes (job/backoff_utils.go). */
const firstPauseMs = 10_000;
const longestPauseMs = 600_000;

/** Milliseconds until the next pod may be started; 0 = now. */
export function pauseMs({ failed }: JobCount, now: number): number {
  if (failed.length === 0) return 0;
  const last = Math.max(...failed.map(failedAt));
  return Math.max(0, last + Math.min(longestPauseMs, firstPauseMs * 2 ** (failed.length - 1)) - now);
}

const failedAt = (pod: Stored): number =>
  Math.max(
    ...listAt(pod, 'status', 'containerStatuses').map((status) =>
      Date.parse(textAt(status, 'state', 'terminated', 'finishedAt')),
    ),
  );

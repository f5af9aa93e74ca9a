import { at, fieldsAt, listAt, numberAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import type { Fields } from '../../schema/schema.ts';
import { type Condition, isTrue, withCondition } from '../conditions.ts';
import { present } from '../deployments/replica-sets.ts';
import type { JobCount } from './count.ts';

/** The status of a Job. */
export interface Verdict {
  readonly state: 'running' | 'suspended' | 'complete' | 'failed';
  readonly reason: string;
  readonly message: string;
  /** When it changes by time alone. */
  readonly nextMs: number | undefined;
}

export const isOver = (job: Stored): boolean => isTrue(job, 'Complete') || isTrue(job, 'Failed');

/** When a Job finished, in milliseconds. */
export function endedAt(job: Stored): number {
  const end = listAt(job, 'status', 'conditions').find(
    (item) => ['Complete', 'Failed'].includes(textAt(item, 'type')) && textAt(item, 'status') === 'True',
  );
  return Date.parse(textAt(end, 'lastTransitionTime'));
}

export function verdictOf(cluster: Cluster, job: Stored, count: JobCount): Verdict {
  const verdict = (state: Verdict['state'], reason: string, message: string, nextMs?: number): Verdict => ({
    state,
    reason,
    message,
    nextMs,
  });
  if (failedTooOften(job, count))
    return verdict('failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  const left = timeLeft(cluster, job);
  if (left !== undefined && left <= 0)
    return verdict('failed', 'DeadlineExceeded', 'Job was active longer than specified deadline');
  const completions = at(job, 'spec', 'completions');
  const complete =
    typeof completions === 'number'
      ? count.succeeded >= completions
      : count.succeeded > 0 && count.active.length + count.terminating.length === 0;
  if (complete) return verdict('complete', 'CompletionsReached', 'Reached expected number of succeeded pods');
  if (at(job, 'spec', 'suspend') === true) return verdict('suspended', 'JobSuspended', 'Job suspended');
  return verdict('running', 'JobResumed', 'Job resumed', left);
}

/** Whether failed pods, or restarts in place, exceed the back-off limit. */
function failedTooOften(job: Stored, { failed, active }: JobCount): boolean {
  const limit = numberAt(job, 'spec', 'backoffLimit');
  if (failed.length > limit) return true;
  if (textAt(job, 'spec', 'template', 'spec', 'restartPolicy') !== 'OnFailure') return false;
  const statuses = active.flatMap((pod) => listAt(pod, 'status', 'containerStatuses'));
  const restarts = statuses.reduce((sum: number, status) => sum + numberAt(status, 'restartCount'), 0);
  return restarts >= Math.max(1, limit);
}

function timeLeft(cluster: Cluster, job: Stored): number | undefined {
  const seconds = at(job, 'spec', 'activeDeadlineSeconds');
  const start = at(job, 'status', 'startTime');
  if (typeof seconds !== 'number' || typeof start !== 'string') return undefined;
  return Date.parse(start) + seconds * 1000 - cluster.clock.now();
}

export function jobStatus(cluster: Cluster, job: Stored, count: JobCount, verdict: Verdict): Fields {
  const { startTime: before } = fieldsAt(job, 'status');
  const startTime = verdict.state === 'suspended' ? undefined : (before ?? cluster.timestamp());
  return {
    ...(startTime === undefined ? {} : { startTime }),
    ...(verdict.state === 'complete' ? { completionTime: cluster.timestamp() } : {}),
    ...present({ active: count.active.length, succeeded: count.succeeded, failed: count.failed.length }),
    ready: count.active.filter((pod) => isTrue(pod, 'Ready')).length,
    terminating: count.terminating.length,
    uncountedTerminatedPods: {},
    ...conditionsOf(cluster, job, verdict),
  };
}

function conditionsOf(cluster: Cluster, job: Stored, { state, reason, message }: Verdict): Fields {
  const types = {
    running: isTrue(job, 'Suspended') ? [['Suspended', 'False']] : [],
    suspended: isTrue(job, 'Suspended') ? [] : [['Suspended', 'True']],
    // The condition of the end is set before the last pod is gone, as in Kubernetes.
    complete: [
      ['SuccessCriteriaMet', 'True'],
      ['Complete', 'True'],
    ],
    failed: [
      ['FailureTarget', 'True'],
      ['Failed', 'True'],
    ],
  }[state];
  let updated = job;
  for (const [type = '', status] of types) {
    const condition = { type, status: status as Condition['status'], reason, message };
    const conditions = withCondition(cluster, updated, condition, { lastProbeTime: cluster.timestamp() });
    updated = { ...updated, status: { ...fieldsAt(updated, 'status'), conditions } };
  }
  const conditions = listAt(updated, 'status', 'conditions');
  return conditions.length > 0 ? { conditions } : {};
}

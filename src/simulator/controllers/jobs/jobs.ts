import { at, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import { remove } from '../../storage/remove.ts';
import { writeStatus } from '../../storage/write.ts';
import { later, runController } from '../controller.ts';
import { recordEvent } from '../events.ts';
import { makePod } from '../make-object.ts';
import { adopt } from '../owners/adopt.ts';
import type { Dependents } from '../owners/dependents.ts';
import { countJob, type JobCount, pauseMs } from './count.ts';
import { endedAt, isOver, jobStatus, type Verdict, verdictOf } from './status.ts';

const key = 'batch/jobs';

/** Runs the pods of Jobs until enough of them have succeeded or too many have failed (job/job_controller.go). */
export function runJobs(cluster: Cluster, dependents: Dependents): void {
  const kind = cluster.registry.stored(key)!;
  const podKind = cluster.registry.stored('/pods')!;

  function reconcile(job: Stored): void {
    if (textAt(job, 'spec', 'managedBy') !== '') return;
    if (isOver(job)) {
      expire(job);
      return;
    }
    adopt(cluster, dependents, job, '/pods');
    const count = () => countJob(job, dependents.controlled(job, '/pods'));
    const verdict = verdictOf(cluster, job, count());
    const wait = job.metadata.deletionTimestamp === undefined ? act(job, count(), verdict) : undefined;
    const updated = writeStatus(cluster, kind, job, jobStatus(cluster, job, count(), verdict));
    const waits = [wait, verdict.nextMs].filter((ms) => ms !== undefined);
    later(cluster, key, updated, { ms: waits.length > 0 ? Math.min(...waits) : undefined, reconcile });
    if (isOver(updated)) expire(updated);
  }

  /** Starts and stops pods; returns the milliseconds after which a pod may be started again. */
  function act(job: Stored, count: JobCount, { state, reason, message }: Verdict): number | undefined {
    if (state !== 'running') {
      for (const pod of count.active) take(job, pod);
      if (state === 'complete') event(job, 'Normal', 'Completed', 'Job completed');
      if (state === 'failed') event(job, 'Warning', reason, message);
      return undefined;
    }
    for (const pod of count.active.slice(count.wanted)) take(job, pod);
    const missing = count.wanted - count.active.length - count.terminating.length;
    if (missing <= 0) return undefined;
    const wait = pauseMs(count, cluster.clock.now());
    if (wait > 0) return wait;
    for (let at = 0; at < missing; at++) make(job);
    return undefined;
  }

  function make(job: Stored): void {
    const pod = makePod(cluster, job, {});
    if (pod) event(job, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  }

  function take(job: Stored, pod: Stored): void {
    remove(cluster, podKind, pod, { propagation: 'Background' });
    event(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  }

  /** Deletes a finished Job after its ttlSecondsAfterFinished, if set. */
  function expire(job: Stored): void {
    const seconds = at(job, 'spec', 'ttlSecondsAfterFinished');
    if (typeof seconds !== 'number' || job.metadata.deletionTimestamp !== undefined) return;
    const left = endedAt(job) + seconds * 1000 - cluster.clock.now();
    if (left <= 0) remove(cluster, kind, job, { propagation: 'Foreground' });
    else later(cluster, key, job, { ms: left, reconcile });
  }

  const event = (job: Stored, type: 'Normal' | 'Warning', reason: string, message: string) =>
    recordEvent(cluster, job, { type, reason, message, from: 'job-controller' });

  runController(cluster, { key, makes: ['/pods'], reconcile });
}

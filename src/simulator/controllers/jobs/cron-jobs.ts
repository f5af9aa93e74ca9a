import { lastHit, nextHit, parseCron } from '../../../engine/window/cron.ts';
import type { Cluster } from '../../cluster.ts';
import { timestampOf } from '../../cluster.ts';
import { at, fieldsAt, numberAt, type Stored, textAt } from '../../object.ts';
import type { Fields } from '../../schema/schema.ts';
import { remove } from '../../storage/remove.ts';
import { writeStatus } from '../../storage/write.ts';
import { isTrue } from '../conditions.ts';
import { later, runController } from '../controller.ts';
import { recordEvent } from '../events.ts';
import { makeObject } from '../make-object.ts';
import type { Dependents } from '../owners/dependents.ts';
import { referenceTo } from '../owners/owner-reference.ts';
import { endedAt, isOver } from './status.ts';

const key = 'batch/cronjobs';
const jobKey = 'batch/jobs';

/** Makes a Job whenever the schedule of a CronJob says so (cronjob/cronjob_controllerv2.go). */
export function runCronJobs(cluster: Cluster, dependents: Dependents): void {
  const kind = cluster.registry.stored(key)!;
  const jobKind = cluster.registry.stored(jobKey)!;
  const now = () => cluster.clock.now();

  function reconcile(cron: Stored): void {
    if (cron.metadata.deletionTimestamp !== undefined) return;
    forget(cron, 'Complete', numberAt(cron, 'spec', 'successfulJobsHistoryLimit'));
    forget(cron, 'Failed', numberAt(cron, 'spec', 'failedJobsHistoryLimit'));
    const schedule = parseCron(textAt(cron, 'spec', 'schedule'));
    const zone = textAt(cron, 'spec', 'timeZone') || 'UTC';
    const suspended = at(cron, 'spec', 'suspend') === true;
    const due = schedule && !suspended ? lastDue(cron, lastHit(schedule, zone, now())) : undefined;
    report(cron, due !== undefined && start(cron, due) ? { lastScheduleTime: timestampOf(due) } : {});
    const next = suspended || !schedule ? undefined : nextHit(schedule, zone, now());
    const live = cluster.store.get(key, cron.metadata);
    if (live) later(cluster, key, live, { ms: next === undefined ? undefined : next - now(), reconcile });
  }

  /** The latest time that passed since the last Job, unless it is too late for it. */
  function lastDue(cron: Stored, hit: number | undefined): number | undefined {
    const deadline = at(cron, 'spec', 'startingDeadlineSeconds');
    const began = Date.parse(textAt(cron, 'status', 'lastScheduleTime') || cron.metadata.creationTimestamp);
    const earliest = typeof deadline === 'number' ? Math.max(began, now() - deadline * 1000) : began;
    return hit !== undefined && hit > earliest ? hit : undefined;
  }

  /** Whether this time counts as done. */
  function start(cron: Stored, due: number): boolean {
    const active = jobsOf(cron).filter((job) => !isOver(job));
    const policy = textAt(cron, 'spec', 'concurrencyPolicy');
    if (policy === 'Forbid' && active.length > 0) {
      tell(
        cron,
        'JobAlreadyActive',
        'Not starting job because prior execution is running and concurrency policy is Forbid',
      );
      return false;
    }
    if (policy === 'Replace') for (const job of active) remove(cluster, jobKind, job, { propagation: 'Background' });
    const template = fieldsAt(cron, 'spec', 'jobTemplate');
    const made = makeObject(cluster, jobKind, {
      metadata: {
        ...fieldsAt(template, 'metadata'),
        name: `${cron.metadata.name}-${Math.floor(due / 60_000)}`,
        namespace: cron.metadata.namespace,
        annotations: {
          ...fieldsAt(template, 'metadata', 'annotations'),
          'batch.kubernetes.io/cronjob-scheduled-timestamp': timestampOf(due),
        },
        ownerReferences: [referenceTo(cron)],
      },
      spec: fieldsAt(template, 'spec'),
    });
    if (made) tell(cron, 'SuccessfulCreate', `Created job ${made.metadata.name}`);
    return true;
  }

  function report(cron: Stored, more: Fields): void {
    const { active: _, ...before } = fieldsAt(cron, 'status');
    const jobs = jobsOf(cron);
    const active = jobs.filter((job) => !isOver(job) && job.metadata.deletionTimestamp === undefined);
    const ends = jobs.filter((job) => isTrue(job, 'Complete')).map(endedAt);
    writeStatus(cluster, kind, cron, {
      ...(active.length > 0 ? { active: active.map(reference) } : {}),
      ...before,
      ...more,
      ...(ends.length > 0 ? { lastSuccessfulTime: timestampOf(Math.max(...ends)) } : {}),
    });
  }

  /** The oldest of the finished Jobs go when there are more than are kept. */
  function forget(cron: Stored, type: 'Complete' | 'Failed', most: number): void {
    const ended = jobsOf(cron)
      .filter((job) => isTrue(job, type))
      .sort((a, b) => endedAt(a) - endedAt(b));
    for (const job of ended.slice(0, Math.max(0, ended.length - most)))
      remove(cluster, jobKind, job, { propagation: 'Background' });
  }

  const jobsOf = (cron: Stored): Stored[] => dependents.controlled(cron, jobKey);

  const tell = (cron: Stored, reason: string, message: string) =>
    recordEvent(cluster, cron, { type: 'Normal', reason, message, from: 'cronjob-controller' });

  runController(cluster, { key, makes: [jobKey], reconcile });
}

const reference = ({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } }: Stored): Fields => ({
  apiVersion,
  kind,
  name,
  namespace,
  uid,
  resourceVersion,
});

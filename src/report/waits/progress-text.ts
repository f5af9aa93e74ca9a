import type { Condition } from '../../api/meta.ts';
import type { ClusterUpdatingStatus, StageStatus, UpdateRunStatus } from '../../api/staged.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { hasFailed, isSkipped } from '../../engine/staged/step.ts';
import { isInitialized } from '../../engine/update-run.ts';
import { type HeldObject, holdsOf } from '../holds-of.ts';
import { stageTasks } from './stage-tasks.ts';

/**
 * The condition that describes the progress of a run: `Succeeded` once it is not Unknown, else `Progressing`, else
 * `Initialized=False`. Undefined before the run starts.
 */
export const progressOf = (conditions: readonly Condition[] = []): Condition | undefined =>
  conditions.find(({ type, status }) => type === 'Succeeded' && status !== 'Unknown') ??
  conditions.find(({ type }) => type === 'Progressing') ??
  conditions.find(({ type, status }) => type === 'Initialized' && status === 'False');

/** The message of the condition, without its first words `the update run`. */
export const inWords = ({ reason, message = '' }: Condition): string =>
  message === '' ? reason : message.replace(/^the update run (?:is )?/, '');

/** How many clusters of each stage have succeeded: `staging 2/2, production 1/4`. */
export const stagesDone = ({ stagesStatus = [] }: UpdateRunStatus): string =>
  stagesStatus
    .map((stage) => {
      const { done, of } = stageCounts(stage);
      return `${stage.stageName} ${done}/${of}`;
    })
    .join(', ');

/** Clusters of a stage. Those that it skips, since they left the fleet, say, are neither done nor among those that it updates (`of`). */
export function stageCounts({ clusters }: Pick<StageStatus, 'clusters'>) {
  const count = (is: (cluster: ClusterUpdatingStatus) => boolean): number => clusters.filter(is).length;
  const skipped = count(isSkipped);
  const done = count(({ conditions }) => conditionIs(conditions, 'Succeeded', 'True'));
  return { done, failed: count(hasFailed), skipped, of: clusters.length - skipped };
}

/** The progress of a run in a few words, and of one that has not started what holds it: `not started: RecordLost`. */
export function runProgress(
  run: HeldObject & { readonly status?: UpdateRunStatus | undefined },
  holds: readonly { readonly subject: HeldObject; readonly reason: string }[],
): string {
  const [hold] = progressOf(run.status?.conditions) === undefined ? holdsOf(run, holds) : [];
  return hold ? `not started: ${hold.reason}` : progressText(run.status);
}

/** The progress of a run in a few words: what it is waiting for, else the message of its condition. */
export function progressText(status: UpdateRunStatus | undefined): string {
  const now = progressOf(status?.conditions);
  if (now === undefined) return isInitialized(status ?? {}) ? 'initialized, not started' : 'not started';
  const open = now.reason === 'UpdateRunWaiting' ? stageTasks({ status }).filter(({ isOpen }) => isOpen) : [];
  if (open.length === 0) return inWords(now);
  const waits = open.map(({ stage, approval }) =>
    approval === undefined ? `the soak of ${stage}` : `approval ${approval}`,
  );
  return `waiting for ${waits.join(' and ')}`;
}

import type { Condition } from '../../api/meta.ts';
import type { UpdateRunStatus } from '../../api/staged.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
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
    .map(({ stageName, clusters = [] }) => {
      const done = clusters.filter(({ conditions }) => conditionIs(conditions, 'Succeeded', 'True'));
      return `${stageName} ${done.length}/${clusters.length}`;
    })
    .join(', ');

/** The progress of a run in a few words: what it is waiting for, else the message of its condition. */
export function progressText(status: UpdateRunStatus | undefined): string {
  const now = progressOf(status?.conditions);
  if (now === undefined) return 'not started';
  const open = now.reason === 'UpdateRunWaiting' ? stageTasks({ status }).filter(({ isOpen }) => isOpen) : [];
  if (open.length === 0) return inWords(now);
  const waits = open.map(({ stage, approval }) =>
    approval === undefined ? `the soak of ${stage}` : `approval ${approval}`,
  );
  return `waiting for ${waits.join(' and ')}`;
}

import type { Condition } from '../../api/meta.ts';
import type { StagedUpdateRun, StageStatus } from '../../api/staged.ts';
import { conditionIs } from '../kernel/condition.ts';

type RunStatus = NonNullable<StagedUpdateRun['status']>;

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
  message === '' ? reason : message.replace(/^the update run (?:is )?/, '').replaceAll(';', ',');

/** How many clusters of each stage have succeeded: `staging 2/2, production 1/4`. */
export const stagesDone = ({ stagesStatus = [] }: RunStatus): string =>
  stagesStatus
    .map(({ stageName, clusters = [] }) => {
      const done = clusters.filter(({ conditions }) => conditionIs(conditions, 'Succeeded', 'True'));
      return `${stageName} ${done.length}/${clusters.length}`;
    })
    .join(', ');

/** The progress of a run in a few words: what it is waiting for, else the message of its condition. */
export function progressText(status: RunStatus | undefined): string {
  const now = progressOf(status?.conditions);
  if (now === undefined) return 'not started';
  const waits = now.reason === 'UpdateRunWaiting' ? (status?.stagesStatus ?? []).flatMap(waitsOf) : [];
  return waits.length === 0 ? inWords(now) : `waiting for ${waits.join(' and ')}`;
}

function waitsOf(stage: StageStatus): string[] {
  const { stageName, beforeStageTaskStatus: before = [], afterStageTaskStatus: after = [] } = stage;
  return [...before, ...after].flatMap(({ type, approvalRequestName, conditions }) => {
    const requested = conditionIs(conditions, 'ApprovalRequestCreated', 'True');
    if (requested && !conditionIs(conditions, 'ApprovalRequestApproved', 'True'))
      return [`approval ${approvalRequestName}`];
    const soaks =
      type === 'TimedWait' && stage.clusters?.every((it) => conditionIs(it.conditions, 'Succeeded', 'True'));
    return soaks && !conditionIs(conditions, 'WaitTimeElapsed', 'True') ? [`the soak of ${stageName}`] : [];
  });
}

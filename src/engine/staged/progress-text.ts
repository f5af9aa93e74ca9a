import type { Condition } from '../../api/meta.ts';
import type { StagedUpdateRun, StageStatus } from '../../api/staged.ts';
import { conditionIs } from '../kernel/condition.ts';

type RunStatus = NonNullable<StagedUpdateRun['status']>;

/**
 * The condition that says how a run goes: `Succeeded` once it is settled, else `Progressing`, else that it could not be
 * initialized. Undefined before it begins.
 */
export const progressOf = (conditions: readonly Condition[] = []): Condition | undefined =>
  conditions.find(({ type, status }) => type === 'Succeeded' && status !== 'Unknown') ??
  conditions.find(({ type }) => type === 'Progressing') ??
  conditions.find(({ type, status }) => type === 'Initialized' && status === 'False');

/** The condition's own sentence, without the words that the name of the run stands for. */
export const inWords = ({ reason, message = '' }: Condition): string =>
  message === '' ? reason : message.replace(/^the update run (?:is )?/, '').replaceAll(';', ',');

/** How many clusters of each stage are done: `staging 2/2, production 1/4`. */
export const stagesDone = ({ stagesStatus = [] }: RunStatus): string =>
  stagesStatus
    .map(({ stageName, clusters = [] }) => {
      const done = clusters.filter(({ conditions }) => conditionIs(conditions, 'Succeeded', 'True'));
      return `${stageName} ${done.length}/${clusters.length}`;
    })
    .join(', ');

/** How a run goes, in a few words: what it waits for where it waits, else what its conditions say. */
export function progressText(status: RunStatus | undefined): string {
  const now = progressOf(status?.conditions);
  if (now === undefined) return 'not begun';
  const waits = now.reason === 'UpdateRunWaiting' ? (status?.stagesStatus ?? []).flatMap(waitsOf) : [];
  return waits.length === 0 ? inWords(now) : `waits for ${waits.join(' and ')}`;
}

function waitsOf(stage: StageStatus): string[] {
  const { stageName, beforeStageTaskStatus: before = [], afterStageTaskStatus: after = [] } = stage;
  return [...before, ...after].flatMap(({ type, approvalRequestName, conditions }) => {
    const asked = conditionIs(conditions, 'ApprovalRequestCreated', 'True');
    if (asked && !conditionIs(conditions, 'ApprovalRequestApproved', 'True'))
      return [`approval ${approvalRequestName}`];
    const soaks =
      type === 'TimedWait' && stage.clusters?.every((it) => conditionIs(it.conditions, 'Succeeded', 'True'));
    return soaks && !conditionIs(conditions, 'WaitTimeElapsed', 'True') ? [`the soak of ${stageName}`] : [];
  });
}

import { labelOperators } from '../../../api/label-operators.ts';
import type { LabelSelector } from '../../../api/meta.ts';
import type { StageConfig, StagedUpdateStrategy } from '../../../api/staged.ts';
import { formatDuration, parseDuration } from '../../kernel/duration.ts';

/**
 * What is invalid in a stage, in KubeFleet's order: before-tasks, after-tasks, selector (updaterun/initialization.go and
 * validation.go). Undefined = it is valid.
 */
export const stageFault = (stage: StageConfig): string | undefined =>
  beforeTaskFault(stage) ?? afterTaskFault(stage) ?? selectorFault(stage.labelSelector);

function beforeTaskFault({ beforeStageTasks = [] }: StageConfig): string | undefined {
  if (beforeStageTasks.length > 1) return 'beforeStageTasks allows at most one task';
  const [task] = beforeStageTasks;
  if (task === undefined) return undefined;
  if (task.type !== 'Approval')
    return `task 0 of type ${task.type} is not allowed in beforeStageTasks, only Approval is`;
  return task.waitTime === undefined ? undefined : 'task 0 of type Approval must not have a waitTime';
}

function afterTaskFault({ afterStageTasks = [] }: StageConfig): string | undefined {
  const [first, second] = afterStageTasks;
  if (first !== undefined && first.type === second?.type)
    return `afterStageTasks must not hold two tasks of the same type: ${first.type}`;
  for (const [at, task] of afterStageTasks.entries()) {
    if (task.type !== 'TimedWait') continue;
    if (task.waitTime === undefined) return `task ${at} of type TimedWait has no waitTime`;
    const wait = parseDuration(task.waitTime);
    if (wait === undefined) return `task ${at} has a waitTime that is not a duration: ${task.waitTime}`;
    if (wait <= 0) return `task ${at} has a waitTime of 0 or less`;
  }
  return undefined;
}

const name = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const prefix = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** The checks of apimachinery's LabelSelectorAsSelector. */
function selectorFault(selector: LabelSelector | undefined): string | undefined {
  for (const [key, value] of Object.entries(selector?.matchLabels ?? {})) {
    const fault = keyFault(key) ?? valueFault(value);
    if (fault) return fault;
  }
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const listed = labelOperators[operator].takesValues;
    if (listed && values.length === 0) return `labelSelector: operator ${operator} of ${key} needs values`;
    if (!listed && values.length > 0) return `labelSelector: operator ${operator} of ${key} must not have values`;
    const fault = keyFault(key) ?? values.map(valueFault).find((found) => found !== undefined);
    if (fault) return fault;
  }
  return undefined;
}

function keyFault(key: string): string | undefined {
  const parts = key.split('/');
  const valid =
    parts.length === 1 ? name.test(key) : parts.length === 2 && prefix.test(parts[0]!) && name.test(parts[1]!);
  return valid ? undefined : `labelSelector: ${JSON.stringify(key)} is not a valid label key`;
}

const valueFault = (value: string): string | undefined =>
  value === '' || name.test(value) ? undefined : `labelSelector: ${JSON.stringify(value)} is not a valid label value`;

/** The strategy as a run records it: durations in Go's form, no waitTime on approvals (KubeFleet strips it). */
export const strategyOfRun = (strategy: StagedUpdateStrategy): StagedUpdateStrategy['spec'] => ({
  stages: strategy.spec.stages.map((stage) => ({
    ...stage,
    ...(stage.afterStageTasks === undefined
      ? {}
      : {
          afterStageTasks: stage.afterStageTasks.map((task) =>
            task.type === 'TimedWait'
              ? { type: task.type, waitTime: formatDuration(parseDuration(task.waitTime ?? '') ?? 0) }
              : { type: task.type },
          ),
        }),
  })),
});

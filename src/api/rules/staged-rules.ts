import { error, type Issue, warning } from '../issue.ts';
import { durationMs, longestDurationHours, longestDurationMs } from '../longest-duration.ts';
import type { StagedUpdateRun, StagedUpdateStrategy } from '../staged.ts';
import { parseIndex } from '../syntax.ts';
import { intOrPercentIssues } from './int-or-percent-rules.ts';
import { selectorIssues } from './selector-rules.ts';

/** Hours, minutes and seconds: no sign, and no shorter units. */
const waitTime = /^([1-9]\d*|0)(\.\d+)?(s|m|h)(([1-9]\d*|0)(\.\d+)?(s|m|h))*$/;

/** What KubeFleet's CRD patterns and CEL rules refuse in the stages of a strategy. */
export function strategyIssues({ spec }: StagedUpdateStrategy): Issue[] {
  const issues: Issue[] = [];
  spec.stages.forEach((stage, at) => {
    const here = ['spec', 'stages', at];
    if (!/^[a-z0-9]+$/.test(stage.name) || stage.name.length > 63) {
      issues.push(
        error(
          'invalid-name',
          [...here, 'name'],
          `"${stage.name}" is no stage name`,
          'use at most 63 lower-case letters and digits, without dashes',
        ),
      );
    }
    if (spec.stages.findIndex(({ name }) => name === stage.name) < at) {
      const message = `two stages are called ${stage.name}: their approvals and holds cannot be distinguished`;
      issues.push(warning('duplicate', [...here, 'name'], message, 'give every stage a name of its own'));
    }
    issues.push(...selectorIssues(stage.labelSelector, [...here, 'labelSelector']));
    issues.push(...intOrPercentIssues(stage.maxConcurrency, [...here, 'maxConcurrency'], 1));
    (stage.beforeStageTasks ?? []).forEach((task, index) => {
      const there = [...here, 'beforeStageTasks', index];
      if (task.type !== 'Approval')
        issues.push(
          error(
            'field-not-allowed',
            [...there, 'type'],
            'beforeStageTasks can only hold an Approval',
            'write Approval, or move it to afterStageTasks',
          ),
        );
      if (task.type === 'Approval' && task.waitTime !== undefined)
        issues.push(
          error('field-not-allowed', [...there, 'waitTime'], 'an Approval takes no waitTime', 'remove waitTime'),
        );
    });
    (stage.afterStageTasks ?? []).forEach((task, index) => {
      const there = [...here, 'afterStageTasks', index];
      if (task.type === 'Approval' && task.waitTime !== undefined)
        issues.push(
          error(
            'field-not-allowed',
            [...there, 'waitTime'],
            'an Approval takes no waitTime',
            'remove waitTime, or use type: TimedWait',
          ),
        );
      if (task.type === 'TimedWait' && task.waitTime === undefined)
        issues.push(
          error('field-required', [...there, 'waitTime'], 'a TimedWait needs a waitTime', 'add waitTime: 10m'),
        );
      if (task.waitTime !== undefined && !waitTime.test(task.waitTime))
        issues.push(
          error(
            'invalid-duration',
            [...there, 'waitTime'],
            `"${task.waitTime}" is no duration`,
            /^[1-9]\d*$/.test(task.waitTime)
              ? `write ${task.waitTime}s, ${task.waitTime}m or ${task.waitTime}h`
              : 'write for example 30s, 10m or 1h30m',
          ),
        );
      else if (task.waitTime !== undefined && durationMs(task.waitTime) > longestDurationMs)
        issues.push(
          error(
            'invalid-duration',
            [...there, 'waitTime'],
            'a waitTime is at most ten years',
            `write at most ${longestDurationHours}h`,
          ),
        );
    });
  });
  return issues;
}

/** A run has a name that fits a label, names its placement, and a snapshot by its number. */
export function runIssues({ metadata, spec }: StagedUpdateRun): Issue[] {
  if (metadata.name.length > 63)
    return [
      error(
        'name-too-long',
        ['metadata', 'name'],
        'the name of a run has at most 63 characters',
        'write a shorter name',
      ),
    ];
  if (spec.placementName === '')
    return [
      error('field-required', ['spec', 'placementName'], 'a run names its placement', 'write the name of a placement'),
    ];
  const { resourceSnapshotIndex: index = '' } = spec;
  if (index === '' || parseIndex(index) !== undefined) return [];
  // KubeFleet takes any text, and says it only when the run begins, which then is over.
  const message = 'resourceSnapshotIndex is a number of 0 or more: with this one the run fails when it starts';
  const fix = 'write for example "1", or leave it out for what resources/ holds';
  return [warning('invalid-index', ['spec', 'resourceSnapshotIndex'], message, fix)];
}

/** A run keeps what it was made for; of its states some cannot follow others. */
export function runChanges(recorded: StagedUpdateRun, next: StagedUpdateRun): Issue[] {
  const issues: Issue[] = [];
  for (const field of ['placementName', 'resourceSnapshotIndex', 'stagedRolloutStrategyName'] as const) {
    const before = recorded.spec[field];
    const after = next.spec[field];
    if ((before ?? '') === (after ?? '')) continue;
    issues.push(
      error(
        'immutable-field',
        ['spec', field],
        `${field} of a run cannot change (from ${before ?? 'nothing'} to ${after ?? 'nothing'})`,
        'make a new run',
      ),
    );
  }
  const from = recorded.spec.state ?? 'Run';
  const to = next.spec.state ?? 'Run';
  if (deniedStates.has(`${from}→${to}`)) {
    issues.push(
      error(
        'state-transition',
        ['spec', 'state'],
        `a run cannot change from ${from} to ${to}`,
        `set state back to ${from}, or make a new run`,
      ),
    );
  }
  return issues;
}

/** KubeFleet stageupdate_types.go; everything else is allowed. */
const deniedStates: ReadonlySet<string> = new Set(['Initialize→Stop', 'Run→Initialize', 'Stop→Initialize']);

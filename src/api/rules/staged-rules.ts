import { error, type Issue, warning } from '../issue.ts';
import { durationMs, longestDurationHours, longestDurationMs } from '../longest-duration.ts';
import {
  maxFailuresAnnotation,
  onFailureAnnotation,
  onFailureValues,
  progressDeadlineAnnotation,
} from '../run-annotations.ts';
import type { StagedUpdateRun, StagedUpdateStrategy } from '../staged.ts';
import { isIntOrPercent, parseIndex } from '../syntax.ts';
import { intOrPercentIssues } from './int-or-percent-rules.ts';
import { selectorIssues } from './selector-rules.ts';

/** Hours, minutes and seconds, without sign and shorter units. */
const waitTime = /^([1-9]\d*|0)(\.\d+)?(s|m|h)(([1-9]\d*|0)(\.\d+)?(s|m|h))*$/;

/** Rules of KubeFleet's CRD patterns and CEL for the stages of a strategy. */
export function strategyIssues({ spec }: StagedUpdateStrategy): Issue[] {
  const issues: Issue[] = [];
  spec.stages.forEach((stage, at) => {
    const here = ['spec', 'stages', at];
    if (!/^[a-z0-9]+$/.test(stage.name) || stage.name.length > 63) {
      issues.push(
        error(
          'invalid-name',
          [...here, 'name'],
          `"${stage.name}" is not a stage name`,
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
            'beforeStageTasks can only contain an Approval',
            'write Approval, or move it to afterStageTasks',
          ),
        );
      if (task.type === 'Approval' && task.waitTime !== undefined)
        issues.push(
          error('field-not-allowed', [...there, 'waitTime'], 'an Approval does not allow waitTime', 'remove waitTime'),
        );
    });
    (stage.afterStageTasks ?? []).forEach((task, index) => {
      const there = [...here, 'afterStageTasks', index];
      if (task.type === 'Approval' && task.waitTime !== undefined)
        issues.push(
          error(
            'field-not-allowed',
            [...there, 'waitTime'],
            'an Approval does not allow waitTime',
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
            `"${task.waitTime}" is not a duration`,
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

/** The name of a run must fit a label; it needs a placement, and its snapshot index must be a number. */
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
      error('field-required', ['spec', 'placementName'], 'a run needs a placement', 'write the name of a placement'),
    ];
  const issues = failureIssues(metadata.annotations ?? {});
  const { resourceSnapshotIndex: index = '' } = spec;
  if (index === '' || parseIndex(index) !== undefined) return issues;
  // KubeFleet accepts any text, and fails the run when it starts.
  const message = 'resourceSnapshotIndex is a number of 0 or more: with this one the run fails when it starts';
  const fix = 'write for example "1", or omit it for the present content of resources/';
  return [...issues, warning('invalid-index', ['spec', 'resourceSnapshotIndex'], message, fix)];
}

/** Annotations that decide when a run fails and what it does then: an unreadable one must not count as absent. */
function failureIssues(annotations: Readonly<Record<string, string>>): Issue[] {
  const issues: Issue[] = [];
  const place = (key: string) => ['metadata', 'annotations', key];
  const { [progressDeadlineAnnotation]: deadline, [maxFailuresAnnotation]: most } = annotations;
  if (deadline !== undefined) issues.push(...deadlineIssues(deadline, place(progressDeadlineAnnotation)));
  if (most !== undefined && !isIntOrPercent(most))
    issues.push(
      error(
        'invalid-int-or-percent',
        place(maxFailuresAnnotation),
        `"${most}" is neither a number of 0 or more nor a percentage up to 100%`,
        'write for example "1" or 25%',
      ),
    );
  const onFailure = annotations[onFailureAnnotation];
  if (onFailure !== undefined && !onFailureValues.some((known) => known === onFailure))
    issues.push(
      error(
        'invalid-value',
        place(onFailureAnnotation),
        `"${onFailure}" is nothing that a failed run can do`,
        `write ${onFailureValues.join(' or ')}`,
      ),
    );
  return issues;
}

function deadlineIssues(deadline: string, path: Issue['path']): Issue[] {
  const fix = /^[1-9]\d*$/.test(deadline)
    ? `write ${deadline}s, ${deadline}m or ${deadline}h`
    : 'write for example 30m';
  if (!waitTime.test(deadline)) return [error('invalid-duration', path, `"${deadline}" is not a duration`, fix)];
  const ms = durationMs(deadline);
  if (ms === 0) return [error('invalid-duration', path, 'a progress deadline is longer than 0', fix)];
  if (ms <= longestDurationMs) return [];
  const message = 'a progress deadline is at most ten years';
  return [error('invalid-duration', path, message, `write at most ${longestDurationHours}h`)];
}

/** The placement and snapshot of a run must not change, and some changes of state are forbidden. */
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

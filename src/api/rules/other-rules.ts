import type { DisruptionBudget } from '../eviction.ts';
import type { FleetConfig } from '../gitfleet.ts';
import { error, type Issue, info } from '../issue.ts';
import type { MemberCluster } from '../member-cluster.ts';
import type { Override } from '../override.ts';
import type { StagedUpdateRun, StagedUpdateStrategy } from '../staged.ts';
import { isIntOrPercent, isLabelValue, isQualifiedName } from '../syntax.ts';
import { selectorIssues } from './selector-rules.ts';

export function memberIssues({ metadata, spec, apiVersion }: MemberCluster): Issue[] {
  const issues: Issue[] = [];
  if (metadata.name.length > 63)
    issues.push(error('name-too-long', ['metadata', 'name'], 'the name of a member has at most 63 characters'));
  const seen = new Set<string>();
  (spec.taints ?? []).forEach(({ key, value = '', effect }, at) => {
    const here = ['spec', 'taints', at];
    if (!isQualifiedName(key)) issues.push(error('invalid-label', [...here, 'key'], `"${key}" is no taint key`));
    if (!isLabelValue(value)) issues.push(error('invalid-label', [...here, 'value'], `"${value}" is no taint value`));
    const text = `${key}=${value}:${effect}`;
    if (seen.has(text)) issues.push(error('duplicate', here, `the taint ${text} is listed twice`, 'keep one of them'));
    seen.add(text);
  });
  if (spec.identity)
    issues.push(info('no-use', ['spec', 'identity'], 'identity is accepted; a fleet without a hub has no use for it'));
  if (spec.deleteOptions)
    issues.push(
      info(
        'no-use',
        ['spec', 'deleteOptions'],
        `deleteOptions is accepted; a fleet without a hub has no use for it${apiVersion.endsWith('/v1') ? ' (and it is a field of v1beta1)' : ''}`,
      ),
    );
  return issues;
}

export function overrideIssues(override: Override): Issue[] {
  const issues: Issue[] = [];
  const { spec, kind } = override;
  if (kind === 'ClusterResourceOverride' && spec.placement?.scope === 'Namespaced') {
    issues.push(
      error(
        'invalid-scope',
        ['spec', 'placement', 'scope'],
        'a ClusterResourceOverride can only name a ClusterResourcePlacement',
        'remove scope',
      ),
    );
  }
  const selectors = 'clusterResourceSelectors' in spec ? spec.clusterResourceSelectors : spec.resourceSelectors;
  const field = 'clusterResourceSelectors' in spec ? 'clusterResourceSelectors' : 'resourceSelectors';
  const seen = new Set<string>();
  selectors.forEach((selector, at) => {
    const text = `${selector.group}/${selector.version}/${selector.kind}/${selector.name}`;
    if (seen.has(text)) issues.push(error('duplicate', ['spec', field, at], 'the same resource is selected twice'));
    seen.add(text);
  });
  spec.policy.overrideRules.forEach((rule, at) => {
    const here = ['spec', 'policy', 'overrideRules', at];
    (rule.clusterSelector?.clusterSelectorTerms ?? []).forEach((term, index) => {
      const there = [...here, 'clusterSelector', 'clusterSelectorTerms', index];
      if (!term.labelSelector)
        issues.push(error('field-required', there, 'a term of an override needs a labelSelector'));
      issues.push(...selectorIssues(term.labelSelector, [...there, 'labelSelector']));
    });
    const patches = rule.jsonPatchOverrides ?? [];
    if (rule.overrideType === 'Delete' && patches.length > 0)
      issues.push(
        error(
          'field-not-allowed',
          [...here, 'jsonPatchOverrides'],
          'overrideType Delete takes no patches',
          'remove jsonPatchOverrides',
        ),
      );
    if (rule.overrideType === 'JSONPatch' && patches.length === 0)
      issues.push(
        error('field-required', [...here, 'jsonPatchOverrides'], 'overrideType JSONPatch needs at least one patch'),
      );
    patches.forEach(({ op, path, value }, index) => {
      const there = [...here, 'jsonPatchOverrides', index];
      const fault = pathFault(path);
      if (fault) issues.push(error('invalid-patch', [...there, 'path'], `${path || '""'} ${fault}`, patchFix));
      if (op === 'remove' && value !== undefined)
        issues.push(error('field-not-allowed', [...there, 'value'], 'op remove takes no value', 'remove value'));
      if (op !== 'remove' && value === undefined)
        issues.push(error('field-required', [...there, 'value'], `op ${op} needs a value`));
    });
  });
  return issues;
}

const patchFix = 'patch something under /spec, /data, /metadata/labels or /metadata/annotations';

/** Paths that would change what an object is (KubeFleet pkg/utils/validator, override). */
function pathFault(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must begin with /';
  const parts = path.slice(1).split('/');
  if (parts.some((part) => part === '')) return 'has an empty part';
  const [first, second] = parts;
  if (first === 'kind' || first === 'apiVersion' || first === 'status') return `would change ${first}`;
  if (first === 'metadata' && second !== 'annotations' && second !== 'labels')
    return 'is not allowed: under metadata only labels and annotations may change';
  return undefined;
}

const waitTime = /^([1-9]\d*|0)(\.\d+)?(s|m|h)(([1-9]\d*|0)(\.\d+)?(s|m|h))*$/;

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
    issues.push(...selectorIssues(stage.labelSelector, [...here, 'labelSelector']));
    const concurrency = String(stage.maxConcurrency);
    if (!/^(100|[1-9][0-9]?)%$/.test(concurrency) && !/^[1-9]\d*$/.test(concurrency)) {
      issues.push(
        error(
          'invalid-int-or-percent',
          [...here, 'maxConcurrency'],
          `"${concurrency}" is neither a number of 1 or more nor a percentage from 1% to 100%`,
        ),
      );
    }
    (stage.beforeStageTasks ?? []).forEach((task, index) => {
      const there = [...here, 'beforeStageTasks', index];
      if (task.type !== 'Approval')
        issues.push(error('field-not-allowed', [...there, 'type'], 'before a stage only an Approval can stand'));
      if (task.type === 'Approval' && task.waitTime !== undefined)
        issues.push(error('field-not-allowed', [...there, 'waitTime'], 'an Approval takes no waitTime'));
    });
    (stage.afterStageTasks ?? []).forEach((task, index) => {
      const there = [...here, 'afterStageTasks', index];
      if (task.type === 'Approval' && task.waitTime !== undefined)
        issues.push(error('field-not-allowed', [...there, 'waitTime'], 'an Approval takes no waitTime'));
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
            'write for example 30s, 10m or 1h30m',
          ),
        );
    });
  });
  return issues;
}

export function runIssues({ metadata, spec }: StagedUpdateRun): Issue[] {
  if (metadata.name.length > 63)
    return [error('name-too-long', ['metadata', 'name'], 'the name of a run has at most 63 characters')];
  return spec.placementName === ''
    ? [error('field-required', ['spec', 'placementName'], 'a run names its placement')]
    : [];
}

/** An invalid budget is kept: it must not be read as no budget. */
export function budgetIssues({ spec }: DisruptionBudget): Issue[] {
  const issues: Issue[] = [];
  const both = spec.maxUnavailable !== undefined && spec.minAvailable !== undefined;
  if (both)
    issues.push(
      error('exclusive-fields', ['spec'], 'maxUnavailable and minAvailable exclude each other', 'keep one of them'),
    );
  for (const field of ['maxUnavailable', 'minAvailable'] as const) {
    const value = spec[field];
    if (value !== undefined && !isIntOrPercent(String(value)))
      issues.push(
        error(
          'invalid-int-or-percent',
          ['spec', field],
          `"${value}" is neither a number of 0 or more nor a percentage`,
        ),
      );
  }
  return issues;
}

/** Limits of the guard: one that is no number would limit nothing. */
export function configIssues({ spec }: FleetConfig): Issue[] {
  return (['maxClusters', 'maxObjectsPerCluster', 'maxLeaving'] as const).flatMap((field) => {
    const value = spec.guard?.[field];
    if (value === undefined || isIntOrPercent(String(value))) return [];
    const message = `"${value}" is neither a number of 0 or more nor a percentage`;
    return [error('invalid-int-or-percent', ['spec', 'guard', field], message, 'write for example 10 or 10%')];
  });
}

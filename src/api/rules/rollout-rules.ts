import { error, type Issue, warning } from '../issue.ts';
import type { RolloutStrategy } from '../placement.ts';
import { isIntOrPercent } from '../syntax.ts';

/** How a placement is rolled out and applied: fields that fit their type, and a budget that lets something move. */
export function rolloutIssues(strategy: RolloutStrategy): Issue[] {
  const path = ['spec', 'strategy'];
  const issues: Issue[] = [];
  const { type, rollingUpdate, applyStrategy, reportBackStrategy } = strategy;
  if (type === 'External' && rollingUpdate)
    issues.push(
      error(
        'field-not-allowed',
        [...path, 'rollingUpdate'],
        'rollingUpdate has no meaning for External',
        'remove rollingUpdate',
      ),
    );
  if (applyStrategy.serverSideApplyConfig && applyStrategy.type !== 'ServerSideApply') {
    issues.push(
      error(
        'field-not-allowed',
        [...path, 'applyStrategy', 'serverSideApplyConfig'],
        `serverSideApplyConfig is only for ServerSideApply, not ${applyStrategy.type}`,
      ),
    );
  }
  if (reportBackStrategy?.type === 'Mirror' && reportBackStrategy.destination === undefined) {
    issues.push(
      error(
        'field-required',
        [...path, 'reportBackStrategy', 'destination'],
        'Mirror needs a destination',
        'add destination: OriginalResource or WorkAPI',
      ),
    );
  }
  return rollingUpdate ? [...issues, ...budgetIssues(rollingUpdate)] : issues;
}

/** maxUnavailable and maxSurge: an int or a percentage each, and not both 0. */
function budgetIssues(rollingUpdate: NonNullable<RolloutStrategy['rollingUpdate']>): Issue[] {
  const path = ['spec', 'strategy', 'rollingUpdate'];
  const issues: Issue[] = [];
  const zero: string[] = [];
  for (const field of ['maxUnavailable', 'maxSurge'] as const) {
    const written = rollingUpdate[field];
    const value = String(written);
    if (typeof written === 'string' && /^[0-9]+$/.test(written))
      // The schema lets it pass, the webhook does not (intstr.GetScaledValueFromIntOrPercent).
      issues.push(
        error(
          'invalid-int-or-percent',
          [...path, field],
          'a number in quotes is neither a number nor a percentage',
          `write ${written} without quotes`,
        ),
      );
    else if (!isIntOrPercent(value))
      issues.push(
        error(
          'invalid-int-or-percent',
          [...path, field],
          `"${value}" is neither a number of 0 or more nor a percentage up to 100%`,
          'write for example 1 or 25%',
        ),
      );
    else if (value === '0' || value === '0%' || value === '00%') zero.push(field);
  }
  if (zero.length === 2)
    issues.push(
      warning(
        'rollout-cannot-move',
        path,
        'maxUnavailable and maxSurge are both 0: the rollout cannot move',
        'set maxUnavailable to at least 1',
      ),
    );
  else
    for (const field of zero)
      issues.push(
        warning(
          'zero-budget',
          [...path, field],
          `${field} is 0: ${field === 'maxSurge' ? 'clusters are added only when others are removed' : 'healthy clusters are never updated in place'}`,
        ),
      );
  return issues;
}

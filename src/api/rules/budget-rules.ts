import type { DisruptionBudget } from '../eviction.ts';
import { error, type Issue } from '../issue.ts';
import { intOrPercentIssues } from './int-or-percent-rules.ts';

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
    if (value !== undefined) issues.push(...intOrPercentIssues(value, ['spec', field], 0));
  }
  return issues;
}

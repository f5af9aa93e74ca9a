import type { DisruptionBudget } from '../disruption-budget.ts';
import { error, type Issue, type IssueAt } from '../issue.ts';
import type { AnyFleetObject, At } from '../kinds/kind.ts';
import { isPlacement } from '../placement.ts';
import { intOrPercentIssues } from './int-or-percent-rules.ts';

/** An invalid budget is kept, because it must not count as absent. */
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

/** KubeFleet refuses budgets that have no effect with the policy of their placement. */
export function budgetsOfPickAll(own: readonly At<DisruptionBudget>[], all: readonly AnyFleetObject[]): IssueAt[] {
  const pickAll = new Set(
    all
      .filter(isPlacement)
      .flatMap(({ kind, metadata, spec }) =>
        kind === 'ClusterResourcePlacement' && spec.policy.placementType === 'PickAll' ? [metadata.name] : [],
      ),
  );
  return own.flatMap(({ object, index }): IssueAt[] => {
    if (!pickAll.has(object.metadata.name)) return [];
    const { maxUnavailable, minAvailable } = object.spec;
    if (maxUnavailable !== undefined)
      return [
        {
          index,
          issue: error(
            'invalid-budget',
            ['spec', 'maxUnavailable'],
            'maxUnavailable has no effect on a PickAll placement',
            'use minAvailable with a number',
          ),
        },
      ];
    return String(minAvailable ?? '').endsWith('%')
      ? [
          {
            index,
            issue: error(
              'invalid-budget',
              ['spec', 'minAvailable'],
              'a percentage has no effect on a PickAll placement',
              'use a number',
            ),
          },
        ]
      : [];
  });
}

import { error, type Issue, warning } from '../issue.ts';
import { isOfOneCluster, type Placement, type RollingUpdate } from '../placement.ts';
import { intOrPercentIssues } from './int-or-percent-rules.ts';

/** Rules for rollout and apply: fields that fit their type, and a budget above zero. */
export function rolloutIssues({ strategy, policy }: Placement['spec'], written: unknown): Issue[] {
  const path = ['spec', 'strategy'];
  const issues: Issue[] = [];
  const { type, rollingUpdate, applyStrategy, reportBackStrategy } = strategy;
  if (type === 'External' && writesBudgets(written))
    issues.push(
      error(
        'field-not-allowed',
        [...path, 'rollingUpdate'],
        'rollingUpdate has no effect with External',
        'remove rollingUpdate',
      ),
    );
  if (applyStrategy.serverSideApplyConfig && applyStrategy.type !== 'ServerSideApply') {
    issues.push(
      error(
        'field-not-allowed',
        [...path, 'applyStrategy', 'serverSideApplyConfig'],
        `serverSideApplyConfig is only for ServerSideApply, not ${applyStrategy.type}`,
        'remove serverSideApplyConfig, or write type: ServerSideApply',
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
  if (
    reportBackStrategy?.type === 'Mirror' &&
    reportBackStrategy.destination === 'OriginalResource' &&
    !isOfOneCluster(policy)
  ) {
    issues.push(
      warning(
        'ignored-field',
        [...path, 'reportBackStrategy'],
        'nothing is mirrored: OriginalResource needs a policy that picks exactly one cluster',
        'write destination: WorkAPI',
      ),
    );
  }
  return rollingUpdate ? [...issues, ...budgetIssues(rollingUpdate)] : issues;
}

/** In a document that the schema accepts. */
const writesBudgets = (written: unknown): boolean =>
  (written as { readonly spec: { readonly strategy?: { readonly rollingUpdate?: unknown } } }).spec.strategy
    ?.rollingUpdate !== undefined;

/** maxUnavailable and maxSurge: an int or a percentage each, and not both 0. */
function budgetIssues(rollingUpdate: RollingUpdate): Issue[] {
  const path = ['spec', 'strategy', 'rollingUpdate'];
  const issues: Issue[] = [];
  const zero: string[] = [];
  for (const field of ['maxUnavailable', 'maxSurge'] as const) {
    const wrong = intOrPercentIssues(rollingUpdate[field], [...path, field], 0);
    issues.push(...wrong);
    if (wrong.length === 0 && /^0+%?$/.test(String(rollingUpdate[field]))) zero.push(field);
  }
  if (zero.length === 2)
    issues.push(
      warning(
        'rollout-cannot-move',
        path,
        'maxUnavailable and maxSurge are both 0: the rollout cannot progress',
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

import { error, type Issue } from '../issue.ts';
import type { Placement, Toleration } from '../placement.ts';

const wayOut = 'give the object a new name, or remove its file, wait until that is applied, and add it again';

/** KubeFleet: CEL transition rules, and the placement webhook. */
export function placementChanges(recorded: Placement, next: Placement): Issue[] {
  const issues: Issue[] = [];
  const before = recorded.spec;
  const after = next.spec;
  if (before.policy.placementType !== after.policy.placementType) {
    issues.push(
      error(
        'immutable-field',
        ['spec', 'policy', 'placementType'],
        `placementType cannot change from ${before.policy.placementType} to ${after.policy.placementType}`,
        wayOut,
      ),
    );
  }
  if (before.strategy.type === 'External' && after.strategy.type !== 'External') {
    issues.push(
      error(
        'immutable-field',
        ['spec', 'strategy', 'type'],
        'a strategy of type External cannot change to another type',
        wayOut,
      ),
    );
  }
  // The field has no effect in a ResourcePlacement, and KubeFleet has no rule for it.
  if (next.kind === 'ClusterResourcePlacement' && before.statusReportingScope !== after.statusReportingScope) {
    issues.push(
      error('immutable-field', ['spec', 'statusReportingScope'], 'statusReportingScope cannot change', wayOut),
    );
  }
  const kept = (after.policy.tolerations ?? []).map(text);
  for (const toleration of before.policy.tolerations ?? []) {
    if (kept.includes(text(toleration))) continue;
    const message = `tolerations can only be added: ${describe(toleration)} was removed`;
    issues.push(error('append-only', ['spec', 'policy', 'tolerations'], message, `restore it, or ${wayOut}`));
  }
  return issues;
}

const text = ({ key = '', operator, value = '', effect = '' }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);
const describe = ({ key, operator, value, effect }: Toleration): string =>
  [key ?? '(all keys)', operator, value, effect].filter((part) => part !== undefined && part !== '').join(' ');

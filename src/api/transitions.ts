import { error, type Issue } from './issue.ts';
import { isOverride, type Override } from './override.ts';
import { isPlacement, type Placement, type Toleration } from './placement.ts';
import type { StagedUpdateRun } from './staged.ts';

type Changeable = Placement | StagedUpdateRun | Override;

/**
 * What may not change from one version of an object to the next (KubeFleet: CEL transition rules and the placement
 * webhook). Compared with the spec last recorded; without a record there is no rule. Pure, so that the engine can ask.
 */
export function transitionProblems(recorded: Changeable, next: Changeable): Issue[] {
  if (recorded.kind !== next.kind) return [];
  if (isPlacement(recorded) && isPlacement(next)) return placementTransitions(recorded, next);
  if (isRun(recorded) && isRun(next)) return runTransitions(recorded, next);
  if (isOverride(recorded) && isOverride(next)) return overrideTransitions(recorded, next);
  return [];
}

const isRun = (object: Changeable): object is StagedUpdateRun =>
  object.kind === 'ClusterStagedUpdateRun' || object.kind === 'StagedUpdateRun';

const wayOut = 'give the object a new name, or remove its file, let that settle, and add it again';

function placementTransitions(recorded: Placement, next: Placement): Issue[] {
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
  // A ResourcePlacement has no use for the field, and KubeFleet no rule about it.
  if (next.kind === 'ClusterResourcePlacement' && before.statusReportingScope !== after.statusReportingScope) {
    issues.push(
      error('immutable-field', ['spec', 'statusReportingScope'], 'statusReportingScope cannot change', wayOut),
    );
  }
  const kept = (after.policy.tolerations ?? []).map(text);
  for (const toleration of before.policy.tolerations ?? []) {
    if (kept.includes(text(toleration))) continue;
    const message = `tolerations can only be added: ${describe(toleration)} was there and is not any more`;
    issues.push(error('append-only', ['spec', 'policy', 'tolerations'], message, `put it back, or ${wayOut}`));
  }
  return issues;
}

const text = ({ key = '', operator, value = '', effect = '' }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);
const describe = ({ key, operator, value, effect }: Toleration): string =>
  [key ?? '(all keys)', operator, value, effect].filter((part) => part !== undefined && part !== '').join(' ');

function runTransitions(recorded: StagedUpdateRun, next: StagedUpdateRun): Issue[] {
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
        `a run cannot go from ${from} to ${to}`,
        `set state back to ${from}, or make a new run`,
      ),
    );
  }
  return issues;
}

/** KubeFleet stageupdate_types.go; everything else is allowed. */
const deniedStates: ReadonlySet<string> = new Set(['Initialize→Stop', 'Run→Initialize', 'Stop→Initialize']);

function overrideTransitions(recorded: Override, next: Override): Issue[] {
  const ref = ({ spec }: Override): string => (spec.placement ? `${spec.placement.scope} ${spec.placement.name}` : '');
  if (ref(recorded) === ref(next)) return [];
  return [
    error(
      'immutable-field',
      ['spec', 'placement'],
      'the placement that an override is for cannot change',
      'give the override a new name',
    ),
  ];
}

import type { Binding } from '../../../api/placement-state.ts';
import type { FleetRecord, RecordedPlacement } from '../../input.ts';
import { sameValue } from '../../kernel/same-value.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isRebuilt, isWritten } from './rebuilt-state.ts';

/** The recovered record has the readable parts of the record unchanged. */
export function changedRecord({ input, record }: Evidence): GuardFinding[] {
  const before = input.record;
  if (record === before) return [];
  const kept = (Object.keys({ ...before, ...record }) as (keyof FleetRecord)[]).filter((part) => !apart.has(part));
  const parts = kept.filter((part) => !sameValue(before[part], record[part]));
  const placements = [...before.placements].flatMap(([key, recorded]) => {
    const after = record.placements.get(key);
    if (after && (sameValue(recorded, after) || (isWritten(input, key) && isFirstPolicy(recorded, after)))) return [];
    return [`placement ${key}`];
  });
  return [...parts, ...placements].map((what) => ({
    rule: 'record-changed',
    message: `${what} is readable in the record, but the plan was made from another version of it`,
  }));
}

/** Recovery changes these: placements are compared one by one, and no plan is made from `inEffect`. */
const apart: ReadonlySet<string> = new Set<keyof FleetRecord>(['exists', 'placements', 'unread', 'inEffect']);

/**
 * Bindings rebuilt while the file of their placement was unreadable count as made by its policy once it is readable: that changes
 * no assignment.
 */
function isFirstPolicy(before: RecordedPlacement, after: RecordedPlacement): boolean {
  if (!isRebuilt(before) || before.state.policySnapshots.length > 0) return false;
  return (
    after.state.policySnapshots.every(({ index }) => index === 0) &&
    sameValue(withoutPolicy(before), withoutPolicy(after))
  );
}

const withoutPolicy = ({ state, ...rest }: RecordedPlacement): object => ({
  ...rest,
  state: { ...state, policySnapshots: [], bindings: state.bindings.map(withoutIndex) },
});

const withoutIndex = ({ policySnapshotIndex: _, ...binding }: Binding): object => binding;

import type { Condition } from '../../api/meta.ts';
import type { Binding, PlacementState } from '../../api/placement-state.ts';
import { memoize } from '../kernel/memoize.ts';
import { idsOf } from '../overrides/snapshot-id.ts';

/**
 * A state as it is written, whoever wrote it. Another hand writes out what means the same when it is left out (empty lists and
 * texts, `false`, the counts of an ordinary snapshot) and leaves out the reason of a condition that is as it should be. Where
 * nothing moves it would stay so, and the record of a migration would never read like any other.
 */
export const canonicalState = memoize(
  (state: PlacementState): PlacementState => ({
    ...state,
    policySnapshots: state.policySnapshots.map((entry) => sparse(entry)),
    resourceSnapshots: state.resourceSnapshots.map((entry) => sparse(entry)),
    bindings: state.bindings.map((binding) => sparse(withReasons(binding))),
  }),
);

/** The same value where there is nothing to leave out. */
function sparse<T extends object>(entry: T): T {
  for (const key in entry) {
    if (!saysNothing(key, entry[key])) continue;
    return Object.fromEntries(Object.entries(entry).filter(([name, value]) => !saysNothing(name, value))) as T;
  }
  return entry;
}

const saysNothing = (key: string, value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (key === 'numberOfResourceSnapshots' && value === 1) ||
  (key === 'numberOfEnvelopedObjects' && value === 0);

function withReasons(binding: Binding): Binding {
  if (!binding.conditions?.some(lacksReason)) return binding;
  const reasons = idsOf(binding).length > 0 ? usual : { ...usual, Overridden: 'NoOverrideSpecified' };
  const conditions = binding.conditions.map((condition) =>
    lacksReason(condition) ? { ...condition, reason: reasons[condition.type]! } : condition,
  );
  return { ...binding, conditions };
}

const lacksReason = ({ type, status, reason }: Condition): boolean =>
  reason === '' && status === 'True' && Object.hasOwn(usual, type);

/** KubeFleet's reasons of a binding's conditions that are True; `Available` without any counts as tracked. */
const usual: Readonly<Record<string, string>> = {
  RolloutStarted: 'RolloutStarted',
  Overridden: 'OverriddenSucceeded',
  WorkSynchronized: 'AllWorkSynced',
  Applied: 'AllWorkHaveBeenApplied',
  Available: 'AllWorkAreAvailable',
  DiffReported: 'AllWorkHaveDiffReported',
};

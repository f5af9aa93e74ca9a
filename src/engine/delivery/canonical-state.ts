import type { Condition } from '../../api/meta.ts';
import type { Binding, PlacementState } from '../../api/placement-state.ts';
import { memoize } from '../kernel/memoize.ts';
import { idsOf } from '../overrides/snapshot-id.ts';

/**
 * A state in the form that gitfleet writes. A state written by hand or by a migration may have default values (empty lists
 * and texts, `false`, the counts of an ordinary snapshot) and lack the reason of a condition that is True. It would keep that
 * form as long as nothing changes.
 */
export const canonicalState = memoize(
  (state: PlacementState): PlacementState => ({
    ...state,
    policySnapshots: state.policySnapshots.map((entry) => sparse(entry)),
    resourceSnapshots: state.resourceSnapshots.map((entry) => sparse(entry)),
    bindings: state.bindings.map((binding) => sparse(withReasons(binding))),
  }),
);

/** The entry without default values; the same object if it has none. */
function sparse<T extends object>(entry: T): T {
  for (const key in entry) {
    if (!isDefault(key, entry[key])) continue;
    return Object.fromEntries(Object.entries(entry).filter(([name, value]) => !isDefault(name, value))) as T;
  }
  return entry;
}

const isDefault = (key: string, value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (key === 'numberOfResourceSnapshots' && value === 1) ||
  (key === 'numberOfEnvelopedObjects' && value === 0);

function withReasons(binding: Binding): Binding {
  if (!binding.conditions?.some(lacksReason)) return binding;
  const reasons = idsOf(binding).length > 0 ? usualReasons : { ...usualReasons, Overridden: 'NoOverrideSpecified' };
  const conditions = binding.conditions.map((condition) =>
    lacksReason(condition) ? { ...condition, reason: reasons[condition.type]! } : condition,
  );
  return { ...binding, conditions };
}

const lacksReason = ({ type, status, reason }: Condition): boolean =>
  reason === '' && status === 'True' && Object.hasOwn(usualReasons, type);

/** KubeFleet's reasons of a binding's conditions that are True; `Available` without any counts as tracked. */
const usualReasons: Readonly<Record<string, string>> = {
  RolloutStarted: 'RolloutStarted',
  Overridden: 'OverriddenSucceeded',
  WorkSynchronized: 'AllWorkSynced',
  Applied: 'AllWorkHaveBeenApplied',
  Available: 'AllWorkAreAvailable',
  DiffReported: 'AllWorkHaveDiffReported',
};

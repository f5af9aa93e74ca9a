import type { ClusterName, Condition, Timestamp } from '../../api/meta.ts';
import type { Placement } from '../../api/placement.ts';
import type { Binding, ClusterDecision, PolicySnapshotEntry } from '../../api/placement-state.ts';
import { withTransitionTime } from '../kernel/condition.ts';
import { formatInstant } from '../kernel/instant.ts';
import { allBindings, type BindingGroups, classify, crossReference, liveBindings, rowsOf } from './bindings.ts';
import { listRows } from './compiled/bits.ts';
import type { FleetIndex } from './compiled/compile-fleet.ts';
import { explanations } from './explanations.ts';
import { pickFixed } from './pick/pick-fixed.ts';
import { pickN } from './pick/pick-n.ts';
import { type PolicyHistory, takePolicySnapshot } from './policy-snapshot.ts';
import { reasons } from './reasons.ts';
import { type CompiledPolicy, compilePolicy } from './rules/compile-policy.ts';
import { noBindings } from './rules/cycle.ts';
import { selectedDecisions } from './selected.ts';
import { explainUnselected } from './unselected.ts';

export interface ScheduleInput {
  readonly placement: Placement;
  readonly state: {
    readonly policySnapshots: readonly PolicySnapshotEntry[];
    readonly bindings: readonly Binding[];
  };
  readonly index: FleetIndex;
  readonly now: Timestamp;
  /** Lower-case hex sha-256. */
  readonly digest: (text: string) => string;
  /** Whether some member differs from the record; called only where the record has no digest of its explanations. */
  readonly membersChanged: () => boolean;
}

export interface Schedule {
  /** Ascending by index, exactly one latest. */
  readonly policySnapshots: readonly PolicySnapshotEntry[];
  /** By cluster name, a deleting one before a live one. */
  readonly bindings: readonly Binding[];
  readonly decisions: readonly ClusterDecision[];
  /** KubeFleet's `Scheduled` of the latest policy snapshot. */
  readonly scheduled: Condition;
  /** The instant at which the verdict on an unselected cluster changes by time alone; empty = never. */
  readonly wakes: readonly Timestamp[];
}

/** KubeFleet's API keeps at most this many decisions; selected clusters come first. */
const maxDecisions = 1000;

/**
 * Runs KubeFleet's scheduler for one placement until nothing moves (kubefleet pkg/scheduler/framework/framework.go). Running it
 * on its own result changes nothing. It never fails: decisions name the clusters that cannot be selected.
 */
export function schedule(input: ScheduleInput): Schedule {
  const { placement, state, index, now, digest } = input;
  const history = takePolicySnapshot(placement, state.policySnapshots, digest);
  const groups = classify(state.bindings, history.latest.index, index);
  const result = runCycles(input, history, groups);
  const { fulfilled, found, decisions, explained } = result;
  const scheduled = withTransitionTime(
    history.before?.conditions,
    {
      type: 'Scheduled',
      status: fulfilled ? 'True' : 'False',
      reason: fulfilled ? 'SchedulingPolicyFulfilled' : 'SchedulingPolicyUnfulfilled',
      message: fulfilled ? reasons.fulfilled(found) : reasons.unfulfilled(found),
      ...(placement.metadata.generation !== undefined && { observedGeneration: placement.metadata.generation }),
    },
    now,
  );
  const { explained: _, ...entry } = history.latest;
  const latest = {
    ...entry,
    conditions: [scheduled],
    targetClusters: decisions,
    ...(explained !== undefined && { explained }),
  };
  return {
    policySnapshots: [...history.earlier, latest].sort((a, b) => a.index - b.index),
    bindings: allBindings(result.groups),
    decisions,
    scheduled,
    wakes: eligibilityWakes(placement, liveBindings(result.groups), index),
  };
}

interface CycleResult {
  readonly groups: BindingGroups;
  readonly decisions: ClusterDecision[];
  readonly found: number;
  readonly fulfilled: boolean;
  readonly explained: string | undefined;
}

function runCycles(
  { placement, index, digest, membersChanged }: ScheduleInput,
  history: PolicyHistory,
  groups: BindingGroups,
): CycleResult {
  const { policy } = placement.spec;
  const { latest } = history;
  if (policy.placementType === 'PickFixed') {
    const names = policy.clusterNames ?? [];
    const outcome = pickFixed(names, groups, latest.index, index);
    return { ...outcome, fulfilled: outcome.found === new Set(names).size, explained: undefined };
  }
  const compiled = compilePolicy(placement, index);
  const isPickAll = policy.placementType === 'PickAll';
  const wanted = latest.numberOfClusters ?? 0;
  const { groups: after, lastCycle } = isPickAll
    ? { groups: pickAll(groups, latest.index, compiled, index), lastCycle: undefined }
    : pickN({ policy, wanted, latestIndex: latest.index, groups, compiled, index });
  const live = liveBindings(after);
  const selected = selectedDecisions(isPickAll ? 'PickAll' : 'PickN', live).slice(0, maxDecisions);
  const unselected = {
    placement,
    index,
    compiled,
    selected: rowsOf(live, index),
    limit: maxDecisions - selected.length,
  };
  const { others, explained } = isPickAll
    ? { others: explainUnselected({ ...unselected, cycle: noBindings }), explained: undefined }
    : explanations({ ...unselected, history, wanted, lastCycle, digest, membersChanged });
  return {
    groups: after,
    decisions: selected.concat(others),
    found: live.length,
    fulfilled: isPickAll || live.length === wanted,
    explained,
  };
}

/** Every cluster that passes is picked; bindings of the current policy always stay. */
function pickAll(
  groups: BindingGroups,
  latestIndex: number,
  compiled: CompiledPolicy,
  index: FleetIndex,
): BindingGroups {
  const held = new Set(rowsOf(liveBindings(groups), index));
  const picks = listRows(compiled.passing)
    .filter((row) => !held.has(row))
    .map((row) => index.shared.picked(row, 0, 0));
  return crossReference(groups, picks, latestIndex);
}

/**
 * The instant at which the verdict on an unselected cluster changes by time alone; empty = never. A selected cluster is not
 * evaluated again, except under PickFixed, which evaluates only named clusters. `live`: bindings that hold their cluster.
 */
export function eligibilityWakes({ spec }: Placement, live: readonly Binding[], index: FleetIndex): Timestamp[] {
  const { placementType, clusterNames } = spec.policy;
  const rowsNamed = (names: readonly ClusterName[]): Set<number | undefined> =>
    new Set(names.map((name) => index.rowOf.get(name)));
  const fixed = placementType === 'PickFixed' ? rowsNamed(clusterNames ?? []) : undefined;
  // Computed only when the cluster that changes first is selected, which is rare.
  let selected: Set<number | undefined> | undefined;
  const isSelected = (row: number): boolean => {
    selected ??= rowsNamed(live.map(({ targetCluster }) => targetCluster));
    return selected.has(row);
  };
  const [soonest] = index.byNextChange;
  const isFirst = (row: number): boolean =>
    row === soonest && !live.some(({ targetCluster }) => targetCluster === index.members[row]!.name);
  const row = index.byNextChange.find((candidate) =>
    fixed ? fixed.has(candidate) : isFirst(candidate) || !isSelected(candidate),
  );
  return row === undefined ? [] : [formatInstant(index.members[row]!.eligibility.changesAt!)];
}

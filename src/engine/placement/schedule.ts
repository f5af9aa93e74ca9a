import type { Condition, Timestamp } from '../../api/meta.ts';
import type { Placement } from '../../api/placement.ts';
import type { Binding, ClusterDecision, PolicySnapshotEntry } from '../../api/placement-state.ts';
import { settle } from '../kernel/condition.ts';
import { formatInstant } from '../kernel/instant.ts';
import { type BindingGroups, classify, crossReference, gather, liveBindings, rowsHeld } from './bindings.ts';
import { listRows } from './compiled/bits.ts';
import type { FleetIndex } from './compiled/compile-fleet.ts';
import { type CompiledPolicy, compilePolicy } from './compiled/compile-policy.ts';
import { pickFixed } from './pick/pick-fixed.ts';
import { pickN, presentView } from './pick/pick-n.ts';
import { takePolicySnapshot } from './policy-snapshot.ts';
import { reasons } from './reasons.ts';
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
}

export interface Schedule {
  /** Ascending by index, exactly one latest. */
  readonly policySnapshots: readonly PolicySnapshotEntry[];
  /** By cluster name, a deleting one before a live one. */
  readonly bindings: readonly Binding[];
  readonly decisions: readonly ClusterDecision[];
  /** KubeFleet's `Scheduled` of the latest policy snapshot. */
  readonly scheduled: Condition;
  /** The instant at which a cluster that is not selected changes its verdict by time alone; empty = never. */
  readonly wakes: readonly Timestamp[];
}

/** KubeFleet's API keeps at most this many decisions; selected clusters come first. */
const maxDecisions = 1000;

/**
 * Runs KubeFleet's scheduler for one placement until nothing moves (kubefleet pkg/scheduler/framework/framework.go). Running it
 * on its own result changes nothing. Never fails: what cannot be placed is in the decisions.
 */
export function schedule({ placement, state, index, now, digest }: ScheduleInput): Schedule {
  const history = takePolicySnapshot(placement, state.policySnapshots, digest);
  const groups = classify(state.bindings, history.latest.index, index);
  const result = runCycles(placement, history.latest, groups, index, digest);
  const { fulfilled, found, decisions, explained } = result;
  const scheduled = settle(
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
    bindings: gather(result.groups),
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
  placement: Placement,
  latest: PolicySnapshotEntry,
  groups: BindingGroups,
  index: FleetIndex,
  digest: (text: string) => string,
): CycleResult {
  const { policy } = placement.spec;
  if (policy.placementType === 'PickFixed') {
    const names = policy.clusterNames ?? [];
    const outcome = pickFixed(names, groups, latest.index, index);
    return { ...outcome, fulfilled: outcome.found === new Set(names).size, explained: undefined };
  }
  const compiled = compilePolicy(placement, index);
  if (policy.placementType === 'PickAll') {
    const after = pickAll(groups, latest.index, compiled, index);
    const live = liveBindings(after);
    const selected = selectedDecisions('PickAll', live).slice(0, maxDecisions);
    const view = { verdicts: undefined, obsolete: new Set<number>() };
    const limit = maxDecisions - selected.length;
    const others = explainUnselected({ placement, index, compiled, view, selected: rowsHeld(live, index), limit });
    return {
      groups: after,
      decisions: selected.concat(others),
      found: live.length,
      fulfilled: true,
      explained: undefined,
    };
  }
  const wanted = latest.numberOfClusters ?? 0;
  const { groups: after, lastCycle } = pickN({ policy, wanted, latestIndex: latest.index, groups, compiled, index });
  const live = liveBindings(after);
  const selected = selectedDecisions('PickN', live).slice(0, maxDecisions);
  const liveRows = rowsHeld(live, index);
  const explained = explanationDigest({ latest, wanted, liveRows, compiled, index, digest });
  const recorded = lastCycle === undefined ? latest.targetClusters?.filter(({ selected }) => !selected) : undefined;
  const stands = recorded !== undefined && latest.explained === explained;
  const others = stands
    ? recorded
    : explainUnselected({
        placement,
        index,
        compiled,
        view: lastCycle ?? presentView(policy, index, liveRows),
        selected: liveRows,
        limit: maxDecisions - selected.length,
      });
  // A free core more or less that changes no explanation is no news: the record stays as it is.
  const isNews = stands || recorded === undefined || !sameDecisions(recorded, others);
  return {
    groups: after,
    decisions: selected.concat(others),
    found: live.length,
    fulfilled: live.length === wanted,
    explained: isNews ? explained : latest.explained,
  };
}

const sameDecisions = (a: readonly ClusterDecision[], b: readonly ClusterDecision[]): boolean =>
  a.length === b.length && a.every((one, at) => one.clusterName === b[at]!.clusterName && one.reason === b[at]!.reason);

/** Every cluster that passes is picked; bindings of the current policy always stay. */
function pickAll(
  groups: BindingGroups,
  latestIndex: number,
  compiled: CompiledPolicy,
  index: FleetIndex,
): BindingGroups {
  const held = new Set(rowsHeld(liveBindings(groups), index));
  const picks = listRows(compiled.passing)
    .filter((row) => !held.has(row))
    .map((row) => index.shared.picked(row, 0, 0));
  return crossReference(groups, picks, latestIndex);
}

interface ExplanationFacts {
  readonly latest: PolicySnapshotEntry;
  readonly wanted: number;
  readonly liveRows: readonly number[];
  readonly compiled: CompiledPolicy;
  readonly index: FleetIndex;
  readonly digest: (text: string) => string;
}

/**
 * Stands for policy, number, picks and all that the policy reads of the members. While it stays the same the recorded
 * explanations stand: the cycle that made them saw the clusters before its own picks, and a replan cannot see that again.
 */
function explanationDigest({ latest, wanted, liveRows, compiled, index, digest }: ExplanationFacts): string {
  const picks = Array.from(Int32Array.from(liveRows).sort(), (row) => index.members[row]!.name);
  const facets = compiled.facets.map((facet) => index.facetDigest(facet, digest));
  return digest([latest.policyHash, wanted, ...facets, ...picks].join('\n'));
}

/**
 * The instant at which a cluster that is not selected changes its verdict by time alone; empty = never. A selected cluster is
 * not asked again, except under PickFixed, where only the named ones are ever asked. `live`: bindings that hold their cluster.
 */
export function eligibilityWakes({ spec }: Placement, live: readonly Binding[], index: FleetIndex): Timestamp[] {
  const { placementType, clusterNames } = spec.policy;
  const rowsOf = (names: readonly string[]): Set<number | undefined> =>
    new Set(names.map((name) => index.rowOf.get(name)));
  const fixed = placementType === 'PickFixed' ? rowsOf(clusterNames ?? []) : undefined;
  // Made when the soonest of all is selected itself, which few are.
  let selected: Set<number | undefined> | undefined;
  const isSelected = (row: number): boolean => {
    selected ??= rowsOf(live.map(({ targetCluster }) => targetCluster));
    return selected.has(row);
  };
  const [soonest] = index.restless;
  const isFirst = (row: number): boolean =>
    row === soonest && !live.some(({ targetCluster }) => targetCluster === index.members[row]!.name);
  const row = index.restless.find((candidate) =>
    fixed ? fixed.has(candidate) : isFirst(candidate) || !isSelected(candidate),
  );
  return row === undefined ? [] : [formatInstant(index.members[row]!.eligibility.changesAt!)];
}

import type { ClusterName } from '../../../api/meta.ts';
import type { ClusterDecision } from '../../../api/placement-state.ts';
import { type BindingGroups, crossReference, unschedule } from '../bindings.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import { reasons } from '../reasons.ts';

export interface PickFixedOutcome {
  readonly groups: BindingGroups;
  /** Selected in spec order, then the others in spec order. */
  readonly decisions: ClusterDecision[];
  readonly found: number;
}

/**
 * KubeFleet's cycle for PickFixed, which only checks eligibility. A cluster that became ineligible keeps its binding of the current
 * policy and is reported as not selected; a policy change removes the binding. An empty list selects nothing and removes all
 * bindings; KubeFleet does nothing then (docs/compatibility.md).
 */
export function pickFixed(
  names: readonly ClusterName[],
  groups: BindingGroups,
  latestIndex: number,
  index: FleetIndex,
): PickFixedOutcome {
  const listed = [...new Set(names)];
  const refusals = new Map(listed.map((name) => [name, refusal(name, index)]));
  const valid = listed.filter((name) => refusals.get(name) === undefined);
  const held = new Set([...groups.bound, ...groups.scheduled].map(({ targetCluster }) => targetCluster));
  const picks = valid.filter((name) => !held.has(name)).map(pick);
  const after = crossReference(groups, picks, latestIndex);
  const decisions = [
    ...valid.map(pick),
    ...listed.flatMap((clusterName): ClusterDecision[] => {
      const reason = refusals.get(clusterName);
      return reason === undefined ? [] : [{ clusterName, selected: false, reason }];
    }),
  ];
  return { groups: names.length === 0 ? dropAll(after) : after, decisions, found: valid.length };
}

function refusal(clusterName: ClusterName, index: FleetIndex): string | undefined {
  const row = index.rowOf.get(clusterName);
  if (row === undefined) return reasons.notFound(clusterName);
  const { eligibility } = index.members[row]!;
  return eligibility.eligible ? undefined : reasons.notEligible(clusterName, eligibility.reason);
}

const pick = (clusterName: ClusterName): ClusterDecision => ({
  clusterName,
  selected: true,
  reason: reasons.pickedByName(clusterName),
});

const dropAll = (groups: BindingGroups): BindingGroups => ({
  ...groups,
  bound: [],
  scheduled: [],
  unscheduled: [...groups.unscheduled, ...groups.bound.map(unschedule), ...groups.scheduled.map(unschedule)],
});

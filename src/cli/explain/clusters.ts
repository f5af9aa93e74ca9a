import type { ClusterName } from '../../api/meta.ts';
import { type PlacementRef, placementKey, refOf } from '../../api/placement.ts';
import { admit } from '../../engine/admission/admit.ts';
import type { PlanInput } from '../../engine/input.ts';
import { compileFleet } from '../../engine/placement/compiled/compile-fleet.ts';
import { type ClusterExplanation, explain, type FilterVerdict } from '../../engine/placement/explain/explain.ts';
import { asLastScheduled } from '../../engine/placement/last-scheduled.ts';
import { surveyMembers } from '../../engine/placement/members.ts';
import type { Plan } from '../../engine/plan-document.ts';
import type { UnreachableMember } from '../../repo/record/daemon-memory.ts';
import { unreachableText } from '../../report/unreachable-text.ts';

export interface Explainer {
  readonly clusters: readonly string[];
  /** Of every cluster, or of one; empty for unknown names. */
  of(placement: PlacementRef, clusterName?: string): readonly ExplainedCluster[];
}

/** The plan's decision on a cluster, and which of its filters are assumptions. */
export interface ExplainedCluster extends ClusterExplanation {
  readonly filters: readonly ExplainedVerdict[];
}

export interface ExplainedVerdict extends FilterVerdict {
  /** Not observed: the plan assumes the best case. `reason` has what is known. */
  readonly assumed?: true;
}

/**
 * Explains the scheduler's decisions; the fleet is compiled once. `plan` must be that of `input`; `unreachable`: members that do not
 * respond, by the status branch.
 */
export function explainer({
  input,
  plan,
  unreachable,
}: {
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly unreachable?: ReadonlyMap<ClusterName, UnreachableMember>;
}): Explainer {
  const admitted = admit(input.fleet, input.record);
  const members = surveyMembers({ ...input, fleet: { members: admitted.members } });
  const index = compileFleet(members);
  const byKey = new Map(admitted.placements.map((placement) => [placementKey(refOf(placement)), placement]));
  const unobserved = new Set(
    input.observations
      ? []
      : admitted.members.flatMap(({ metadata, status }) => (status?.agentStatus ? [] : [metadata.name])),
  );
  const plannedByKey = new Map(plan.placements.map((planned) => [placementKey(planned), planned]));
  return {
    clusters: members.map(({ name }) => name),
    of(ref, clusterName) {
      const key = placementKey(ref);
      const placement = byKey.get(key);
      const planned = plannedByKey.get(key);
      if (placement === undefined || planned === undefined) return [];
      const { policySnapshots = [] } = input.record.placements.get(key)?.state ?? {};
      const wrong = planned.scheduled.reason === 'InvalidResourceSelectors';
      const scheduled = (wrong && asLastScheduled(placement, policySnapshots)) || placement;
      return explain({ placement: scheduled, index, planned }, clusterName).map((cluster) =>
        unobserved.has(cluster.clusterName)
          ? withAssumedReachability(cluster, unreachable?.get(cluster.clusterName))
          : cluster,
      );
    },
  };
}

/** Without observations the plan assumes every member to be reachable, unless its file has a status of its agent. */
function withAssumedReachability(
  cluster: ClusterExplanation,
  unreachable: UnreachableMember | undefined,
): ExplainedCluster {
  const known =
    unreachable === undefined
      ? 'this command does not observe clusters'
      : `the status branch reports that it ${unreachableText(unreachable)}`;
  const reason = `${known}; without --observed it is assumed to be reachable`;
  return {
    ...cluster,
    filters: cluster.filters.map((verdict) =>
      verdict.plugin === 'ClusterEligibility' && verdict.passed ? { ...verdict, assumed: true, reason } : verdict,
    ),
  };
}

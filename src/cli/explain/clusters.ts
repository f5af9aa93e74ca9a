import type { ClusterName } from '../../api/meta.ts';
import { type PlacementRef, placementKey, refOf } from '../../api/placement.ts';
import { admit } from '../../engine/admission/admit.ts';
import type { PlanInput } from '../../engine/input.ts';
import { compileFleet } from '../../engine/placement/compiled/compile-fleet.ts';
import { type ClusterExplanation, explain, type FilterVerdict } from '../../engine/placement/explain/explain.ts';
import { asLastScheduled } from '../../engine/placement/last-scheduled.ts';
import { surveyMembers } from '../../engine/placement/members.ts';
import type { Plan } from '../../engine/plan-document.ts';
import type { Silence } from '../../repo/record/daemon-memory.ts';
import { silenceText } from '../../report/silence.ts';

export interface Explainer {
  readonly clusters: readonly string[];
  /** Of every cluster, or of one; empty for names that are not there. */
  of(placement: PlacementRef, clusterName?: string): readonly ToldCluster[];
}

/** What the plan makes of a cluster, and what of that nobody has looked at. */
export interface ToldCluster extends ClusterExplanation {
  readonly filters: readonly ToldVerdict[];
}

export interface ToldVerdict extends FilterVerdict {
  /** Nobody looked: the plan goes by what would be so in the best case. `reason` says what is known. */
  readonly assumed?: true;
}

/**
 * What the scheduler thinks of clusters, for a whole fleet that is compiled once. `plan` is the one made from `input`; `silent`:
 * who does not answer by the status branch.
 */
export function explainer({
  input,
  plan,
  silent,
}: {
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly silent?: ReadonlyMap<ClusterName, Silence>;
}): Explainer {
  const admitted = admit(input.fleet, input.record);
  const members = surveyMembers({ ...input, fleet: { members: admitted.members } });
  const index = compileFleet(members);
  const byKey = new Map(admitted.placements.map((placement) => [placementKey(refOf(placement)), placement]));
  const unseen = new Set(
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
        unseen.has(cluster.clusterName) ? asUnseen(cluster, silent?.get(cluster.clusterName)) : cluster,
      );
    },
  };
}

/** Without observations every member is planned with as reachable, unless its file says what its agent is like. */
function asUnseen(cluster: ClusterExplanation, silence: Silence | undefined): ToldCluster {
  const known =
    silence === undefined
      ? 'the cluster was not observed'
      : `the status branch reports that it ${silenceText(silence)}`;
  const reason = `${known}; without --observed it is assumed to be reachable`;
  return {
    ...cluster,
    filters: cluster.filters.map((verdict) =>
      verdict.plugin === 'ClusterEligibility' && verdict.passed ? { ...verdict, assumed: true, reason } : verdict,
    ),
  };
}

import { type PlacementRef, placementKey, refOf } from '../../api/placement.ts';
import { admit } from '../../engine/admission/admit.ts';
import type { PlanInput } from '../../engine/input.ts';
import { compileFleet } from '../../engine/placement/compiled/compile-fleet.ts';
import { type ClusterExplanation, explain } from '../../engine/placement/explain/explain.ts';
import { asLastScheduled } from '../../engine/placement/last-scheduled.ts';
import { surveyMembers } from '../../engine/placement/members.ts';
import type { Plan } from '../../engine/plan-document.ts';

export interface Explainer {
  readonly clusters: readonly string[];
  /** Of every cluster, or of one; empty for names that are not there. */
  of(placement: PlacementRef, clusterName?: string): readonly ClusterExplanation[];
}

/** What the scheduler thinks of clusters, for a whole fleet that is compiled once. `plan` is the one made from `input`. */
export function explainer(input: PlanInput, plan: Plan): Explainer {
  const admitted = admit(input.fleet, input.record);
  const members = surveyMembers({ ...input, fleet: { members: admitted.members } });
  const index = compileFleet(members);
  const byKey = new Map(admitted.placements.map((placement) => [placementKey(refOf(placement)), placement]));
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
      return explain({ placement: scheduled, index, planned }, clusterName);
    },
  };
}

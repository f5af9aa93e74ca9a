import { type PlacementRef, placementKey, refOf } from '../api/placement.ts';
import { admit } from '../engine/admission/admit.ts';
import type { PlanInput } from '../engine/input.ts';
import { compileFleet } from '../engine/placement/compile-fleet.ts';
import { type ClusterExplanation, explain } from '../engine/placement/explain.ts';
import { surveyMembers } from '../engine/placement/members.ts';

export interface Explainer {
  readonly placements: readonly PlacementRef[];
  readonly clusters: readonly string[];
  /** Of every cluster, or of one; empty for names that are not there. */
  of(placement: PlacementRef, clusterName?: string): readonly ClusterExplanation[];
}

/** What the scheduler thinks of clusters, for a whole fleet that is compiled once. */
export function explainer(input: PlanInput): Explainer {
  const admitted = admit(input.fleet, input.record);
  const members = surveyMembers({ ...input, fleet: { members: admitted.members } });
  const index = compileFleet(members);
  const byKey = new Map(admitted.placements.map((placement) => [placementKey(refOf(placement)), placement]));
  return {
    placements: admitted.placements.map(refOf),
    clusters: members.map(({ name }) => name),
    of(ref, clusterName) {
      const placement = byKey.get(placementKey(ref));
      if (placement === undefined) return [];
      const recorded = input.record.placements.get(placementKey(ref))?.state;
      const state = { policySnapshots: recorded?.policySnapshots ?? [], bindings: recorded?.bindings ?? [] };
      return explain({ placement, state, index, now: input.now, digest: input.digest }, clusterName);
    },
  };
}

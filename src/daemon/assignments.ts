import type { ClusterName } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { Target } from '../engine/plan-document.ts';
import type { Assignment } from '../members/assignment.ts';

/** Targets of a published plan, with everything the actors need, by cluster. */
export function assignmentsOf(result: PlanResult): Map<ClusterName, Assignment[]> {
  const byCluster = new Map<ClusterName, Assignment[]>();
  for (const target of result.plan.targets) {
    const list = byCluster.get(target.clusterName) ?? [];
    byCluster.set(target.clusterName, list);
    const assignment = assignmentOf(target, result);
    if (assignment) list.push(assignment);
  }
  return byCluster;
}

function assignmentOf(target: Target, result: PlanResult): Assignment | undefined {
  const content = result.contentOf(target);
  if (content === undefined) return undefined;
  return {
    placement: target.placement,
    key: placementKey(target.placement),
    label: content.label,
    ...(target.resourceSnapshotIndex === undefined ? {} : { resourceSnapshotIndex: target.resourceSnapshotIndex }),
    ...(target.digest === undefined ? {} : { digest: target.digest }),
    remove: target.remove,
    strategy: content.strategy,
    manifests: content.manifests,
    prunable: content.prunable,
  };
}

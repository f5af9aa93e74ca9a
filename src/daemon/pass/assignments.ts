import type { ClusterName } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { PlannedBinding, Target } from '../../engine/plan-document.ts';
import type { Assignment } from '../../members/assignment.ts';

/** Targets of a published plan, with everything the actors need, by cluster; those of bindings that `only` refuses are left out. */
export function assignmentsOf(
  result: PlanResult,
  only: (binding: PlannedBinding) => boolean = () => true,
): Map<ClusterName, Assignment[]> {
  const byCluster = new Map<ClusterName, Assignment[]>();
  const left = new Set<string>();
  for (const { bindings, ...placement } of result.plan.placements) {
    for (const binding of bindings) if (!only(binding)) left.add(`${placementKey(placement)}/${binding.clusterName}`);
  }
  for (const target of result.plan.targets) {
    if (left.has(`${placementKey(target.placement)}/${target.clusterName}`)) continue;
    const list = byCluster.get(target.clusterName) ?? [];
    byCluster.set(target.clusterName, list);
    const assignment = assignmentOf(target, result);
    if (assignment) list.push(assignment);
  }
  return byCluster;
}

/** What members hold by the record alone: nothing begins and nothing is removed before they were looked at. */
export function adopted(result: PlanResult): Map<ClusterName, Assignment[]> {
  const stands = ({ move }: PlannedBinding): boolean => move !== 'add' && move !== 'update';
  return new Map(
    [...assignmentsOf(result, stands)].map(([cluster, assignments]) => [
      cluster,
      assignments.map((assignment) => ({ ...assignment, adopted: true })),
    ]),
  );
}

function assignmentOf(target: Target, result: PlanResult): Assignment | undefined {
  const content = result.contentOf(target);
  if (content === undefined) return undefined;
  return {
    placement: target.placement,
    key: placementKey(target.placement),
    label: content.label,
    isPlaced: content.isPlaced,
    approvedRemovals: content.approvedRemovals,
    handedOver: content.handedOver,
    ...(target.resourceSnapshotIndex === undefined ? {} : { resourceSnapshotIndex: target.resourceSnapshotIndex }),
    ...(target.digest === undefined ? {} : { digest: target.digest }),
    ...(content.leaveAlone ? { leaveAlone: true } : {}),
    ...(content.abandons ? { abandons: true } : {}),
    remove: target.remove,
    strategy: content.strategy,
    manifests: content.manifests,
    prunable: content.prunable,
  };
}

import type { ClusterName } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { MemberUpgrade } from '../../api/upgrade-status.ts';
import { isPlaced } from '../../engine/delivery/placed-objects.ts';
import { targetContent } from '../../engine/delivery/target-content.ts';
import type { PlanResult } from '../../engine/plan.ts';
import { type PlacementTarget, plannedUpgradeRuns, type UpgradeTarget } from '../../engine/plan-document.ts';
import { handleTarget } from '../../engine/target-kinds.ts';
import { allMembers, isAsked } from '../../engine/upgrade/tree.ts';
import type { Assignment, PlacementAssignment, UpgradeAssignment } from '../../members/assignment.ts';
import type { DoubtedOperations } from '../record/verify/upgrade-claims.ts';
import { leftAsItIs, type WithheldTargets, withheldTargets } from '../record/verify/withheld-targets.ts';
import { nodesAssignment } from './nodes-assignment.ts';

/** Targets of a published plan, with everything the actors need, by cluster. */
export function assignmentsOf(
  result: PlanResult,
  {
    isWithheld,
    isDoubtedOperation,
    pushed,
  }: Pick<WithheldTargets, 'isWithheld'> &
    Pick<DoubtedOperations, 'isDoubtedOperation'> &
    Pick<PlacementAssignment, 'pushed'>,
): Map<ClusterName, Assignment[]> {
  const byCluster = new Map<ClusterName, Assignment[]>();
  for (const target of result.plan.targets) {
    const list = byCluster.get(target.clusterName) ?? [];
    byCluster.set(target.clusterName, list);
    const assignment = handleTarget<Assignment | undefined>(target, {
      placement(it) {
        const assigned = placementAssignment(it, { result, pushed });
        return assigned && isWithheld(it.clusterName, assigned.key) ? leftAsItIs(assigned, result) : assigned;
      },
      upgrade: (it) => upgradeAssignment(it, { result, adopted: isDoubtedOperation(it.upgrade.operationId) }),
      nodes: (it) => nodesAssignment(it, result),
    });
    if (assignment) list.push(assignment);
  }
  for (const cluster of blockedBefore(result)) {
    const list = byCluster.get(cluster) ?? [];
    byCluster.set(cluster, list);
    list.push({ kind: 'preflight', key: 'preflight' });
  }
  return byCluster;
}

/** Members that would start an upgrade, but for what their API servers are asked, or have said. */
const blockedBefore = ({ plan }: PlanResult): ReadonlySet<ClusterName> =>
  new Set(
    plannedUpgradeRuns(plan)
      .flatMap(({ status }) => allMembers(status))
      .filter((member) => isAsked(member) || isBlocked(member))
      .map(({ name }) => name),
  );

const isBlocked = ({ status: { state, error } }: MemberUpgrade): boolean =>
  state === 'Pending' && error?.code === 'PreflightBlocked';

/** Assignments at a start, from a plan of the record alone: nothing is removed before the members are observed. */
export const adopted = (
  result: PlanResult,
  doubted: Parameters<typeof withheldTargets>[1],
): Map<ClusterName, Assignment[]> =>
  new Map(
    [
      ...assignmentsOf(result, {
        ...withheldTargets(result, doubted, undefined),
        isDoubtedOperation: () => true,
        pushed: false,
      }),
    ].map(([cluster, assignments]) => [
      cluster,
      // Nodes are acted on only by a plan of what is observed.
      assignments.flatMap((assignment) => (assignment.kind === 'nodes' ? [] : { ...assignment, adopted: true })),
    ]),
  );

/** `controlPlane` of a target may be what runs, which only the record says. So it is left out where the run does not change it. */
function upgradeAssignment(
  { clusterName, upgrade }: UpgradeTarget,
  { result, adopted }: { readonly result: PlanResult; readonly adopted: boolean },
): UpgradeAssignment {
  const { controlPlane, ...operation } = upgrade;
  const isRaised = result.plan.upgrades.some(
    (it) =>
      it.kind === 'UpdateRun' &&
      it.name === upgrade.run &&
      allMembers(it.status).some(({ name, to }) => name === clusterName && to?.controlPlane !== undefined),
  );
  const raised = isRaised && controlPlane !== undefined ? { ...operation, controlPlane } : operation;
  return { kind: 'upgrade', key: 'upgrade', operation: raised, adopted };
}

function placementAssignment(
  target: PlacementTarget,
  { result, pushed }: Pick<PlacementAssignment, 'pushed'> & { readonly result: PlanResult },
): PlacementAssignment | undefined {
  const content = targetContent(result.contents, target);
  if (content === undefined) return undefined;
  return {
    kind: 'placement',
    placement: target.placement,
    key: placementKey(target.placement),
    label: content.label,
    isPlaced: (label, object) => isPlaced(result.contents, { label, cluster: target.clusterName, object }),
    approvedRemovals: content.approvedRemovals,
    handedOver: content.handedOver,
    ...(target.resourceSnapshotIndex === undefined ? {} : { resourceSnapshotIndex: target.resourceSnapshotIndex }),
    ...(target.digest === undefined ? {} : { digest: target.digest }),
    adopted: false,
    pushed,
    leaveAlone: content.leaveAlone,
    abandons: content.abandons,
    undoes: false,
    remove: target.remove,
    strategy: content.strategy,
    manifests: content.manifests,
    prunable: content.prunable,
  };
}

import { isLeaving } from '../../api/member-cluster.ts';
import type { ClusterName, PlacementKey } from '../../api/meta.ts';
import { wasGiven } from '../../engine/bindings/cleanup.ts';
import type { FleetRecord } from '../../engine/input.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Actor } from '../../members/actor.ts';

/**
 * Whether the record has dropped a placement on a cluster. If the record is not lost, another daemon saw the end of it there; also
 * if the cluster was picked again and nothing was assigned since. A leaving cluster is dropped too, and keeps its objects (KubeFleet
 * does not remove the works of a leaving cluster); so are clusters of a placement that abandons its objects.
 */
export const forgottenBy =
  ({ exists, placements, clusters }: FleetRecord, abandoned: PlanResult['abandoned']) =>
  (cluster: ClusterName, target: Actor['target']): boolean => {
    // A withdrawn upgrade is not undone.
    if (target.kind !== 'placement') return false;
    const placement = target.key as PlacementKey;
    const member = clusters.get(cluster);
    if (!exists || abandoned.has(placement) || (member && isLeaving(member))) return false;
    return !placements.get(placement)?.state.bindings.some((it) => it.targetCluster === cluster && wasGiven(it));
  };

import { isLeaving } from '../../api/member-cluster.ts';
import type { ClusterName } from '../../api/meta.ts';
import { wasGiven } from '../../engine/bindings/cleanup.ts';
import type { FleetRecord } from '../../engine/input.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Actor } from '../../members/actor.ts';

/**
 * Of what a record that is not lost does not have, another daemon has seen the end; also where the cluster was picked anew and
 * nothing was given to it since. A cluster that leaves is forgotten too, and keeps what it was given (KubeFleet: works of a leaving
 * cluster are not removed); so does every cluster of a placement that says so.
 */
export const forgottenBy =
  ({ exists, placements, clusters }: FleetRecord, abandoned: PlanResult['abandoned']) =>
  (cluster: ClusterName, { key: placement }: Actor['target']): boolean => {
    const member = clusters.get(cluster);
    if (!exists || abandoned.has(placement) || (member && isLeaving(member))) return false;
    return !placements.get(placement)?.state.bindings.some((it) => it.targetCluster === cluster && wasGiven(it));
  };

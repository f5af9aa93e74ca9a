import type { ClusterName } from '../../api/meta.ts';
import { refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { Problem } from '../../api/problem.ts';
import { wasBound } from '../placement/bindings.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { Hold } from '../plan-document.ts';
import { describeRef } from '../selection/object-key.ts';

export interface SameCluster {
  /** Two live bindings, or a live Bound one beside one on its way out: nothing of the placement may move. */
  readonly conflict: { readonly hold: Hold; readonly problem: Problem } | undefined;
  /** Clusters where an old binding must be cleaned up before the new one may be bound. */
  readonly cleaning: ReadonlyMap<ClusterName, Hold>;
  /** Clusters where the new binding replaces all that is left of the old one, which is in its way no more. */
  readonly succeeding: ReadonlySet<ClusterName>;
}

/**
 * Bindings of one placement that meet on one cluster (KubeFleet rollout/controller.go, waitForResourcesToCleanUp). `takesOver`: whether
 * what is left of a binding on its way out is what a new one asks for.
 */
export function sameCluster(
  { placement, bindings }: PlacementWork,
  takesOver: (leaving: Binding) => boolean,
): SameCluster {
  const ref = refOf(placement);
  const byCluster = new Map<ClusterName, Binding[]>();
  for (const { binding } of bindings)
    byCluster.set(binding.targetCluster, [...(byCluster.get(binding.targetCluster) ?? []), binding]);
  const cleaning = new Map<ClusterName, Hold>();
  const succeeding = new Set<ClusterName>();
  for (const [clusterName, list] of byCluster) {
    if (list.length < 2) continue;
    const subject = { ...ref, clusterName };
    const live = list.filter(({ deleting }) => !deleting);
    if (live.length > 1 || (live.some(wasBound) && live.length < list.length)) {
      const message = `${describeRef(ref)} has ${list.length} bindings on ${clusterName} (${list.map(({ state, deleting }) => (deleting ? 'being deleted' : state)).join(', ')}): nothing of it moves until one is left`;
      const fix = `remove the surplus binding on ${clusterName} from its state.yaml on the status branch`;
      return {
        conflict: {
          hold: { subject, reason: 'SameClusterConflict', message },
          problem: { severity: 'warning', code: 'same-cluster-conflict', message, fix },
        },
        cleaning,
        succeeding,
      };
    }
    if (live[0]?.state !== 'Scheduled') continue;
    if (list.every((binding) => !binding.deleting || takesOver(binding))) {
      succeeding.add(clusterName);
      continue;
    }
    cleaning.set(clusterName, {
      subject,
      reason: 'SameClusterCleanup',
      message: `what an earlier binding left on ${clusterName} is being removed; the new one follows`,
    });
  }
  return { conflict: undefined, cleaning, succeeding };
}

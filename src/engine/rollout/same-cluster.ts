import type { ClusterName } from '../../api/meta.ts';
import { refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { Problem } from '../../api/problem.ts';
import { wasBound } from '../placement/bindings.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { Hold } from '../plan-document.ts';
import { describeRef } from '../selection/object-key.ts';

export interface SameCluster {
  /** Two live bindings, or a live Bound one and one being removed: nothing of the placement may move. */
  readonly conflict: { readonly hold: Hold; readonly problem: Problem } | undefined;
  /** Clusters where an old binding must be cleaned up before the new one may be bound. */
  readonly cleanups: ReadonlyMap<ClusterName, Hold>;
  /** Clusters where the new binding replaces all remaining objects of the old one, so that no clean-up is needed. */
  readonly replacing: ReadonlySet<ClusterName>;
}

/**
 * Clusters with several bindings of one placement (KubeFleet rollout/controller.go, waitForResourcesToCleanUp). `replacesRemaining`:
 * whether the remaining objects of a removed binding are those of the new one.
 */
export function sameCluster(
  { placement, bindings }: PlacementWork,
  replacesRemaining: (leaving: Binding) => boolean,
): SameCluster {
  const ref = refOf(placement);
  const byCluster = new Map<ClusterName, Binding[]>();
  for (const { binding } of bindings)
    byCluster.set(binding.targetCluster, [...(byCluster.get(binding.targetCluster) ?? []), binding]);
  const cleanups = new Map<ClusterName, Hold>();
  const replacing = new Set<ClusterName>();
  for (const [clusterName, list] of byCluster) {
    if (list.length < 2) continue;
    const subject = { ...ref, clusterName };
    const live = list.filter(({ deleting }) => !deleting);
    if (live.length > 1 || (live.some(wasBound) && live.length < list.length)) {
      const message = `${describeRef(ref)} has ${list.length} bindings on ${clusterName} (${list.map(({ state, deleting }) => (deleting ? 'being deleted' : state)).join(', ')}): none of its bindings is changed until only one remains`;
      const fix = `remove the surplus binding on ${clusterName} from its state.yaml on the status branch`;
      return {
        conflict: {
          hold: { subject, reason: 'SameClusterConflict', message },
          problem: { severity: 'warning', code: 'same-cluster-conflict', message, fix },
        },
        cleanups,
        replacing,
      };
    }
    if (live[0]?.state !== 'Scheduled') continue;
    if (list.every((binding) => !binding.deleting || replacesRemaining(binding))) {
      replacing.add(clusterName);
      continue;
    }
    cleanups.set(clusterName, {
      subject,
      reason: 'SameClusterCleanup',
      message: `objects of an earlier binding are being removed from ${clusterName}; the new binding is rolled out after that`,
    });
  }
  return { conflict: undefined, cleanups, replacing };
}

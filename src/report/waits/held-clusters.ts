import type { StagedUpdateRun } from '../../api/staged.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Hold, HoldReason } from '../../engine/plan-document.ts';
import { holdsOf } from '../holds-of.ts';

/** Clusters named in one line. */
const mostNamed = 10;

/** What holds back single clusters of a run, apart from the pace and the gates of its stages. */
const reasons: readonly (readonly [HoldReason, string])[] = [
  ['RolloutBudget', 'held back by the disruption budget of the placement'],
  ['ClusterUpgrading', 'held back by upgrades of these clusters in progress'],
  ['SameClusterCleanup', 'held back until the objects of an earlier binding are removed'],
];

/** `held back by the disruption budget of the placement: b, c`, a clause for each reason. `holds`: also of others. */
export function heldClusters({ kind, metadata }: StagedUpdateRun, holds: readonly Hold[]): string[] {
  const own = holdsOf({ kind, ...metadata }, holds);
  return reasons.flatMap(([reason, text]) => {
    const names = own.flatMap(({ reason: of, subject }) => (of === reason ? (subject.clusterName ?? []) : []));
    return names.length === 0 ? [] : [`${text}: ${listUpTo(names, mostNamed)}`];
  });
}

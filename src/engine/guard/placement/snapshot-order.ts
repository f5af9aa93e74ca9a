import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';

/** RollingUpdate never returns to an older snapshot; only an update run does, under External (staged/moves-by-run.ts). */
export function olderSnapshots({ changes }: Evidence): GuardFinding[] {
  return changes.flatMap(({ key, placement, isWanted, pairs }) => {
    if (!placement || !isWanted || placement.spec.strategy.type === 'External') return [];
    return pairs.flatMap(({ clusterName, before, after, removedNow }): GuardFinding[] => {
      const [present, next] = [before?.resourceSnapshotIndex, after?.resourceSnapshotIndex];
      if (removedNow || present === undefined || next === undefined || next >= present) return [];
      return [
        {
          rule: 'older-snapshot',
          message: `placement ${key} would be rolled back from snapshot ${present} to ${next} on ${clusterName} without an update run`,
        },
      ];
    });
  });
}
